/** Words, numbers and moments in the reader's language. */
import { en } from './words/en.js';

/** A text, or its forms by number. `{name}` is filled in. */
export type Words =
  | string
  | Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }>;
export type WordKey = keyof typeof en;
/** What another language's file has: every key, each with the forms that its language knows. */
export type Language = Readonly<Record<WordKey, Words>>;
export type Fillings = Readonly<Record<string, string | number>>;

/** Every language that there is. English is the first, and what is taken where none is the reader's. */
const LANGUAGES: Readonly<Record<string, Language>> = { en };

/** The first language of a reader that there are words of. */
export const languageOf = (wanted: readonly string[]): string =>
  wanted.map((tag) => tag.split('-')[0] ?? '').find((tag) => tag in LANGUAGES) ?? 'en';

const isLocale = (tag: string): boolean => {
  try {
    return new Intl.Locale(tag).language !== '';
  } catch {
    return false;
  }
};

/** The first of a reader's languages that dates can be written in: some browsers name one after the machine's, as `en-US@posix`. */
export const localeOf = (wanted: readonly string[]): string => wanted.find(isLocale) ?? 'en';

const wanted: readonly string[] = typeof navigator === 'undefined' ? [] : navigator.languages;
/** The language of the page. */
export const language = languageOf(wanted);
const words: Language = LANGUAGES[language] ?? en;
/** Dates and numbers as the reader's own language has them, also where the words are English. */
const locale = localeOf(wanted);
const plurals = new Intl.PluralRules(language);

const formOf = (given: Words, count: number): string =>
  typeof given === 'string' ? given : (given[plurals.select(count)] ?? given.other);

/**
 * The words of a key, with what is filled in; their form goes by `count`.
 *
 * @example say('list.more', { count: 3 }) // 'and 3 more'
 */
export const say = (key: WordKey, fillings: Fillings = {}): string =>
  formOf(words[key], Number(fillings['count'] ?? 0)).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = fillings[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? new Intl.NumberFormat(locale).format(value) : value;
  });

const MILLISECONDS = 1_000;
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const month = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'short' });
const hour = new Intl.DateTimeFormat(locale, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

/** A moment (unix seconds) by the reader's clock. */
export const showMoment = (seconds: number): string => full.format(seconds * MILLISECONDS);
/** Its day. */
export const showDay = (seconds: number): string => day.format(seconds * MILLISECONDS);

/** Its month, as a mark on a line of time. */
export const showMonth = (seconds: number): string => month.format(seconds * MILLISECONDS);
/** Its day and hour, likewise. */
export const showHour = (seconds: number): string => hour.format(seconds * MILLISECONDS);

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/**
 * How far a moment is from now: `in 3 days`. The largest unit that there are two of, or a smaller one.
 *
 * @param seconds of the moment, unix
 * @param now unix seconds: the chain's where it is about the chain
 */
export const showDistance = (seconds: number, now: number): string => {
  const away = seconds - now;
  const [unit, length] = STEPS.find(([, one]) => Math.abs(away) >= 2 * one) ?? (['minute', 60] as const);
  return relative.format(Math.trunc(away / length), unit);
};
