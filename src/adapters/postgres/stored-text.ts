/**
 * Texts as PostgreSQL can keep them. It keeps neither the character 0 nor half of a pair of UTF-16, which JSON may hold;
 * these are written as a mark and four hex digits, and so is the mark itself.
 */
import { createHash } from 'node:crypto';

/** Stands for no character in any text, and never will. */
const MARK = '\uFFFE';
const UNKEPT = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]|\0|\uFFFE/g;
/** How `JSON.stringify` writes what is not kept. */
const UNKEPT_IN_JSON = /\\u0000|\\ud[89a-f]|\uFFFE/;

const written = (text: string): string =>
  text.replace(UNKEPT, (one) => MARK + one.charCodeAt(0).toString(16).padStart(4, '0'));

const read = (text: string): string =>
  text.replace(/\uFFFE([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));

const mapTexts = (value: unknown, map: (text: string) => string): unknown => {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [map(key), mapTexts(one, map)]));
};

/** JSON as it is written into a column. */
export const toStoredJson = (json: string): string =>
  UNKEPT_IN_JSON.test(json) ? JSON.stringify(mapTexts(JSON.parse(json), written)) : json;

/** The JSON that was written. */
export const fromStoredJson = (json: string): string =>
  json.includes(MARK) ? JSON.stringify(mapTexts(JSON.parse(json), read)) : json;

/** The short text that {@link toKey} was given. */
export const fromKey = (key: string): string => read(key);

/** What an index of a database takes: a longer text is found by its hash. */
const LONGEST = 512;

/**
 * A text that a record is found by, as it stands in its column.
 *
 * @example
 * toKey('ACTIVE'); // 'ACTIVE'
 */
export const toKey = (text: string): string => {
  const kept = text.length > LONGEST || text.search(UNKEPT) !== -1 ? written(text) : text;
  return kept.length > LONGEST ? `${MARK}#${createHash('sha256').update(kept).digest('hex')}` : kept;
};
