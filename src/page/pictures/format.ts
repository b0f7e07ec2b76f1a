/** Amounts, days and addresses as pictures write them. */

/** What an amount is in. */
export type Asset = {
  readonly decimals: number;
  /** BCH, or what the token is called. */
  readonly symbol: string;
};

/** An amount without its unit, exact: `1.5`. */
export const figureOf = (units: bigint, decimals: number): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const cut = digits.length - decimals;
  const fraction = digits.slice(cut).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, cut)}${fraction === '' ? '' : `.${fraction}`}`;
};

/** An amount in the smallest unit, as text: `1.5 BCH`. */
export const amountText = (units: bigint, { decimals, symbol }: Asset): string =>
  `${figureOf(units, decimals)} ${symbol}`.trim();

/** The share of an amount in another in percent, rounded down; `0 %` of nothing. */
export const percentOf = (part: bigint, whole: bigint): string =>
  `${whole === 0n ? 0n : (part * 100n) / whole}\u00a0%`;

const two = (number: number): string => String(number).padStart(2, '0');

/** The year, month, day, hour and minute where the reader is. */
const partsOf = (seconds: number) => {
  const date = new Date(seconds * 1000);
  return {
    year: String(date.getFullYear()),
    month: two(date.getMonth() + 1),
    day: two(date.getDate()),
    time: `${two(date.getHours())}:${two(date.getMinutes())}`,
  };
};

/** `2026-06-01`, where the reader is. */
export const dayText = (seconds: number): string => {
  const { year, month, day } = partsOf(seconds);
  return `${year}-${month}-${day}`;
};

/** `2026-06`. */
export const monthText = (seconds: number): string => dayText(seconds).slice(0, 7);

/** `06-01 14:30`. */
export const hourText = (seconds: number): string => {
  const { month, day, time } = partsOf(seconds);
  return `${month}-${day} ${time}`;
};

/** `2026-06-01 14:30`. */
export const momentText = (seconds: number): string => `${dayText(seconds)} ${partsOf(seconds).time}`;

/** The end of an address, by which people tell addresses apart: `…k9x2ls`. */
export const shortAddress = (address: string): string =>
  address.length <= 12 ? address : `…${address.slice(-6)}`;
