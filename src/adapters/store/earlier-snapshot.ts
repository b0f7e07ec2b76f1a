/**
 * Snapshots as they were written before. They are read whole, and written anew in the form of today
 * (`snapshot-contents.ts`) with the first change.
 *
 * The last form had a document to a line, and before them a header that lists length and checksum of each:
 *
 * ```text
 * {"header":{"schema":1,"sequence":7,"counters":{},"documents":{"rewards":[[812,"9d1c03fa"]]}},"checksum":"5b0e11c2","documents":[
 * {"id":"..."}
 * ]}
 * ```
 *
 * That of version 0.1.0 was `{"schema":1,"sequence":7,"counters":{},"collections":{"rewards":[{"id":"..."}]}}`.
 */
import { z } from 'zod';
import type { RawRecord } from './record-row.js';
import { checksum, damaged, type Snapshot } from './store-data.js';

const counters = z.record(z.string(), z.int().nonnegative());
const frame = { schema: z.int().positive(), sequence: z.int().nonnegative(), counters };
const isRecord = (value: unknown): boolean => typeof (value as RawRecord | null)?.id === 'string';
const Raw = z.custom<RawRecord>(isRecord);

/** Length in bytes, and checksum. */
const Listed = z.tuple([z.int().positive(), z.string()]);
const Header = z.object({ ...frame, documents: z.record(z.string(), z.array(Listed)) });
type Header = z.output<typeof Header>;

/** The first line, once its brackets are closed. */
const Head = z.object({ header: z.unknown(), checksum: z.string(), documents: z.array(z.never()) });

/** A snapshot as version 0.1.0 wrote it: without checksums. */
const Unchecked = z.object({ ...frame, collections: z.record(z.string(), z.array(Raw)) });

const LINE_FEED = 10;
const CLOSING = ']}';
/** `,` and a line feed stand between documents. */
const BETWEEN = 2;

const parseOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** The header that a first line holds, or null when it is none. @throws store_damaged when it is another one now */
const readHeader = (file: string, line: string): Header | null => {
  const head = Head.safeParse(parseOrNull(line + CLOSING));
  if (!head.success) return null;
  const header = Header.safeParse(head.data.header);
  if (!header.success || checksum(JSON.stringify(head.data.header)) !== head.data.checksum)
    throw damaged(file, 'its header', header.error);
  return header.data;
};

const readUnchecked = (file: string, bytes: Buffer): Snapshot => {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw damaged(file, error instanceof Error ? error.message : 'its JSON', error);
  }
  const result = Unchecked.safeParse(json);
  if (result.success) return result.data;
  throw damaged(file, result.error.issues[0]?.path.join('.') || 'its beginning', result.error);
};

/** The snapshot that the bytes of a file of an earlier form hold. @throws store_damaged when they are not what was written */
export const decodeEarlier = (file: string, bytes: Buffer): Snapshot => {
  const headEnd = bytes.indexOf(LINE_FEED);
  const header = readHeader(file, bytes.toString('utf8', 0, Math.max(0, headEnd)));
  if (header === null) return readUnchecked(file, bytes);
  let at = headEnd + 1;
  const read = (name: string, index: number, [length, expected]: z.output<typeof Listed>): RawRecord => {
    const document = bytes.subarray(at, at + length);
    if (document.length !== length || checksum(document) !== expected)
      throw damaged(file, `document ${index + 1} of ${name}`);
    at += length + BETWEEN;
    return JSON.parse(document.toString('utf8')) as RawRecord;
  };
  const { documents, schema, sequence, counters: numbers } = header;
  const collections = Object.fromEntries(
    Object.entries(documents).map(([name, listed]) => [
      name,
      listed.map((one, index) => read(name, index, one)),
    ]),
  );
  return { schema, sequence, counters: numbers, collections };
};
