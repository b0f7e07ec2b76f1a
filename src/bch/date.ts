/**
 * Dates as people write them: `2027-12-31`, `2027-12-31 18:00`, `2027-12-31T18:00+02:00`, `tomorrow 9:00`, `+90d`,
 * `in 3 months`, unix seconds. Without an offset it is the time zone of the machine (`TZ`).
 *
 * Digits with separators are ISO 8601 or unix seconds and nothing else: lenient readers take the month 13 for a day.
 * Phrases are read by chrono-node, whose answer counts only where it has understood every word.
 */
import type { Reading as ReadingOf } from './reading.js';

type Reading = ReadingOf<number>;

/** A moment, and whether a day was written, without a time of it. */
type Moment = { readonly reading: Reading; readonly isDay: boolean };

/** What {@link readDate} takes, in words. */
const DATE_FORMS =
  'a date such as 2027-12-31, "2027-12-31 18:00", tomorrow, +90d, "in 3 months", or unix seconds';

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(?:\.0+)?)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** Before this, digits are more likely a year or a day than unix seconds. 1973-03-03. */
const EARLIEST_SECONDS = 100_000_000;
const LATEST_SECONDS = 4_000_000_000;

const refuse = (problem: string): Reading => ({ problem });

const checkRange = (seconds: number): Reading =>
  seconds >= 0 && seconds <= LATEST_SECONDS
    ? { value: seconds }
    : refuse('expected a date from 1970 to 2096');

const readDigits = (text: string): Reading => {
  const seconds = Number(text);
  // Open-ended, where a field allows it.
  if (seconds === 0) return { value: 0 };
  if (/^\d{4}$/.test(text)) return refuse(`a year alone is no date: write ${text}-01-01 or ${text}-12-31`);
  if (text.length > 10)
    return refuse(`more than 10 digits are no unix seconds (milliseconds?); expected ${DATE_FORMS}`);
  if (seconds < EARLIEST_SECONDS || seconds > LATEST_SECONDS) return refuse(`expected ${DATE_FORMS}`);
  return { value: seconds };
};

/** Minutes that an offset such as `+02:00` is ahead of UTC; null when there is no such offset. */
const offsetMinutes = (text: string): number | null => {
  if (/^(?:Z|UTC)$/i.test(text)) return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(':', '') || '0')];
  if (hours > 14 || minutes > 59) return null;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
};

type Parts = readonly [
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
];

const readIso = (match: RegExpExecArray): Reading => {
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part?: string) => Number(part ?? '0')) as unknown as Parts;
  const utc = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  if (month < 1 || month > 12) return refuse(`there is no month ${month}: expected year-month-day`);
  if (utc.getUTCDate() !== day && hour < 24)
    return refuse(`there is no day ${day} in ${match[1] ?? ''}-${match[2] ?? ''}`);
  if (hour > 23 || minute > 59 || second > 59)
    return refuse('there is no such time of day: expected 00:00 to 23:59');
  if (match[7] !== undefined) {
    const minutes = offsetMinutes(match[7]);
    if (minutes === null) return refuse('there is no such offset: expected Z or one from -14:00 to +14:00');
    return checkRange(utc.getTime() / 1000 - minutes * 60);
  }
  const local = new Date(year, month - 1, day, hour, minute, second);
  // In spring an hour is left out: the date would silently be another one.
  if (local.getHours() !== hour || local.getMinutes() !== minute)
    return refuse('clocks are put forward over this time here: give an offset, such as +01:00');
  return checkRange(local.getTime() / 1000);
};

/** Words that count from now on, to the second; any other date without a time of day is the day's first second. */
const isSpan = /^(?:\+|in\b|after\b)|\b(?:from now|later|hence|ago)$/i;

const readPhrase = async (text: string, nowSeconds: number): Promise<Moment> => {
  const { casual } = await import('chrono-node/en');
  const results = casual.parse(text, { instant: new Date(nowSeconds * 1000) }, { forwardDate: true });
  const [result] = results;
  if (results.length !== 1 || result?.index !== 0 || result.text.length !== text.length || result.end != null)
    return { reading: refuse(`expected ${DATE_FORMS}`), isDay: false };
  const date = result.start.date();
  if (/^now$/i.test(text) || isSpan.test(text) || result.start.isCertain('hour'))
    return { reading: checkRange(Math.floor(date.getTime() / 1000)), isDay: false };
  const day = new Date(date.getFullYear(), date.getMonth(), date.getDate());
  return { reading: checkRange(day.getTime() / 1000), isDay: true };
};

const readMoment = async (written: string, nowSeconds: number): Promise<Moment> => {
  const text = written.trim().replace(/\s+/g, ' ');
  if (/^\d+$/.test(text)) return { reading: readDigits(text), isDay: false };
  const iso = ISO.exec(text);
  if (iso !== null) return { reading: readIso(iso), isDay: iso[4] === undefined };
  if (/^[\d\s:.,/+-]+Z?$/i.test(text) || /\d\s*[/.]\s*\d/.test(text)) {
    const reading = refuse('expected year-month-day, such as 2027-12-31 or "2027-12-31 18:00"');
    return { reading, isDay: false };
  }
  return readPhrase(text, nowSeconds);
};

/**
 * Reads a date.
 *
 * @param nowSeconds - what phrases count from, unix seconds
 * @returns unix seconds, or what to write instead
 * @example
 * await readDate('+90d', 1_800_000_000); // { value: 1807776000 }
 */
export const readDate = async (written: string, nowSeconds: number): Promise<Reading> =>
  (await readMoment(written, nowSeconds)).reading;

/**
 * {@link readDate} of what a span ends with: a day without a time is its last second.
 *
 * @example
 * await readLastSecond('2026-06-01T12:00Z', 1_800_000_000); // { value: 1_780_315_200 }
 */
export const readLastSecond = async (written: string, nowSeconds: number): Promise<Reading> => {
  const { reading, isDay } = await readMoment(written, nowSeconds);
  if ('problem' in reading || !isDay) return reading;
  const day = new Date(reading.value * 1000);
  const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);
  return { value: next.getTime() / 1000 - 1 };
};

const two = (number: number): string => String(number).padStart(2, '0');

/**
 * A date as it was understood, in the machine's time zone, with its offset: `2027-12-31 18:00 +01:00`.
 *
 * @example
 * showLocalDate(monday).length >= '2026-06-01 00:00 UTC'.length; // true
 */
export const showLocalDate = (seconds: number): string => {
  const date = new Date(seconds * 1000);
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const rest = date.getSeconds() === 0 ? '' : `:${two(date.getSeconds())}`;
  return `${day} ${clock}${rest} ${offset === 0 ? 'UTC' : zone}`;
};
