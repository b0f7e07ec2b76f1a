/** Writing a store as a snapshot: what has not changed is taken over from the snapshot before as it stands there. */
import type { Memory } from './memory.js';
import {
  BETWEEN,
  beginningOf,
  placeLine,
  rangeOf,
  valueLines,
  type Place,
  type Places,
} from './order-list.js';
import { walkSlots } from './ordered-slots.js';
import {
  FIRST_LINE,
  lastLine,
  type CollectionContents,
  type Contents,
  type Section,
} from './snapshot-contents.js';
import { requireDocument } from './snapshot-file.js';
import { checksum, checksumText, damaged } from './store-data.js';
import { ordersOf, type Table } from './table.js';
import { crc32 } from 'node:zlib';

/** Bytes that are read of the snapshot before in one go. */
const READ_BYTES = 1 << 18;

/** Where the next byte is written, and whether an entry stands before it in its list. */
type Pen = { at: number; isFirst: boolean };

/** What is written next. */
type Parts = Generator<Buffer, void>;

function* write(pen: Pen, bytes: Buffer): Parts {
  pen.at += bytes.length;
  yield bytes;
}

/** Writes entries of a list; what is between them and those before comes first. */
function* writeEntries(pen: Pen, entries: Buffer): Parts {
  if (!pen.isFirst) yield* write(pen, BETWEEN);
  pen.isFirst = false;
  yield* write(pen, entries);
}

/** Documents that stand one after the other in the snapshot before, each of them checked. */
function* copyDocuments(
  pen: Pen,
  { file, places, path, name }: Source,
  [from, to]: readonly [from: number, to: number],
  note: (place: Place) => void,
): Parts {
  for (let start = from; start < to;) {
    const first = places.place(start);
    const run: Place[] = [];
    while (start < to) {
      const place = places.place(start);
      if (run.length > 0 && place.at + place.length - first.at > READ_BYTES) break;
      run.push(place);
      start += 1;
    }
    const last = run.at(-1) ?? first;
    const bytes = file.bytes(first.at, last.at + last.length - first.at);
    const written = pen.at + (pen.isFirst ? 0 : BETWEEN.length);
    for (const place of run) {
      const at = place.at - first.at;
      requireDocument(bytes.subarray(at, at + place.length), place, () =>
        damaged(path, `a document of ${name}`),
      );
      note({ ...place, at: written + at });
    }
    yield* writeEntries(pen, bytes);
  }
}

/** The snapshot before, as far as it holds a collection. */
type Source = {
  readonly file: NonNullable<Memory['file']>;
  readonly places: Places;
  readonly path: string;
  readonly name: string;
};

/** The documents of a table in order; `note` is told where each was written. */
function* writeDocuments(pen: Pen, table: Table, source: Source | null, note: (place: Place) => void): Parts {
  // What stays as it is, up to an index of the places of the snapshot before.
  let next = 0;
  function* copyTo(order: number): Parts {
    if (source === null) return;
    const { places } = source;
    const { gone } = table.all;
    while (next < places.size && places.at(next) < order) {
      let end = next;
      while (end < places.size && places.at(end) < order && !gone.has(places.at(end))) end += 1;
      if (end > next) yield* copyDocuments(pen, source, [next, end], note);
      next = end;
      while (next < places.size && gone.has(places.at(next))) next += 1;
    }
  }
  for (const { order, row } of walkSlots(table.all.added, 'oldest')) {
    yield* copyTo(order);
    const document = Buffer.from(row?.text ?? '');
    const at = pen.at + (pen.isFirst ? 0 : BETWEEN.length);
    yield* writeEntries(pen, document);
    note({ order, at, length: document.length, checksum: checksum(document) });
  }
  yield* copyTo(Infinity);
}

/** Writes lines of a list, and says where they stand. */
function* writeSection(pen: Pen, parts: Iterable<Buffer>): Generator<Buffer, Section> {
  let begin = pen.at;
  let crc = 0;
  let length = 0;
  for (const part of parts) {
    if (length > 0) crc = crc32(BETWEEN, crc);
    else begin = pen.at + (pen.isFirst ? 0 : BETWEEN.length);
    yield* writeEntries(pen, part);
    crc = crc32(part, crc);
    length = pen.at - begin;
  }
  return [begin, length, checksumText(crc)];
}

