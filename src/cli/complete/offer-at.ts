/** What completion offers in the place of a value, kept beside the flag or the word by position that takes it. */
import type { Argument, Option } from 'commander';
import { networkNames } from '../../bch/network.js';
import type { HomeNames } from './home-names.js';

/** Words that are known, or where they are found: in the file system, or among the names of a home. */
export type Values =
  | { readonly words: readonly string[] }
  | { readonly from: 'files' | 'folders' | keyof Omit<HomeNames, 'labels'> }
  /** Labels of the records of a noun; of all, when that is null. */
  | { readonly labelsOf: string | null };

const offered = new WeakMap<Option | Argument, Values>();

/** Says what is offered for the value of a flag or of a word by position. */
export const offerAt = <Place extends Option | Argument>(place: Place, values: Values | null): Place => {
  if (values !== null) offered.set(place, values);
  return place;
};

/** What {@link offerAt} has said; null: nothing. */
export const offeredAt = (place: Option | Argument): Values | null => offered.get(place) ?? null;

/** Values of the global flags that come with one. */
export const GLOBAL_VALUES: Readonly<Record<string, Values>> = {
  home: { from: 'folders' },
  network: { words: networkNames },
  wallet: { from: 'wallets' },
  as: { from: 'parties' },
};
