/** Amounts and shares as pictures write them. */
import { showAmount, type Unit } from '../amounts.js';

/** What an amount is in. */
export type Asset = Unit & {
  /** What the token is called; absent: nobody knows. */
  readonly symbol?: string | undefined;
};

/** An amount in the smallest unit, as text: `1.5 BCH`. */
export const amountText = (units: bigint, asset: Asset): string => showAmount(units, asset, asset.symbol);

/** The share of an amount in another in percent, rounded down; `0 %` of nothing. */
export const percentOf = (part: bigint, whole: bigint): string =>
  `${whole === 0n ? 0n : (part * 100n) / whole}\u00a0%`;

/** Sentences in a row: those of null are left out. */
export const sentences = (parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null).join(' ');
