/**
 * How a snapshot stands in its file: JSON, an entry to a line.
 *
 * ```text
 * {"header":{"schema":2,...},"checksum":"...","documents":[
 * {"id":"a","status":"OPEN",...},
 * {"id":"b","status":"OPEN",...}
 * ],"places":[
 * [           1,             93,        41,"9d1c03fa"],
 * [           2,            136,        41,"5b0e11c2"]
 * ],"index":[
 * ["a",[1]],
 * ["b",[2]],
 * ["OPEN",[1,2]]
 * ],
 * "contents":{"schema":1,"sequence":7,...,"collections":{...}},"contentsChecksum":"0c9f73d1","contentsAt":            412}
 * ```
 *
 * - `documents`: the records, collection by collection, each in the order of first puts.
 * - `places`: of each, its order (the number of its first put), where it begins, its length in bytes, its checksum.
 * - `index`: of each index of each collection, the orders under each value, sorted by value; ids are an index too.
 * - the last line: what there is, and from where to where each collection's places and each of its indexes stand, with
 *   a checksum of each. Its own is beside it, and where it begins is the end of the file.
 *
 * So a program reads the last line, and then only what it looks for; and none of it can be missing, doubled or in
 * another's place. The first line is always the same: to programs that know the earlier forms alone it says that the file is newer.
 */
import { z } from 'zod';
import { checksum, damaged, LogEnd } from './store-data.js';

const Whole = z.int().nonnegative();

/** From where (bytes), how long, and the checksum of all of it. */
const Section = z.tuple([Whole, Whole, z.string()]);
export type Section = z.output<typeof Section>;

const CollectionContents = z.object({
  /** How many records. */
  count: Whole,
  places: Section,
  ids: Section,
  /** By the index's stored name. Null: a collection that the writer did not know. */
  indexes: z.record(z.string(), Section).nullable(),
});
export type CollectionContents = z.output<typeof CollectionContents>;

const Contents = z.object({
  /** Version of the layout of the records. */
  schema: z.int().positive(),
  /** The last commit that is folded in. */
  sequence: Whole,
  /** The order of the newest record that ever was. */
  lastOrder: Whole,
  counters: z.record(z.string(), Whole),
  /** How far the segments of each log reach. */
  logs: z.record(z.string(), LogEnd).default({}),
  collections: z.record(z.string(), CollectionContents),
});
export type Contents = z.output<typeof Contents>;

const LAST = z.object({ contents: z.unknown(), contentsChecksum: z.string(), contentsAt: Whole });

const EARLIER_HEADER = JSON.stringify({ schema: 2, sequence: 0, counters: {}, documents: {} });
/** With what every file begins. */
export const FIRST_LINE = `{"header":${EARLIER_HEADER},"checksum":"${checksum(EARLIER_HEADER)}","documents":[\n`;

const AT_DIGITS = 15;
/** The end of the last line, from the number on. */
const ENDING = /^ *(\d+)\}\n$/;
export const ENDING_LENGTH = AT_DIGITS + '}\n'.length;

/** The last line, which begins at a byte of the file. */
export const lastLine = (contents: Contents, at: number): string => {
  const json = JSON.stringify(contents);
  const ending = `"contentsAt":${String(at).padStart(AT_DIGITS)}}\n`;
  return `"contents":${json},"contentsChecksum":"${checksum(json)}",${ending}`;
};

/** Where the last line begins, from the last bytes of the file. @throws store_damaged */
export const lastLineAt = (file: string, ending: string): number => {
  const [, at] = ENDING.exec(ending) ?? [];
  if (at === undefined) throw damaged(file, 'its end');
  return Number(at);
};

/** What a last line says. @throws store_damaged when it is not what was written */
export const readLastLine = (file: string, line: string): Contents => {
  let json: unknown;
  try {
    json = JSON.parse(`{${line}`);
  } catch (error) {
    throw damaged(file, 'its contents', error);
  }
  const last = LAST.safeParse(json);
  const contents = Contents.safeParse(last.data?.contents);
  if (!contents.success || checksum(JSON.stringify(last.data?.contents)) !== last.data?.contentsChecksum)
    throw damaged(file, 'its contents', contents.error ?? last.error);
  return contents.data;
};
