/**
 * Records beside those of covenants that the chain cannot give: what people said, and what other records hang on. The
 * file of `deployments export` keeps them. Each product's `index.ts` exports its own; the registry imports no product.
 */
import type { Network } from '../bch/network.js';
import type { Finding } from '../covenant/genesis.js';
import type { Awaitable, Collection, StoreReader } from '../operation/ports/store.js';

/** A record that another one is nothing without. `collection` null: of any kind. */
export type Need = {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collection: Collection<any> | null;
  readonly id: string;
};

/** What a kept is checked beside: the file, and the store that it is taken into. */
export type Beside = { readonly store: StoreReader; readonly network: Network };

export type KeptRecord<R extends { readonly id: string } = { readonly id: string }> = {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collection: Collection<any>;
  /** The record as a file for anybody keeps it; null: it is not kept, since the chain gives it. */
  readonly pack: (record: R) => R | null;
  /** What must be there with it. */
  readonly needs: (record: R) => readonly Need[];
  /** What two records of one id must have in common; what else they say may have changed since. */
  readonly identity: (record: R) => unknown;
  /** What no two records may share (the one vote of a voter); null: nothing. */
  readonly unique: (record: R) => string | null;
  /** What people call it; null: it has no name. */
  readonly label: (record: R) => string | null;
  /** What its labels begin with, where they are counted. */
  readonly labelKind: string | null;
  /** What the labels begin with that are its home's own (`VAULT`): in another home it may have another. */
  readonly localLabelKind: string | null;
  readonly check: (record: R, beside: Beside) => Awaitable<readonly Finding[]>;
};

type Optional = 'needs' | 'identity' | 'unique' | 'label' | 'labelKind' | 'localLabelKind' | 'check';

/** Declares a kept and forgets its record's type. Without `identity`, what is packed must be the same. */
export const defineKeptRecord = <R extends { readonly id: string }>(
  declared: Omit<KeptRecord<R>, Optional> & Partial<Pick<KeptRecord<R>, Optional>>,
): KeptRecord => {
  const kept: KeptRecord<R> = {
    needs: () => [],
    identity: declared.pack,
    unique: () => null,
    label: () => null,
    labelKind: null,
    localLabelKind: null,
    check: () => [],
    ...declared,
  };
  return kept as unknown as KeptRecord;
};
