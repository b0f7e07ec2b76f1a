/**
 * Where the entries of a log lie that are no longer in the journal: a folder of files that are only added to, each named
 * after the first sequence that it was made for. A reader knows from the snapshot how far they reach, and looks at nothing
 * behind that: there somebody may be writing, or have died over it.
 */
import { dirname, join } from 'node:path';
import { writingLater } from '../../storage-failure.js';
import { encodeLines } from '../journal-lines.js';
import { files, writeBytes } from '../machine.js';
import type { LogRange } from '../../operation/ports/store.js';
import { createLogTable, lastOf, type LogTable } from './log-table.js';
import {
  damagedLine,
  endsAt,
  entriesAfter,
  entryOf,
  headingOf,
  lastEntry,
  linesFrom,
  openSegment,
  type SegmentFile,
} from './segment-file.js';
import { damaged, type LogEnd, type LogEntry } from './store-data.js';

export type Segments = {
  /** The entries of a range, as far as `kept` says. @throws store_damaged */
  readonly read: (name: string, kept: LogEnd, range: LogRange) => LogEntry[];
  /** How far they reach on disk, whoever has written them. Null: nothing. To be asked under the lock. */
  readonly end: (name: string) => LogEnd | null;
  /**
   * Writes the tail of a log behind what is there, on disk when it resolves. Only under the lock. What a fold has left
   * that came to no end is gone on with, and never written twice.
   * @throws storage_full, storage_read_only
   */
  readonly fold: (log: LogTable) => Promise<LogEnd | null>;
  /** Reads every line. @throws store_damaged */
  readonly verify: (name: string, kept: LogEnd) => void;
};

/** A file that is larger has a successor begun. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/** Bytes that are written in one go. */
const WRITTEN_AT_ONCE = 1 << 20;

const DIGITS = 16;
const NAME = /^(\d{16})\.jsonl$/;

export const segmentPath = (folder: string, segment: number): string =>
  join(folder, `${String(segment).padStart(DIGITS, '0')}.jsonl`);

export const isSegment = (name: string): boolean => NAME.test(name);

/** The segments of a folder, ascending. */
export const segmentsIn = (folder: string): number[] =>
  files().exists(folder)
    ? files()
        .list(folder)
        .flatMap((name) => NAME.exec(name)?.[1] ?? [])
        .map(Number)
        .sort((a, b) => a - b)
    : [];

/** Opens a file for as long as it is looked at. */
const looking = <T>(path: string, size: number | undefined, look: (file: SegmentFile | null) => T): T => {
  const file = openSegment(path, size);
  try {
    return look(file);
  } finally {
    if (file !== null) files().close(file.fd);
  }
};

/** A log's folder, and what is looked for in it. */
type Place = { readonly folder: string; readonly name: string };

/** The entries above a sequence, segment by segment. @throws store_damaged */
function* entriesOf({ folder, name }: Place, kept: LogEnd, after: number): Generator<LogEntry> {
  const all = segmentsIn(folder).filter((segment) => segment < kept.segment);
  const first = kept.segment <= after + 1 ? all.length : all.findLastIndex((segment) => segment <= after + 1);
  /** What the segment before ended with; null: none was read. */
  let before: number | null = null;
  for (const segment of [...all.slice(Math.max(0, first)), kept.segment]) {
    const path = segmentPath(folder, segment);
    const file = openSegment(path, segment === kept.segment ? kept.size : undefined);
    if (file === null) throw damaged(path, 'all of it: it is missing');
    try {
      if (file.size > files().statOpen(file.fd).size) throw damaged(path, 'its end, which is missing');
      const heading = headingOf(file);
      if (heading?.log !== name) throw damagedLine(file, 0);
      if (before === null ? heading.after > after : heading.after !== before)
        throw damaged(path, `what comes before it: entry ${heading.after} is missing`);
      before = heading.after;
      for (const entry of entriesAfter(file, heading.end, after)) {
        yield entry;
        before = entry.sequence;
      }
    } finally {
      files().close(file.fd);
    }
  }
}

const read = (place: Place, kept: LogEnd, { after, limit }: LogRange): LogEntry[] => {
  const entries: LogEntry[] = [];
  if (limit <= 0) return entries;
  for (const entry of entriesOf(place, kept, after)) {
    entries.push(entry);
    if (entries.length >= limit) break;
  }
  return entries;
};

const endOf = (folder: string): LogEnd | null => {
  for (const segment of segmentsIn(folder).reverse()) {
    const last = looking(segmentPath(folder, segment), undefined, (file) =>
      file === null ? null : lastEntry(file),
    );
    if (last !== null) return { last: last.sequence, segment, size: last.end };
  }
  return null;
};

/** How far a segment can be read from a byte on. */
type Sound = { readonly last: number; readonly size: number; readonly isWhole: boolean };

const soundPart = (file: SegmentFile, from: number, after: number): Sound => {
  let [last, size] = [after, from];
  for (const line of linesFrom(file, from)) {
    const entry = entryOf(line);
    const isHeading = line.at === 0 && headingOf(file)?.after === after;
    if (!isHeading && (entry === null || entry.sequence <= last)) return { last, size, isWhole: false };
    last = entry?.sequence ?? last;
    size = line.end;
  }
  return { last, size, isWhole: size === file.size };
};

/** Cuts a file, or removes it when nothing is left of it. */
const cut = (path: string, size: number): void => {
  if (size === 0) {
    files().remove(path);
    return;
  }
  const fd = files().open(path, 'update');
  try {
    files().truncate(fd, size);
  } finally {
    files().close(fd);
  }
};

/** True when the segment of a known end is there that far, and a line ends there. */
const isThere = (folder: string, { segment, size }: LogEnd): boolean =>
  looking(segmentPath(folder, segment), undefined, (file) => file !== null && endsAt(file, size));

