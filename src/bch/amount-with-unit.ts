/** Amounts as people write them: `0.25`, `0.25 BCH`, `25000 sats`, `100 GEMS`, `$50`. */
import { BCH_DECIMALS, formatUnits } from './amount.js';
import type { Reading } from './reading.js';

/** What {@link readAmountWithUnit} takes, in words. */
export const AMOUNT_FORMS = 'an amount such as 0.25, "0.25 BCH", "25000 sats", "100 GEMS" or $50';

export type AmountWithUnit = {
  /** Plain decimal text in display units: `0.00025` of `25000 sats`. */
  readonly decimal: string;
  /** `bch` and `usd` are currencies; any other is the symbol of a token, as it was written; null: none was given. */
  readonly unit: 'bch' | 'usd' | { readonly symbol: string } | null;
};

const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
const PLAIN = new RegExp(`^${NUMBER}$`);
const WITH_UNIT = new RegExp(String.raw`^${NUMBER}\s*([A-Za-z][\w.-]*)$`);
const DOLLARS = new RegExp(String.raw`^(?:\$\s*${NUMBER}|${NUMBER}\s*(?:USD|\$))$`, 'i');
/** Room for any amount there is. */
const LONGEST = 100;

const readProblem = (text: string): string => {
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?/.test(text))
    return `a comma may be read in two ways: write ${text.replaceAll(',', '')}, or a point for decimals`;
  if (/\d,\d/.test(text)) return `a comma is no decimal point: write ${text.replace(',', '.')}`;
  if (/^[\d.]+e[+-]?\d+$/i.test(text))
    return 'an exponent is easily misread: write all the digits, such as 0.00000001';
  if (/^-/.test(text)) return 'an amount has no sign';
  if (/^\.\d/.test(text)) return `write a digit before the point: 0${text}`;
  return `expected ${AMOUNT_FORMS}`;
};

/**
 * Reads an amount and its unit. Nothing is rounded, and nothing is converted but satoshis.
 *
 * @returns the amount, or what to write instead
 * @example
 * readAmountWithUnit('25000 sats'); // { value: { decimal: '0.00025', unit: 'bch' } }
 */
export const readAmountWithUnit = (written: string): Reading<AmountWithUnit> => {
  const text = written.trim();
  if (text.length > LONGEST) return { problem: `expected ${AMOUNT_FORMS}` };
  if (PLAIN.test(text)) return { value: { decimal: text, unit: null } };
  const dollars = DOLLARS.exec(text);
  if (dollars !== null) return { value: { decimal: dollars[1] ?? dollars[2] ?? '', unit: 'usd' } };
  const [, number = '', unit = ''] = WITH_UNIT.exec(text) ?? [];
  if (number === '' || /^e[\d-]/i.test(unit)) return { problem: readProblem(text) };
  if (/^bch$/i.test(unit)) return { value: { decimal: number, unit: 'bch' } };
  if (!/^(?:sats?|satoshis?)$/i.test(unit)) return { value: { decimal: number, unit: { symbol: unit } } };
  if (number.includes('.')) return { problem: 'a satoshi is not divided: write a whole number of them' };
  return { value: { decimal: formatUnits(BigInt(number), BCH_DECIMALS), unit: 'bch' } };
};
