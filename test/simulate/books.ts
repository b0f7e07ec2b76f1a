/** An own ledger of a world, and who is who in it. */
import { parseAddress } from '../../src/bch/address.js';
import { BCH, type Asset, type Entry, type Ledger, type Purse } from './ledger.js';
import { NETWORK } from './processes.js';
import type { Known, OpenedWorld } from './world.js';

/** What goes along with tokens, threads and ballots, and comes back with them; satoshis. */
export const DUST = 12_000n;

/** True when more comes than what goes along with tokens and threads. */
export const isMoney = (asset: Asset, units: bigint): boolean => units > (asset === BCH ? 2_000n : 0n);

export type Covenant = Purse & { readonly record: Known | null; readonly voter: string | null };

export type Books = {
  readonly world: OpenedWorld;
  readonly ledger: Ledger;
  readonly nameOf: (address: string) => string;
  /** What was built, by the ids of what was signed. */
  readonly builds: ReadonlyMap<string, string>;
};

export const lockOf = (address: string): string => parseAddress(address, NETWORK).lockingBytecode;

export const changeOf = (entry: Entry, purse: Purse, asset: Asset): bigint =>
  entry.changes.get(purse)?.get(asset) ?? 0n;

export const covenantsIn = ({ changes }: Entry): readonly Covenant[] =>
  [...changes.keys()].filter((purse): purse is Covenant => purse.kind === 'covenant');

/** The spend of a vault that a transaction is: what it pays to others is just that. */
export const spendIn = (entry: Entry, vault: Covenant, { world }: Books) => {
  const outside = entry.outputs.filter(({ purse, lock }) => purse !== vault && !lock.startsWith('6a'));
  const [only] = outside;
  if (outside.length !== 1 || only === undefined) return undefined;
  return world.spends.find(
    ({ pays, vault: { tag } }) =>
      tag === vault.name &&
      pays.to === only.lock &&
      pays.token === only.amount &&
      (pays.token > 0n || pays.satoshis === only.satoshis),
  );
};