/**
 * How far the segments go on soundly behind a known end. What is not sound there was never on disk as a whole, and the
 * journal has it still: it is cut off.
 */
const goOn = (folder: string, kept: LogEnd | null, isKeptThere: boolean): LogEnd | null => {
  const from = (segment: number): number => (segment === kept?.segment ? kept.size : 0);
  const behind = segmentsIn(folder).filter(
    (segment) => kept === null || segment > kept.segment || (segment === kept.segment && isKeptThere),
  );
  let end = kept;
  let isTorn = false;
  for (const segment of behind) {
    const path = segmentPath(folder, segment);
    const after = end?.last ?? 0;
    const none: Sound = { last: after, size: 0, isWhole: false };
    const sound = looking(path, undefined, (file) =>
      file === null || isTorn ? none : soundPart(file, from(segment), after),
    );
    const isEmpty = sound.last === after;
    if (!sound.isWhole || (isEmpty && from(segment) === 0)) cut(path, isEmpty ? from(segment) : sound.size);
    isTorn ||= !sound.isWhole;
    if (!isEmpty) end = { last: sound.last, segment, size: sound.size };
  }
  return end;
};

/** Entries that are written in one go. */
type Part = { readonly bytes: Buffer; readonly first: number; readonly last: number };

function* partsOf(entries: readonly LogEntry[], most: number): Generator<Part> {
  let lines: Buffer[] = [];
  let [length, first] = [0, 0];
  for (const [index, entry] of entries.entries()) {
    const line = encodeLines([entry]);
    if (lines.length === 0) first = entry.sequence;
    lines.push(line);
    length += line.length;
    if (length < most && index < entries.length - 1) continue;
    yield { bytes: Buffer.concat(lines), first, last: entry.sequence };
    [lines, length] = [[], 0];
  }
}

/** Writes into a segment, and waits until the disk has all of it. */
const writeSegment = async (path: string, bytes: Buffer, at: number): Promise<void> => {
  const fd = files().open(path, 'update');
  try {
    writeBytes(fd, bytes, at);
    await files().syncData(fd);
  } finally {
    files().close(fd);
  }
};

const syncNames = (folder: string): void => {
  files().syncFolder(folder);
  files().syncFolder(dirname(folder));
};

export const makeLogFolder = (folder: string): void => {
  if (files().exists(folder)) return;
  files().makeFolder(folder);
  files().syncFolder(dirname(folder));
};

/** The entry that a new segment follows on: where some were lost, not the one of the newest sequence. */
const followed = (folder: string, { segment, size, last }: LogEnd): number =>
  looking(
    segmentPath(folder, segment),
    size,
    (file) => (file === null ? null : (lastEntry(file)?.sequence ?? headingOf(file)?.after)) ?? last,
  );

/** Writes what of a tail no segment has, behind what they have. */
const fold = async (place: Place, { kept, tail }: LogTable, most: number): Promise<LogEnd | null> => {
  const { folder, name } = place;
  makeLogFolder(folder);
  const isKeptThere = kept === null || isThere(folder, kept);
  let end = goOn(folder, kept, isKeptThere);
  if (end !== kept) {
    // Whoever wrote this may have died before the disk had it.
    for (const segment of segmentsIn(folder).filter((one) => one >= (kept?.segment ?? 0)))
      await writeSegment(segmentPath(folder, segment), Buffer.alloc(0), 0);
    syncNames(folder);
  }
  const headingAfter = (before: LogEnd | null): Buffer => {
    const isRead = before !== kept || isKeptThere;
    const after = before !== null && isRead ? followed(folder, before) : (before?.last ?? 0);
    return encodeLines([{ log: name, after }]);
  };
  const known = end?.last ?? 0;
  const missing = tail.filter(({ sequence }) => sequence > known);
  for (const { bytes, first, last } of partsOf(missing, Math.min(most, WRITTEN_AT_ONCE))) {
    const isGoneOn = end !== null && end.size < most && (end !== kept || isKeptThere);
    const [segment, at] = isGoneOn && end !== null ? [end.segment, end.size] : [first, 0];
    const written = isGoneOn ? bytes : Buffer.concat([headingAfter(end), bytes]);
    await writeSegment(segmentPath(folder, segment), written, at);
    if (!isGoneOn) syncNames(folder);
    end = { last, segment, size: at + written.length };
  }
  return end;
};

/** The logs of a home's folder. `segmentBytes`: how large a segment becomes, about; default 4 MiB. */
export const segmentsOf = (home: string, segmentBytes = SEGMENT_BYTES): Segments => {
  const placeOf = (name: string): Place => ({ folder: join(home, name), name });
  return {
    read: (name, kept, range) => read(placeOf(name), kept, range),
    end: (name) => endOf(join(home, name)),
    verify: (name, kept) => {
      const entries = entriesOf(placeOf(name), kept, 0);
      while (entries.next().done !== true);
    },
    fold: async (log) => {
      if (log.tail.length === 0) return log.kept;
      const folder = join(home, log.name);
      const found = endOf(folder);
      if (found !== null && found.last > lastOf(log)) return found;
      return writingLater(folder, () => fold(placeOf(log.name), log, segmentBytes));
    },
  };
};

/** The logs once the segments have all of them: what a snapshot is to say. */
export const foldLogs = async (
  segments: Segments | null,
  logs: ReadonlyMap<string, LogTable>,
): Promise<Map<string, LogTable>> => {
  const folded = new Map<string, LogTable>();
  for (const [name, log] of logs)
    folded.set(name, createLogTable(name, { kept: (await segments?.fold(log)) ?? null, tail: [] }));
  return folded;
};
