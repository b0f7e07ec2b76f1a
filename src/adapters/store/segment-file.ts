/**
 * One file of a log: checksummed lines as a journal has them, of which only those that are asked for are read.
 *
 * ```text
 * 1c2f0a77 {"log":"events","after":0}
 * 8d0b13e2 {"sequence":1,"entry":{...}}
 * 5b11f0c9 {"sequence":2,"entry":{...}}
 * ```
 *
 * The first line says what the segment before it ended with, so that none can be missing between two.
 */
import { z } from 'zod';
import { storageFailure } from '../../storage-failure.js';
import { decodeLine } from '../journal-lines.js';
import { files, isErrno, readBytes } from '../machine.js';
import { damaged, type LogEntry } from './store-data.js';

const LINE_FEED = 10;
/** Bytes that are read first: some entries. */
const FIRST_BYTES = 1 << 12;
/** Bytes that are read in one go where more is asked for. */
const AT_ONCE = 1 << 17;

const Heading = z.object({ log: z.string(), after: z.int().nonnegative() });
export type Heading = z.output<typeof Heading>;

// What the checksum of a line vouches for is not looked at value by value.
const Entry = z.object({
  sequence: z.int().positive(),
  entry: z.custom<object>((value) => typeof value === 'object' && value !== null),
});

/** An open file, and up to which byte it is looked at. */
export type SegmentFile = { readonly path: string; readonly fd: number; readonly size: number };

/** A line: where it begins and where the next one does, and what it says; null when it is not what was written. */
export type Line = { readonly at: number; readonly end: number; readonly content: unknown };

/** Null where there is no such file. */
export const openSegment = (path: string, size?: number): SegmentFile | null => {
  try {
    const fd = files().open(path, 'read');
    return { path, fd, size: size ?? files().statOpen(fd).size };
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw storageFailure(error) ?? error;
  }
};

/** The lines from a byte on, in pieces. What is behind the last line feed is the last of them, and sound never. */
function* bytesOfLines({ fd, size }: SegmentFile, from: number) {
  let begun = Buffer.alloc(0);
  let [at, next] = [from, from];
  let length = FIRST_BYTES;
  while (next < size) {
    const piece = readBytes(fd, next, Math.min(size, next + length));
    if (piece.length === 0) break;
    next += piece.length;
    length = Math.min(AT_ONCE, length * 2);
    const bytes = Buffer.concat([begun, piece]);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      yield { at, end: at + end - start + 1, bytes: bytes.subarray(start, end), isWhole: true };
      at += end - start + 1;
      start = end + 1;
    }
    begun = bytes.subarray(start);
  }
  if (begun.length > 0) yield { at, end: at + begun.length, bytes: begun, isWhole: false };
}

export function* linesFrom(file: SegmentFile, from: number): Generator<Line> {
  for (const { at, end, bytes, isWhole } of bytesOfLines(file, from))
    yield { at, end, content: (isWhole ? decodeLine(bytes) : undefined) ?? null };
}

/** What a line says of an entry; null when it is none. */
export const entryOf = ({ content }: Line): LogEntry | null => Entry.safeParse(content).data ?? null;

/** The number of the line that begins at a byte, for people. */
const numberAt = (file: SegmentFile, at: number): number => {
  let number = 1;
  for (const line of bytesOfLines({ ...file, size: at }, 0)) if (line.isWhole) number += 1;
  return number;
};

export const damagedLine = (file: SegmentFile, at: number): Error =>
  damaged(file.path, `line ${numberAt(file, at)}`);

/** The first line, and where the entries begin; null when it is not what was written. */
export const headingOf = (file: SegmentFile): (Heading & { readonly end: number }) | null => {
  for (const { content, end } of linesFrom(file, 0)) {
    const { data } = Heading.safeParse(content);
    return data === undefined ? null : { ...data, end };
  }
  return null;
};

/** The first sound entry whose line begins behind a byte. */
const entryBehind = (
  file: SegmentFile,
  at: number,
): { readonly line: Line; readonly entry: LogEntry } | null => {
  let isFirst = true;
  for (const line of linesFrom(file, at)) {
    const entry = isFirst ? null : entryOf(line);
    if (entry !== null) return { line, entry };
    isFirst = false;
  }
  return null;
};

/** A byte from which not many lines have to be read until those above a sequence. */
const seek = (file: SegmentFile, from: number, after: number): number => {
  let [low, high] = [from, file.size];
  while (high - low > FIRST_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const found = entryBehind(file, middle);
    if (found === null || found.line.at >= high || found.entry.sequence > after) high = middle;
    else low = found.line.end;
  }
  return low;
};

/**
 * The entries above a sequence, in order; `from`: where entries begin.
 * @throws store_damaged naming a line that is not what was written, where what is asked for may have stood in it
 */
export function* entriesAfter(file: SegmentFile, from: number, after: number): Generator<LogEntry> {
  let before = 0;
  let badAt: number | null = null;
  for (const line of linesFrom(file, seek(file, from, after))) {
    const entry = entryOf(line);
    if (entry === null || entry.sequence <= before) {
      badAt ??= line.at;
      continue;
    }
    before = entry.sequence;
    // Entries ascend: what stood in the line was one of before this.
    if (before <= after + 1) badAt = null;
    if (badAt !== null) break;
    if (before > after) yield entry;
  }
  if (badAt !== null) throw damagedLine(file, badAt);
}

/** The last entry that can be read, and where its line ends: what a torn end leaves. Null without any. */
export const lastEntry = (file: SegmentFile): { readonly sequence: number; readonly end: number } | null => {
  for (let from = file.size; from > 0;) {
    from = Math.max(0, file.size - Math.max(FIRST_BYTES, 4 * (file.size - from)));
    let last = null;
    let isFirst = from > 0;
    for (const line of linesFrom(file, from)) {
      const entry = isFirst ? null : entryOf(line);
      isFirst = false;
      if (entry !== null) last = { sequence: entry.sequence, end: line.end };
    }
    if (last !== null) return last;
  }
  return null;
};

/** True when a line that is sound ends at a byte of a file. */
export const endsAt = (file: SegmentFile, size: number): boolean =>
  size <= file.size &&
  (lastEntry({ ...file, size })?.end === size || headingOf({ ...file, size })?.end === size);
