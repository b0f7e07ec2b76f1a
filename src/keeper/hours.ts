/**
 * The hours in which a rule acts, as a clock on the wall of the operator shows them: also over midnight, and on the days on
 * which clocks are put forward or back. Pure.
 */
import type { Reading } from '../bch/reading.js';

/** Minutes of the day; `until` is the first that is not part of it, and before `from` where midnight lies between. */
export type Hours = { readonly from: number; readonly until: number };

const DAY_MINUTES = 1_440;
const FORM = /^(\d\d?):(\d\d)\s*(?:-|to)\s*(\d\d?):(\d\d)$/;
const EXPECTED = 'two times of day such as "08:00-20:00" or, over midnight, "22:00-06:00"';

/**
 * Reads hours as people write them.
 *
 * @example
 * readHours('22:00-06:00'); // { value: { from: 1_320, until: 360 } }
 */
export const readHours = (text: string): Reading<Hours> => {
  const match = FORM.exec(text.trim());
  if (match === null) return { problem: `expected ${EXPECTED}` };
  const [h1 = 0, m1 = 0, h2 = 0, m2 = 0] = match.slice(1).map(Number);
  const [from, until] = [h1 * 60 + m1, h2 * 60 + m2];
  if (m1 > 59 || m2 > 59 || from >= DAY_MINUTES || until > DAY_MINUTES)
    return { problem: `there is no such time of day: expected ${EXPECTED}` };
  if (from % DAY_MINUTES === until % DAY_MINUTES && until !== DAY_MINUTES)
    return { problem: `from and until are the same: leave "between" out to act at any hour` };
  return { value: { from, until } };
};

/** True for a time zone that this machine knows, such as `Europe/Zurich`. */
export const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const clocks = new Map<string | null, Intl.DateTimeFormat>();

/** A clock of a zone; null: that of this machine. */
const clockOf = (zone: string | null): Intl.DateTimeFormat => {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(zone === null ? {} : { timeZone: zone }),
  });
  // The zone of this machine is asked for anew: it may be set while a test runs.
  if (zone !== null) clocks.set(zone, clock);
  return clock;
};

/** Minutes of the day that a clock shows. */
const minuteAt = (clock: Intl.DateTimeFormat, seconds: number): number => {
  const [hours = 0, minutes = 0] = clock
    .format(seconds * 1_000)
    .split(':')
    .map(Number);
  return hours * 60 + minutes;
};

const holds = ({ from, until }: Hours, minute: number): boolean =>
  from < until ? minute >= from && minute < until : minute >= from || minute < until;

/**
 * True within the hours; null stands for all of them.
 *
 * @param seconds unix seconds
 * @param zone null: that of this machine
 */
export const isWithin = (hours: Hours | null, seconds: number, zone: string | null): boolean =>
  hours === null || holds(hours, minuteAt(clockOf(zone), seconds));

/**
 * When the hours are next open, from a moment on: an hour that clocks leave out in spring opens a day later.
 *
 * @returns unix seconds; the moment itself within the hours
 */
export const nextWithin = (hours: Hours | null, seconds: number, zone: string | null): number => {
  if (isWithin(hours, seconds, zone)) return seconds;
  const clock = clockOf(zone);
  const first = seconds - (seconds % 60) + 60;
  for (let minute = 0; hours !== null && minute <= 2 * DAY_MINUTES; minute += 1) {
    const at = first + minute * 60;
    if (holds(hours, minuteAt(clock, at))) return at;
  }
  return first + 2 * DAY_MINUTES * 60;
};
