/** How long what lives on refills lasts: what a product says of its own to whoever refills it. */
import type { StoreReader } from '../operation/ports/store.js';
import type { Matter } from './matter.js';

/** Something that runs dry unless it is refilled. */
export type Runway = {
  /** What the record is called. */
  readonly label: string;
  /** Cash address that it pays, and what that is called; null: nothing. */
  readonly to: string;
  readonly toName: string | null;
  /** What it holds. */
  readonly held: NonNullable<Matter['amount']>;
  /** When the last that it holds falls due, unix seconds; null: it holds nothing. */
  readonly at: number | null;
};

/** Reads what some address has to refill, from what is stored, through an index. */
export type RunwaysOf = (store: StoreReader, sender: string) => Promise<readonly Runway[]>;
