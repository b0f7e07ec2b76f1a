/** A snapshot's file, open: what is asked for is read where it lies, and checked; the rest is not touched. */
import { remembered } from '../../bch/remembered.js';
import { storageFailure } from '../../storage-failure.js';
import { files, isErrno, readBytes } from '../machine.js';
import { decodeEarlier } from './earlier-snapshot.js';
import { NO_ORDERS, ordersUnder, placesIn, type OrderList, type Place, type Places } from './order-list.js';
import type { RawRecord } from './record-row.js';
import {
  ENDING_LENGTH,
  FIRST_LINE,
  lastLineAt,
  readLastLine,
  type Contents,
  type Section,
} from './snapshot-contents.js';
import { checksum, damaged, type Snapshot } from './store-data.js';

/** A collection as the file has it. */
export type KeptTable = {
  /** The stored names of its indexes; null: whoever wrote the file did not know the collection. */
  readonly names: readonly string[] | null;
  readonly places: () => Places;
  /** The orders under a value of an index. */
  readonly find: (name: string, value: string) => OrderList;
  /** Null when there is no such record. */
  readonly orderOf: (id: string) => number | null;
  /** The record of an order, as JSON; of one that was asked for of late the same text. @throws as `readText` */
  readonly text: (order: number) => string;
  /** The record of an order, as JSON, read from the file. @throws store_damaged when it is not what was written */
  readonly readText: (order: number) => string;
  /** The sorted lines of an index. @throws store_damaged when they are not what was written */
  readonly lines: (name: string) => Buffer;
  readonly idLines: () => Buffer;
};

export type SnapshotFile = {
  readonly contents: Contents;
  readonly tables: ReadonlyMap<string, KeptTable>;
  /** Documents as they stand in the file, with what is between them. */
  readonly bytes: (at: number, length: number) => Buffer;
  /** Bytes. */
  readonly size: number;
  readonly close: () => void;
};

/** @throws store_damaged when a document is not what was written */
export const requireDocument = (
  document: Buffer,
  { length, checksum: expected }: Place,
  fail: () => Error,
) => {
  if (document.length !== length || checksum(document) !== expected) throw fail();
};

/** What was read once, and is kept. */
const once = <T>(read: () => T): (() => T) => {
  let kept: T | undefined;
  return () => (kept ??= read());
};

/** An open file: its name, and its bytes. */
type Opened = { readonly path: string; readonly bytes: SnapshotFile['bytes'] };

const readSection = (
  { path, bytes: read }: Opened,
  [at, length, expected]: Section,
  what: string,
): Buffer => {
  const bytes = read(at, length);
  if (bytes.length !== length || checksum(bytes) !== expected) throw damaged(path, what);
  return bytes;
};

/** Texts of records that are kept: what they were read as is kept under them too. */
const KEPT_TEXTS = 1_000;

/** `read`, which keeps its last texts: the file does not change. */
const keepingTexts = (read: (order: number) => string): ((order: number) => string) => {
  const kept = new Map<number, string>();
  return (order) => {
    const before = kept.get(order);
    if (before !== undefined) return before;
    const text = read(order);
    if (kept.size >= KEPT_TEXTS) for (const oldest of kept.keys()) if (kept.delete(oldest)) break;
    kept.set(order, text);
    return text;
  };
};

/** Values of a list whose orders are kept. */
const KEPT_VALUES = 1_000;

/** The orders under a value of a list: the file does not change, so they are looked up once. */
const lookedUp = (lines: () => Buffer): ((value: string) => OrderList) =>
  remembered(KEPT_VALUES, (value) => Object.freeze(ordersUnder(lines(), value)));

