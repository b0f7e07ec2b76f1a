import test from 'ava';
import { z } from 'zod';
import { addressOfHash } from '../../src/bch/address.js';
import {
  AddressField,
  AmountField,
  Description,
  Hex,
  Hex32,
  Title,
  TokenCategoryField,
  TokenTypeField,
  TxHash,
  Units,
  UnixSeconds,
} from '../../src/bch/fields.js';

const alice = addressOfHash(new Uint8Array(20).fill(1), 'local');
const digits = 'ab'.repeat(32);

const taken: readonly (readonly [name: string, schema: z.ZodType, value: unknown, decoded: unknown])[] = [
  ['Hex: nothing', Hex, '', ''],
  ['Hex: bytes', Hex, '00ff', '00ff'],
  ['Hex32: 64 digits', Hex32, digits, digits],
  ['TxHash: upper case, lowered', TxHash, digits.toUpperCase(), digits],
  ['UnixSeconds: zero', UnixSeconds, 0, 0],
  ['UnixSeconds: the latest', UnixSeconds, 4_000_000_000, 4_000_000_000],
  ['Units: more than a number holds', Units, '9223372036854775807', 9_223_372_036_854_775_807n],
  ['AddressField: the z form', AddressField, alice.tokenText, alice],
  ['AmountField: a number', AmountField, 0.3, { decimal: '0.3', isNumber: true }],
  ['AmountField: a text', AmountField, '0.30', { decimal: '0.3', isNumber: false }],
  ['TokenTypeField: its other name', TokenTypeField, 'CASHTOKENS', 'FUNGIBLE_TOKEN'],
  ['TokenTypeField: BCH', TokenTypeField, 'BCH', 'BCH'],
  ['TokenCategoryField: null', TokenCategoryField, null, null],
  ['TokenCategoryField: absent', TokenCategoryField, undefined, undefined],
  ['Title: with blanks around it', Title, '  Bug bounties ', 'Bug bounties'],
  ['Description: nothing', Description, '', ''],
];

for (const [name, schema, value, decoded] of taken) {
  test(`fields › given ${name} › it is taken`, (t) => {
    t.deepEqual(z.decode(schema, value), decoded);
  });
}

const refused: readonly (readonly [name: string, schema: z.ZodType, value: unknown])[] = [
  ['Hex: half a byte', Hex, 'abc'],
  ['Hex: upper case', Hex, 'AB'],
  ['Hex32: 62 digits', Hex32, 'ab'.repeat(31)],
  ['Hex32: a line break after it', Hex32, `${digits}\n`],
  ['TxHash: with 0x', TxHash, `0x${digits}`],
  ['UnixSeconds: milliseconds', UnixSeconds, 1_780_272_000_000],
  ['UnixSeconds: a fraction', UnixSeconds, 1.5],
  ['UnixSeconds: before 1970', UnixSeconds, -1],
  ['UnixSeconds: a text', UnixSeconds, '1780272000'],
  ['Units: less than nothing', Units, '-1'],
  ['Units: a fraction', Units, '1.0'],
  ['AddressField: no address', AddressField, 'alice'],
  ['AmountField: less than nothing', AmountField, -1],
  ['AmountField: a comma', AmountField, '1,5'],
  ['AmountField: infinity', AmountField, JSON.parse('1e400')],
  ['AmountField: not a number', AmountField, NaN],
  ['AmountField: true', AmountField, true],
  ['TokenTypeField: lower case', TokenTypeField, 'bch'],
  ['TokenCategoryField: nothing', TokenCategoryField, ''],
  ['Title: blanks only', Title, '   '],
  ['Title: 201 letters', Title, 'a'.repeat(201)],
  ['Description: 5001 letters', Description, 'a'.repeat(5_001)],
];

for (const [name, schema, value] of refused) {
  test(`fields › given ${name} › it is refused`, (t) => {
    t.false(z.safeDecode(schema, value).success);
  });
}

test('fields › given milliseconds › the refusal asks whether they are', (t) => {
  t.regex(z.safeDecode(UnixSeconds, 1_780_272_000_000).error?.message ?? '', /are these milliseconds\?/);
});

test('units › given a bigint below zero › it is never written', (t) => {
  t.false(z.safeEncode(Units, -1n).success);
});

test('units › given a bigint › it is written as text', (t) => {
  t.is(z.encode(Units, 2n ** 63n - 1n), '9223372036854775807');
});

test('address field › given an address › it is written in its q form', (t) => {
  t.is(z.encode(AddressField, alice), alice.text);
});

for (const value of [0.3, '9007199254740993.1']) {
  test(`amount field › given ${typeof value} ${value} › it is written as it came`, (t) => {
    t.is(z.encode(AmountField, z.decode(AmountField, value)), value);
  });
}

const codes: readonly (readonly [schema: z.ZodType, value: unknown, code: string])[] = [
  [AddressField, 'alice', 'invalid_address'],
  [AmountField, '1e3', 'invalid_amount'],
  [AmountField, -1, 'invalid_amount'],
];

for (const [schema, value, code] of codes) {
  test(`fields › given ${String(value)} › the issue carries ${code} and what was expected`, (t) => {
    const issue = z.safeDecode(schema, value).error?.issues[0];
    t.like(issue, { code: 'custom', params: { code } });
    t.is(typeof (issue as { params?: { expected?: unknown } } | undefined)?.params?.expected, 'string');
  });
}
