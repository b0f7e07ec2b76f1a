/** What a store holds, without the files that it stands in. */
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { TreasuryError } from '../../errors.js';
import type { RawRecord } from './record-row.js';

/** What a store holds, as it stands on disk. Records of a collection are in the order of their first put. */
export type StoreData = {
  readonly counters: Readonly<Record<string, number>>;
  readonly collections: Readonly<Record<string, readonly RawRecord[]>>;
};

/** How far the segments of a log reach: the newest sequence, the segment it stands in, and where its line ends there. */
export const LogEnd = z.object({
  last: z.int().positive(),
  /** The first sequence that it was made for: its name. */
  segment: z.int().positive(),
  /** Bytes. */
  size: z.int().positive(),
});
export type LogEnd = z.output<typeof LogEnd>;

/** An entry of a log as it stands on disk. */
export type LogEntry = { readonly sequence: number; readonly entry: object };

/** A log: what stands in segments, up to an end, and what has come since. */
export type LogData = { readonly kept: LogEnd | null; readonly tail: readonly LogEntry[] };

/** All of a store, read. */
export type Snapshot = StoreData & {
  /** Version of the layout of the records. */
  readonly schema: number;
  /** The last commit that is folded in; journal lines up to this one are skipped. */
  readonly sequence: number;
  /** By name. None: a store of before there were logs. */
  readonly logs?: Readonly<Record<string, LogData>>;
};

/** A store that holds nothing. */
export const emptySnapshot = (schema: number): Snapshot => ({
  schema,
  sequence: 0,
  counters: {},
  collections: {},
});

export const RESTORE_REMEDY = 'run `treasury doctor --restore`, or put the folder back from a backup';

/** What is not what was written. */
export const damaged = (file: string, where: string, cause?: unknown): TreasuryError =>
  new TreasuryError('store_damaged', { file, where, remedy: RESTORE_REMEDY }, { cause });

/** A checksum as the files have it: 8 hex digits. */
export const checksum = (content: string | Uint8Array): string => checksumText(crc32(content));

/** A crc32 as the files have it. */
export const checksumText = (crc: number): string => crc.toString(16).padStart(8, '0');