const openTable = (opened: Opened, name: string, contents: Contents['collections'][string]): KeptTable => {
  const { path, bytes } = opened;
  const places = once(() => placesIn(readSection(opened, contents.places, `the places of ${name}`)));
  const idLines = once(() => readSection(opened, contents.ids, `the ids of ${name}`));
  const indexes = new Map(
    Object.entries(contents.indexes ?? {}).map(([index, section]) => [
      index,
      once(() => readSection(opened, section, `the index ${index} of ${name}`)),
    ]),
  );
  const found = new Map([...indexes].map(([index, read]) => [index, lookedUp(read)]));
  const foundIds = lookedUp(idLines);
  const lines = (index: string): Buffer => indexes.get(index)?.() ?? Buffer.alloc(0);
  const readText = (order: number): string => {
    const index = places().indexOf(order);
    const place = places().place(index);
    const document = bytes(place.at, place.length);
    requireDocument(document, place, () => damaged(path, `document ${index + 1} of ${name}`));
    return document.toString('utf8');
  };
  return {
    names: contents.indexes === null ? null : Object.keys(contents.indexes),
    places,
    idLines,
    lines,
    find: (index, value) => found.get(index)?.(value) ?? NO_ORDERS,
    orderOf: (id) => {
      const orders = foundIds(id);
      return orders.size === 0 ? null : orders.at(0);
    },
    text: keepingTexts(readText),
    readText,
  };
};

const openOrNull = (path: string): number | null => {
  try {
    return files().open(path, 'read');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw storageFailure(error) ?? error;
  }
};

const openToday = (path: string, fd: number, size: number): SnapshotFile => {
  let isClosed = false;
  const bytes = (at: number, length: number): Buffer => {
    // The number of a closed file may name another one by now.
    if (isClosed) throw new Error(`the snapshot ${path} is closed`);
    return readBytes(fd, at, at + length);
  };
  const ending = bytes(Math.max(0, size - ENDING_LENGTH), ENDING_LENGTH).toString('utf8');
  const at = lastLineAt(path, ending);
  const contents = readLastLine(path, bytes(at, Math.max(0, size - at)).toString('utf8'));
  const tables = Object.entries(contents.collections).map(
    ([name, one]) => [name, openTable({ path, bytes }, name, one)] as const,
  );
  return {
    contents,
    tables: new Map(tables),
    bytes,
    size,
    close: () => {
      if (!isClosed) files().close(fd);
      isClosed = true;
    },
  };
};

/** What stands at a path: a file of today, one of an earlier version (read whole), or nothing. */
export type Found =
  | { readonly form: 'today'; readonly file: SnapshotFile }
  | { readonly form: 'earlier'; readonly snapshot: Snapshot }
  | null;

/** Opens a snapshot's file. @throws store_damaged when its contents are not what was written */
export const openSnapshot = (path: string): Found => {
  const fd = openOrNull(path);
  if (fd === null) return null;
  let isKept = false;
  try {
    const { size } = files().statOpen(fd);
    if (readBytes(fd, 0, Math.min(size, FIRST_LINE.length)).toString('utf8') === FIRST_LINE) {
      const file = openToday(path, fd, size);
      isKept = true;
      return { form: 'today', file };
    }
    return { form: 'earlier', snapshot: decodeEarlier(path, readBytes(fd, 0, size)) };
  } finally {
    if (!isKept) files().close(fd);
  }
};

/** Every record of a collection as JSON, in order. @throws store_damaged */
export function* textsOf(table: KeptTable): Generator<{ readonly order: number; readonly text: string }> {
  const places = table.places();
  for (let index = 0; index < places.size; index += 1) {
    const order = places.at(index);
    yield { order, text: table.readText(order) };
  }
}

/** Reads every part of a file. @throws store_damaged when one is not what was written */
export const verifySnapshot = ({ tables }: SnapshotFile): void => {
  for (const table of tables.values()) {
    table.idLines();
    for (const index of table.names ?? []) table.lines(index);
    const texts = textsOf(table);
    while (texts.next().done !== true);
  }
};

/** All that a file holds, every part of it checked. @throws store_damaged */
export const wholeSnapshot = (file: SnapshotFile): Snapshot => {
  verifySnapshot(file);
  const { contents, tables } = file;
  const collections: Record<string, RawRecord[]> = {};
  for (const [name, table] of tables) {
    collections[name] = Array.from(textsOf(table), ({ text }) => JSON.parse(text) as RawRecord);
  }
  const { schema, sequence, counters } = contents;
  const logs = Object.fromEntries(
    Object.entries(contents.logs).map(([name, kept]) => [name, { kept, tail: [] }]),
  );
  return { schema, sequence, counters, collections, logs };
};
