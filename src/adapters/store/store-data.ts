/** What a store holds, without the files that it stands in. */
import { crc32 } from 'node:zlib';
import { TreasuryError } from '../../errors.js';
import type { RawRecord } from './record-row.js';

/** What a store holds, as it stands on disk. Records of a collection are in the order of their first put. */
export type StoreData = {
  readonly counters: Readonly<Record<string, number>>;
  readonly collections: Readonly<Record<string, readonly RawRecord[]>>;
};

/** All of a store, read. */
export type Snapshot = StoreData & {
  /** Version of the layout of the records. */
  readonly schema: number;
  /** The last commit that is folded in; journal lines up to this one are skipped. */
  readonly sequence: number;
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
