/** Amounts as people write them, in an asset that is known: the unit has to be the asset's. */
import { readAmountWithUnit, type AmountWithUnit } from '../bch/amount-with-unit.js';
import type { Reading } from '../bch/reading.js';
import { tokenCollection, type Asset, type TokenRecord } from './assets.js';
import type { StoreReader } from '../operation/ports/store.js';

/** What of an asset a unit is held against. */
export type AssetName = Pick<Asset, 'category' | 'symbol'>;

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** A unit as it is shown. */
export const unitName = (unit: NonNullable<AmountWithUnit['unit']>): string =>
  typeof unit === 'string' ? unit.toUpperCase() : unit.symbol;

/** What is expected of an amount in an asset; null where its unit is the asset's, or it has none. */
export const unitProblem = (
  { decimal, unit }: AmountWithUnit,
  { category, symbol }: AssetName,
): string | null => {
  if (unit === null) return null;
  if (category === null) return unit === 'bch' ? null : `an amount in BCH, such as "${decimal} BCH"`;
  if (typeof unit === 'object' && [symbol, category].some((name) => isSame(unit.symbol, name))) return null;
  return `an amount of ${symbol} (category ${category}): write ${decimal} alone`;
};

/**
 * Reads an amount of an asset. Dollars are none: they have a rate.
 *
 * @returns the plain decimal text that operations take, or what was expected
 * @example
 * readAmountOf('25000 sats', BCH); // { value: '0.00025' }
 */
export const readAmountOf = (written: string, asset: AssetName): Reading<string> => {
  const reading = readAmountWithUnit(written);
  if ('problem' in reading) return reading;
  const problem = unitProblem(reading.value, asset);
  return problem === null ? { value: reading.value.decimal } : { problem };
};

/** How many categories are told apart in one message. */
const MOST_TOLD = 5;

/**
 * The one token of this home with a symbol, in any case.
 *
 * @returns the token, or what was expected: a symbol is no proof of anything, and two of one name are told apart by
 *   their category alone
 */
export const findToken = async (symbol: string, store: StoreReader): Promise<Reading<TokenRecord>> => {
  const where = { symbol: symbol.toLowerCase() };
  const { items, total } = await store.find(tokenCollection, { where, limit: MOST_TOLD });
  const [token] = items;
  if (token === undefined) {
    return {
      problem: `a token that this home knows, and it knows no ${symbol}: \`treasury tokens list\` shows those there are, \`treasury tokens add\` makes one known`,
    };
  }
  if (total === 1) return { value: token };
  const categories = items.map(({ id }) => id).join(', ');
  return {
    problem: `the category of one token, and ${total} are called ${token.symbol} here: give --token-category with one of ${categories}`,
  };
};
