/** Amounts of records for people: exact, and with their unit, so that they can be typed back in. */
import { formatUnits } from '../bch/amount.js';

/** What amounts are in: of a token its category, in whose place the command line shows the symbol that it knows. */
export type InAsset = { readonly decimals: number; readonly category: string | null };

/**
 * How amounts of an asset read, of their smallest unit.
 *
 * @example
 * amountsIn({ decimals: 8, category: null })('2'); // '0.00000002 BCH'
 */
export const amountsIn =
  ({ decimals, category }: InAsset) =>
  (units: string | bigint): string =>
    `${formatUnits(BigInt(units), decimals)} ${category ?? 'BCH'}`;
