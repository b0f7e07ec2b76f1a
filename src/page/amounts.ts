/** Amounts in the smallest unit as people read them: exact, never over a float. */

/**
 * An amount with its decimals, without zeros at its end.
 *
 * @example showUnits('28904163', 8) // '0.28904163'
 */
export const showUnits = (units: string | bigint, decimals: number): string => {
  const value = BigInt(units);
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`;
};

/** What amounts are in: a category's token has the name that the reader's daemon knows, or its first digits. */
export type Unit = { readonly category: string | null; readonly decimals: number };

const DIGITS_OF_A_CATEGORY = 8;

/** `0.28904163 BCH`, or `12.5 4f2a91c0…` where it is a token. */
export const showAmount = (units: string | bigint, { category, decimals }: Unit, symbol?: string): string =>
  `${showUnits(units, decimals)} ${symbol ?? (category === null ? 'BCH' : `${category.slice(0, DIGITS_OF_A_CATEGORY)}…`)}`;

/** The first and the last of an address or a hash: where there is no room, and it is found elsewhere in full. */
export const shorten = (text: string): string => {
  const bare = text.slice(text.indexOf(':') + 1);
  return bare.length > 16 ? `${bare.slice(0, 6)}…${bare.slice(-6)}` : bare;
};
