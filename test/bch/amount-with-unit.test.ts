import test from 'ava';
import { readAmountWithUnit } from '../../src/bch/amount-with-unit.js';

for (const [text, value] of [
  ['0.25', { decimal: '0.25', unit: null }],
  ['0.25 BCH', { decimal: '0.25', unit: 'bch' }],
  ['0.25bch', { decimal: '0.25', unit: 'bch' }],
  ['25000 sats', { decimal: '0.00025', unit: 'bch' }],
  ['1 sat', { decimal: '0.00000001', unit: 'bch' }],
  ['100 GEMS', { decimal: '100', unit: { symbol: 'GEMS' } }],
  ['$50', { decimal: '50', unit: 'usd' }],
  ['$ 49.99', { decimal: '49.99', unit: 'usd' }],
  ['50 usd', { decimal: '50', unit: 'usd' }],
  ['USD 50', { decimal: '50', unit: 'usd' }],
  ['5 1INCH', { decimal: '5', unit: { symbol: '1INCH' } }],
  ['5 Great Gems!', { decimal: '5', unit: { symbol: 'Great Gems!' } }],
  ['0.00000001 eGEMS', { decimal: '0.00000001', unit: { symbol: 'eGEMS' } }],
] as const) {
  test(`"${text}" is an amount`, (t) => {
    t.deepEqual(readAmountWithUnit(text), { value });
  });
}

for (const [text, reason] of [
  ['1,5', /write 1\.5$/],
  ['1,500', /write 1500, or a point/],
  ['1,500,000.25', /write 1500000\.25, or/],
  ['1e-9', /exponent/],
  ['1e9', /exponent/],
  ['-1', /without a sign/],
  ['.5', /write .*0\.5$/],
  ['5.', /^an amount such as/],
  ['0.5 sats', /whole number of satoshis/],
  ['€50', /^an amount such as/],
  ['', /^an amount such as/],
  ['1 500,5', /^an amount such as/],
  ['1 2', /^an amount such as/],
  ['1'.repeat(200), /^an amount such as/],
] as const) {
  test(`"${text.slice(0, 20)}" is refused as an amount`, (t) => {
    const reading = readAmountWithUnit(text);
    t.regex('problem' in reading ? reading.problem : '', reason);
  });
}
