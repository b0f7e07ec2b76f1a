/** Durations as people write them: `30d`, `2 weeks`, `1h30m`, `weekly`. */
import parseDuration from 'parse-duration';
import { invalidField } from '../errors.js';

/** Units of one fixed length: a month or a year is none. `m` is minutes. */
const pattern =
  /^(?:\d+(?:\.\d+)?\s*(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)\s*)+$/;
const EXPECTED = 'a duration such as 30d, 2 weeks, 1h30m, monthly or 3600s (units s, m, h, d, w)';

/** A rhythm is as long as RECURRING terms take it. Source: docs/design/api.md. */
const RHYTHMS: Readonly<Record<string, string>> = {
  hourly: '1h',
  daily: '1d',
  weekly: '1w',
  biweekly: '2w',
  monthly: '30d',
  quarterly: '90d',
  yearly: '365d',
};
/** 100 years: block times are 32-bit unix seconds. */
const MAXIMUM_SECONDS = 100 * 365 * 86_400;

/**
 * The whole seconds of a duration.
 *
 * @throws invalid_input when it is none, has no unit, is no whole number of seconds, or is not between 1 second and
 *   100 years
 * @example
 * parseSeconds('1h30m'); // 5_400
 * parseSeconds('2'); // throws invalid_input
 */
export const parseSeconds = (text: string, field = 'duration'): number => {
  const written = text.trim().toLowerCase();
  const trimmed = (Object.hasOwn(RHYTHMS, written) ? RHYTHMS[written] : undefined) ?? written;
  const seconds = pattern.test(trimmed) ? parseDuration(trimmed, 's') : null;
  if (seconds !== null && Number.isInteger(seconds) && seconds >= 1 && seconds <= MAXIMUM_SECONDS)
    return seconds;
  throw invalidField(field, `"${text}" is not ${EXPECTED}, from 1 second to 100 years`);
};

const PARTS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/**
 * Seconds in whole days, hours, minutes and seconds, the largest first; none of which there are none.
 *
 * @example
 * durationParts(93_600); // [[1, 'd'], [2, 'h']]
 */
export const durationParts = (seconds: number): readonly (readonly [number, (typeof PARTS)[number][0]])[] => {
  let rest = seconds;
  return PARTS.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [[count, unit] as const];
  });
};

/**
 * Seconds for people, exact. For the reverse, see {@link parseSeconds}.
 *
 * @example
 * showDuration(93_600); // '1d 2h'
 */
export const showDuration = (seconds: number): string =>
  durationParts(seconds)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ') || '0s';
