/** Replies of the API, as far as the page reads them. */
import type { Column, ColumnKind } from '../operation/columns.js';
import type { Tone, ViewBlock } from '../operation/view.js';

export type { Column, ColumnKind, Tone };

/** A block as it comes over HTTP: no drawing, and whole columns. */
export type Block =
  | Exclude<ViewBlock, { readonly kind: 'table' | 'drawing' }>
  | (Omit<Extract<ViewBlock, { readonly kind: 'table' }>, 'head'> & { readonly head: readonly Column[] });

/** Any reply. */
export type Reply = {
  readonly success: boolean;
  readonly view?: readonly Block[];
  /** True: the chain cannot be reached, and this is what was last known. */
  readonly chain_stale?: true;
  /** Unix seconds. */
  readonly chainTime?: number;
  readonly [name: string]: unknown;
};
