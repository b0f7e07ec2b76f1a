/** Telling an event, for what knows no record: the log itself belongs to records. */
import type { StoreWriter } from './store.js';

/** An event that is no move. */
export type ToldEvent = {
  /** `key.created`. */
  readonly type: string;
  /** Unix seconds. */
  readonly time: number;
  readonly subject: { readonly kind: string; readonly label: string; readonly id: string } | null;
  /** Cash addresses of those whom it concerns. */
  readonly parties: string[];
  readonly data: Record<string, unknown>;
};

/** Writes an event behind all others, inside a change of the store. */
export type TellEvent = (writer: StoreWriter, told: ToldEvent) => Promise<unknown>;
