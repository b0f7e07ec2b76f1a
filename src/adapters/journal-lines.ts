/** The lines of a journal: `<crc32 of the JSON, 8 hex digits> <JSON>` and a line feed. */
import { crc32 } from 'node:zlib';

const LINE_FEED = 10;
const CHECKSUM_DIGITS = 8;

const checksum = (json: string | Uint8Array): string =>
  crc32(json).toString(16).padStart(CHECKSUM_DIGITS, '0');

/** Entries as the bytes of their lines. */
export const encodeLines = (entries: readonly unknown[]): Buffer =>
  Buffer.from(
    entries
      .map((entry) => {
        const json = JSON.stringify(entry);
        return `${checksum(json)} ${json}\n`;
      })
      .join(''),
  );

/** The entry of a line without its line feed, or undefined when the line is not what was written. */
export const decodeLine = (line: Buffer): unknown => {
  const json = line.subarray(CHECKSUM_DIGITS + 1);
  if (line.toString('latin1', 0, CHECKSUM_DIGITS + 1) !== `${checksum(json)} `) return undefined;
  return JSON.parse(json.toString('utf8'));
};

/**
 * True when what follows the last line feed is a whole line and one byte more: a line whose end was damaged. What a
 * writer that died left is shorter than its line, and a power cut may have left zeros.
 */
export const hasLostItsEnd = (tail: Buffer): boolean =>
  tail.length > CHECKSUM_DIGITS + 1 && tail.at(-1) !== 0 && decodeLine(tail.subarray(0, -1)) !== undefined;

/** What can be read of a damaged journal's bytes, line by line, and how many lines cannot; torn last ones do not count. */
export const salvageLines = (bytes: Buffer): { readonly entries: unknown[]; readonly badLines: number } => {
  const entries: unknown[] = [];
  let badLines = 0;
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, start);
    const line = bytes.subarray(start, end === -1 ? bytes.length : end);
    const entry = decodeLine(end === -1 && hasLostItsEnd(line) ? line.subarray(0, -1) : line);
    if (entry !== undefined) entries.push(entry);
    else if (end !== -1) badLines += 1;
    start += line.length + 1;
  }
  return { entries, badLines };
};

/** More zeros in a row than a damaged byte makes; JSON has none. */
const LOST = Buffer.alloc(8);

/**
 * True for a last line that ends and has a hole: a power cut kept a later part of a write and lost an earlier one. The
 * write was never on disk as a whole, so nobody was told that it was.
 */
const isTorn = (tail: Buffer): boolean => tail.indexOf(LINE_FEED) === tail.length - 1 && tail.includes(LOST);

/** Entries of all lines that end, and the bytes they take; `badAt` is where the first damaged line begins. */
export const decodeLines = (bytes: Buffer): { entries: unknown[]; length: number; badAt: number | null } => {
  const entries: unknown[] = [];
  let start = 0;
  for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
    const entry = decodeLine(bytes.subarray(start, end));
    if (entry === undefined)
      return { entries, length: start, badAt: isTorn(bytes.subarray(start)) ? null : start };
    entries.push(entry);
    start = end + 1;
  }
  return { entries, length: start, badAt: null };
};