const LINE_BREAK = BETWEEN.length;
/** Lines that stand after one another, without what is between them and the next. */
const withoutEnd = (lines: Buffer): Buffer =>
  lines.length >= LINE_BREAK && lines.subarray(-LINE_BREAK).equals(BETWEEN)
    ? lines.subarray(0, -LINE_BREAK)
    : lines;

/** Sorted lines with those of some values in the place of what stood there of them. */
function* mergeLines(
  lines: Buffer,
  values: Iterable<string>,
  ordersUnder: (value: string) => readonly number[],
) {
  const sorted = Array.from(values, (value) => ({ value, beginning: beginningOf(value) })).sort((a, b) =>
    a.beginning.compare(b.beginning),
  );
  let next = 0;
  for (const { value, beginning } of sorted) {
    const [from, to] = rangeOf(lines, beginning);
    if (from > next) yield withoutEnd(lines.subarray(next, from));
    next = to;
    const own = valueLines(value, ordersUnder(value));
    if (own.length > 0) yield Buffer.from(own.join(BETWEEN.toString()));
  }
  if (lines.length > next) yield withoutEnd(lines.subarray(next));
}

const NOTHING = Buffer.alloc(0);
const NO_RECORDS: Pick<CollectionContents, 'count' | 'places'> = {
  count: 0,
  places: [0, 0, checksumText(0)],
};

/** The lines of the index of ids. */
const idLines = ({ kept, changed }: Table): Iterable<Buffer> =>
  mergeLines(kept?.idLines() ?? NOTHING, changed.keys(), (id) => {
    const entry = changed.get(id);
    return entry?.row ? [entry.order] : [];
  });

const indexLines = (table: Table, name: string): Iterable<Buffer> =>
  mergeLines(table.kept?.lines(name) ?? NOTHING, table.indexes.get(name)?.keys() ?? [], (value) =>
    ordersOf(table, name, value),
  );

/** Lines of places in pieces. */
function* placeParts(lines: readonly string[]): Generator<Buffer> {
  const AT_ONCE = 4_096;
  for (let from = 0; from < lines.length; from += AT_ONCE)
    yield Buffer.from(lines.slice(from, from + AT_ONCE).join(BETWEEN.toString()));
}

/** A store as the bytes of a snapshot's file, part by part. @throws store_damaged when what is taken over is damaged */
export function* snapshotParts(memory: Memory, schema: number, path: string): Parts {
  const { tables, file, sequence, lastOrder, counters, logs } = memory;
  // What stands in no segment would be lost with the journal.
  if ([...logs.values()].some(({ tail }) => tail.length > 0))
    throw new Error('a snapshot of a store whose logs are not folded');
  const pen: Pen = { at: 0, isFirst: true };
  const placesOf = new Map<string, string[]>();
  yield* write(pen, Buffer.from(FIRST_LINE));
  for (const [name, table] of tables) {
    const lines: string[] = [];
    placesOf.set(name, lines);
    const source =
      file === null || table.kept === null ? null : { file, places: table.kept.places(), path, name };
    yield* writeDocuments(pen, table, source, (place) => {
      lines.push(placeLine(place));
    });
  }
  const sections = new Map<string, { readonly count: number; readonly places: Section }>();
  yield* write(pen, Buffer.from('\n],"places":[\n'));
  pen.isFirst = true;
  for (const [name, lines] of placesOf) {
    sections.set(name, { count: lines.length, places: yield* writeSection(pen, placeParts(lines)) });
    placesOf.delete(name);
  }
  yield* write(pen, Buffer.from('\n],"index":[\n'));
  pen.isFirst = true;
  const collections: Record<string, CollectionContents> = {};
  for (const [name, table] of tables) {
    const { count, places } = sections.get(name) ?? NO_RECORDS;
    const ids = yield* writeSection(pen, idLines(table));
    const indexes: Record<string, Section> = {};
    for (const index of table.names ?? [])
      indexes[index] = yield* writeSection(pen, indexLines(table, index));
    collections[name] = { count, places, ids, indexes: table.names === null ? null : indexes };
  }
  yield* write(pen, Buffer.from('\n],\n'));
  const contents: Contents = {
    schema,
    sequence,
    lastOrder,
    counters: Object.fromEntries(counters),
    logs: Object.fromEntries([...logs].flatMap(([name, { kept }]) => (kept === null ? [] : [[name, kept]]))),
    collections,
  };
  yield Buffer.from(lastLine(contents, pen.at));
}
