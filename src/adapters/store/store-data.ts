/** What a store holds, without the files that it stands in. */
import type { RawRecord } from './record-row.js';

/** What a store holds, as it stands on disk. Records of a collection are in the order of their first put. */
export type StoreData = {
  readonly counters: Readonly<Record<string, number>>;
  readonly collections: Readonly<Record<string, readonly RawRecord[]>>;
};

export type Snapshot = StoreData & {
  /** Version of the layout of the records. */
  readonly schema: number;
  /** The last commit that is folded in; journal lines up to this one are skipped. */
  readonly sequence: number;
};
