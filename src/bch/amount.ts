/**
 * Amounts: bigint in the smallest unit inside, display units only at the edge, and nothing is ever rounded.
 */
import { TreasuryError } from '../errors.js';

/** 1 BCH is 10^8 satoshis. */
export const BCH_DECIMALS = 8;
/** Fungible token amounts are at most 2^63 - 1. Source: CashTokens CHIP. */
export const MAXIMUM_TOKEN_AMOUNT = 9_223_372_036_854_775_807n;
/** 21 million BCH in satoshis. */
export const MAXIMUM_SATOSHIS = 2_100_000_000_000_000n;

/** A non-negative amount as it was written, not yet tied to an asset's decimals. */
export type WrittenAmount = {
  /** Plain decimal text without exponent, sign or superfluous zeros: `0.3`. */
  readonly decimal: string;
  /** True when it came as a JSON number, which carries 53 bits and no more. */
  readonly isNumber: boolean;
};

/**
 * The smaller of two amounts.
 *
 * @example
 * least(2n, 3n); // 2n
 */
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
/**
 * The larger of two amounts.
 *
 * @example
 * most(2n, 3n); // 3n
 */
export const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const plainDecimal = /^\d+(?:\.\d+)?$/;
/** Room for any amount there is. Trimming a run of zeros takes the square of its length, so none may be endless. */
const LONGEST = 100;
const scientific = /^(\d+)(?:\.(\d+))?e([+-]\d+)$/;

/** `1e-8` becomes `0.00000001`; numbers print without exponent between 1e-7 and 1e21 already. */
const expandExponent = (text: string): string => {
  const match = scientific.exec(text);
  if (match === null) return text;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length
    ? digits.padEnd(point, '0')
    : `${digits.slice(0, point)}.${digits.slice(point)}`;
};

const trimZeros = (text: string): string => {
  const [whole = '0', fraction = ''] = text.split('.');
  const significant = fraction.replace(/0+$/, '');
  return `${whole.replace(/^0+(?=\d)/, '')}${significant === '' ? '' : `.${significant}`}`;
};

/**
 * Reads an amount as a person or a program wrote it: a JSON number or a plain decimal string.
 *
 * @returns null when it is none (negative, not finite, `1,5`, `1e3` as a string, empty)
 * @example
 * readAmount(1e-8); // { decimal: '0.00000001', isNumber: true }
 * readAmount('0.30'); // { decimal: '0.3', isNumber: false }
 * readAmount('1,5'); // null
 */
export const readAmount = (value: unknown): WrittenAmount | null => {
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || value < 0) return null;
    return { decimal: trimZeros(expandExponent(String(value))), isNumber: true };
  }
  if (typeof value !== 'string' || value.length > LONGEST || !plainDecimal.test(value)) return null;
  return { decimal: trimZeros(value), isNumber: false };
};

/**
 * The amount in the smallest unit of an asset with that many decimals.
 *
 * @throws invalid_amount when it has more decimals than the asset, is above `maximum`,
 *   or is a JSON number above 2^53 - 1 in the smallest unit (which JSON cannot carry exactly)
 * @example
 * toUnits({ decimal: '0.25', isNumber: false }, 8, 'amount'); // 25_000_000n
 * toUnits({ decimal: '0.001', isNumber: false }, 2, 'amount'); // throws invalid_amount
 */
export const toUnits = (
  amount: WrittenAmount,
  decimals: number,
  field: string,
  maximum: bigint = MAXIMUM_TOKEN_AMOUNT,
): bigint => {
  const refuse = (expected: string) =>
    new TreasuryError('invalid_amount', { field, value: amount.decimal, expected });
  const [whole = '0', fraction = ''] = amount.decimal.split('.');
  if (fraction.length > decimals) throw refuse(`at most ${decimals} decimals`);
  const units = BigInt(whole + fraction.padEnd(decimals, '0'));
  if (amount.isNumber && !isExact(Number(amount.decimal), units, decimals)) {
    throw refuse('a decimal string, since a JSON number this large is not exact');
  }
  if (units > maximum) throw refuse(`at most ${formatUnits(maximum, decimals)}`);
  return units;
};

/** True when a JSON number stands for this amount alone: its neighbours, one unit away, are other numbers. */
const isExact = (number: number, units: bigint, decimals: number): boolean =>
  units <= BigInt(Number.MAX_SAFE_INTEGER) &&
  displayNumber(units - 1n, decimals) !== number &&
  displayNumber(units + 1n, decimals) !== number;

/**
 * {@link toUnits} of an amount that must be above zero.
 *
 * @example
 * toPositiveUnits({ decimal: '0', isNumber: false }, 8, 'amount'); // throws invalid_amount
 */
export const toPositiveUnits = (
  amount: WrittenAmount,
  decimals: number,
  field: string,
  maximum: bigint = MAXIMUM_TOKEN_AMOUNT,
): bigint => {
  const units = toUnits(amount, decimals, field, maximum);
  if (units === 0n) {
    throw new TreasuryError('invalid_amount', {
      field,
      value: amount.decimal,
      expected: 'an amount greater than 0',
    });
  }
  return units;
};

/**
 * Units as exact display text: `formatUnits(150000000n, 8)` is `1.5`. For the reverse, see {@link toUnits}.
 *
 * @example
 * formatUnits(150_000_000n, 8); // '1.5'
 */
export const formatUnits = (units: bigint, decimals: number): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const cut = digits.length - decimals;
  return `${units < 0n ? '-' : ''}${trimZeros(`${digits.slice(0, cut)}.${digits.slice(cut)}`)}`;
};

/** 10 to the power of each number of decimals up to the largest that a JSON number holds exactly. */
const POWERS_OF_TEN = Array.from({ length: 23 }, (_, decimals) => Number(`1e${decimals}`));
const MAXIMUM_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Units as the nearest JSON number in display units; the exact figure stands beside it as a string. Of two numbers that
 * are exact the quotient is the nearest there is; everything else is read from its digits, which is slower.
 *
 * @example
 * displayNumber(150_000_000n, 8); // 1.5
 */
export const displayNumber = (units: bigint, decimals: number): number => {
  const power = POWERS_OF_TEN[decimals];
  return power !== undefined && units <= MAXIMUM_EXACT && units >= -MAXIMUM_EXACT
    ? Number(units) / power
    : Number(formatUnits(units, decimals));
};

/**
 * A JSON number in display units as plain decimal text: `4e-8` is `0.00000004`. A negative one stays as it prints.
 *
 * @example
 * showNumber(4e-8); // '0.00000004'
 */
export const showNumber = (amount: number): string => readAmount(amount)?.decimal ?? String(amount);

/**
 * Amounts as answers show them: each in display units, and beside it the exact figure, `<name>OnChain`.
 *
 * @example
 * showAmounts({ total: 25n }, 2); // { total: 0.25, totalOnChain: '25' }
 */
export const showAmounts = <Name extends string>(
  amounts: Readonly<Record<Name, bigint>>,
  decimals: number,
): Record<Name, number> & Record<`${Name}OnChain`, string> =>
  Object.fromEntries(
    Object.entries<bigint>(amounts).flatMap(([name, units]) => [
      [name, displayNumber(units, decimals)],
      [`${name}OnChain`, units.toString()],
    ]),
  ) as Record<Name, number> & Record<`${Name}OnChain`, string>;
