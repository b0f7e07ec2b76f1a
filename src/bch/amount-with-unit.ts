/** Amounts as people write them: `0.25`, `0.25 BCH`, `25000 sats`, `100 GEMS`, `$50`. */
import { BCH_DECIMALS, formatUnits } from './amount.js';
import type { Reading } from './reading.js';

/** What {@link readAmountWithUnit} takes, in words. */
const AMOUNT_FORMS = 'an amount such as 0.25, "0.25 BCH", "25000 sats", "100 GEMS" or 50usd';

export type AmountWithUnit = {
  /** Plain decimal text in display units: `0.00025` of `25000 sats`. */
  readonly decimal: string;
  /** `bch` and `usd` are currencies; any other is the symbol of a token, as it was written; null: none was given. */
  readonly unit: 'bch' | 'usd' | { readonly symbol: string } | null;
};

const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
const PLAIN = new RegExp(`^${NUMBER}$`);
/** A word of letters; or, after a space, whatever a token is called that is more than digits: `1INCH`, `33333333...`. */
const WITH_UNIT = new RegExp(
  String.raw`^${NUMBER}(?:\s*([A-Za-z][\w.-]*)|\s+([0-9a-f]{8}\.{3}|(?=.*[^\d\s.,+-])\S(?:.*\S)?))$`,
);
const DOLLARS = new RegExp(String.raw`^(?:(?:\$|USD\s)\s*${NUMBER}|${NUMBER}\s*(?:USD|\$))$`, 'i');
/** Room for any amount there is. */
const LONGEST = 100;

/** What was expected in the place of a text that is no amount. */
const expectedFor = (text: string): string => {
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?/.test(text))
    return `no comma, which may be read in two ways: write ${text.replaceAll(',', '')}, or a point before decimals`;
  if (/^\d+,\d+/.test(text)) return `a point before decimals, and no comma: write ${text.replace(',', '.')}`;
  if (/^[\d.]+e[+-]?\d+/i.test(text))
    return 'all the digits, such as 0.00000001: an exponent is easily misread';
  if (/^[-+]\s*[\d.]/.test(text)) return 'an amount without a sign';
  if (/^\.\d/.test(text)) return `a digit before the point: write 0${text}`;
  return AMOUNT_FORMS;
};

/**
 * Reads an amount and its unit. Nothing is rounded, and nothing is converted but satoshis.
 *
 * @returns the amount, or what was expected instead
 * @example
 * readAmountWithUnit('25000 sats'); // { value: { decimal: '0.00025', unit: 'bch' } }
 * readAmountWithUnit('100 GEMS'); // { value: { decimal: '100', unit: { symbol: 'GEMS' } } }
 */
export const readAmountWithUnit = (written: string): Reading<AmountWithUnit> => {
  const text = written.trim();
  if (text.length > LONGEST) return { problem: AMOUNT_FORMS };
  if (PLAIN.test(text)) return { value: { decimal: text, unit: null } };
  const dollars = DOLLARS.exec(text);
  if (dollars !== null) return { value: { decimal: dollars[1] ?? dollars[2] ?? '', unit: 'usd' } };
  const [, number = '', word, phrase = ''] = WITH_UNIT.exec(text) ?? [];
  const unit = word ?? phrase;
  if (number === '' || /^e[\d-]/i.test(unit)) return { problem: expectedFor(text) };
  if (/^bch$/i.test(unit)) return { value: { decimal: number, unit: 'bch' } };
  if (!/^(?:sats?|satoshis?)$/i.test(unit)) return { value: { decimal: number, unit: { symbol: unit } } };
  if (number.includes('.')) return { problem: 'a whole number of satoshis: one is not divided' };
  return { value: { decimal: formatUnits(BigInt(number), BCH_DECIMALS), unit: 'bch' } };
};
