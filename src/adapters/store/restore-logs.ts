/** Making the segments of a log again of what can be read of them, and of what the journals have still. */
import { join } from 'node:path';
import { encodeLines } from '../journal-lines.js';
import { files } from '../machine.js';
import { writeWhole } from '../whole-file.js';
import { makeLogFolder, segmentPath, segmentsIn } from './log-segments.js';
import { entryOf, headingOf, linesFrom, openSegment } from './segment-file.js';
import type { LogEnd, LogEntry } from './store-data.js';

/** A log as the snapshots and the journals know of it. */
export type KnownLog = {
  readonly name: string;
  /** All that the journals have, by sequence. */
  readonly entries: ReadonlyMap<number, LogEntry>;
  /** The newest sequence that anything here tells of. */
  readonly reached: number;
};

export type RestoredLog = { readonly kept: LogEnd | null; readonly lost: number };

/** One segment as it can be read: null stands where a line is not what was written. */
type Salvaged = {
  readonly segment: number;
  readonly path: string;
  readonly after: number | null;
  readonly lines: readonly (LogEntry | null)[];
};

const salvage = (folder: string, segment: number): Salvaged => {
  const path = segmentPath(folder, segment);
  const file = openSegment(path);
  if (file === null) return { segment, path, after: null, lines: [] };
  try {
    const after = headingOf(file)?.after ?? null;
    const lines = Array.from(linesFrom(file, 0), entryOf);
    return { segment, path, after, lines: after === null ? lines : lines.slice(1) };
  } finally {
    files().close(file.fd);
  }
};

/** A segment as it is made again. */
type Remade = {
  readonly entries: readonly LogEntry[];
  /** Sequences of which nobody knows what stood under them. */
  readonly lost: number;
  readonly isSound: boolean;
};

/** @param before - the newest sequence of the segments before it */
const remake = ({ after, lines }: Salvaged, before: number, known: KnownLog['entries']): Remade => {
  const entries: LogEntry[] = [];
  let [last, lost] = [before, 0];
  let isSound = after === before;
  let isGap = !isSound;
  for (const line of lines) {
    if (line === null || line.sequence <= last) {
      [isSound, isGap] = [false, true];
      continue;
    }
    // Between sound lines nothing is missing but what was lost before.
    for (let sequence = last + 1; isGap && sequence < line.sequence; sequence += 1) {
      const found = known.get(sequence);
      if (found === undefined) lost += 1;
      else entries.push(found);
    }
    entries.push(line);
    last = line.sequence;
    isGap = false;
  }
  return { entries, lost, isSound };
};

/**
 * Makes the segments of a log again where they are damaged, and puts behind them what the journals have. What is sound is
 * left as it is. No sequence is given again, whatever is lost.
 *
 * @param keep - lets a file stand under another name too, before it is replaced
 */
export const restoreLog = async (
  home: string,
  { name, entries: known, reached }: KnownLog,
  keep: (path: string) => void,
): Promise<RestoredLog> => {
  const folder = join(home, name);
  let kept: LogEnd | null = null;
  let [last, lost] = [0, 0];
  const write = async (segment: number, after: number, entries: readonly LogEntry[]): Promise<void> => {
    const bytes = encodeLines([{ log: name, after }, ...entries]);
    await writeWhole(segmentPath(folder, segment), bytes);
    last = entries.at(-1)?.sequence ?? after;
    kept = { last, segment, size: bytes.length };
  };
  for (const segment of segmentsIn(folder)) {
    const salvaged = salvage(folder, segment);
    const remade = remake(salvaged, last, known);
    lost += remade.lost;
    if (remade.isSound) {
      // The name of one that holds nothing says what was lost before it.
      last = remade.entries.at(-1)?.sequence ?? segment - 1;
      kept = { last, segment, size: files().stat(salvaged.path)?.size ?? 0 };
      continue;
    }
    keep(salvaged.path);
    await write(segment, last, remade.entries);
  }
  const behind = [...known.values()]
    .filter(({ sequence }) => sequence > last)
    .sort((one, other) => one.sequence - other.sequence);
  if (last < reached) {
    makeLogFolder(folder);
    lost += reached - last - behind.length;
    // A name that no later segment is given, also when there is nothing to stand in it.
    await write(behind[0]?.sequence ?? reached + 1, last, behind);
  }
  return { kept: kept === null ? null : { ...kept, last: Math.max(kept.last, reached) }, lost };
};
