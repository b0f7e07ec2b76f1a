import test from 'ava';
import { z } from 'zod';
import { AddressField, AmountField, Hex32, TokenTypeField, UnixSeconds } from '../../src/bch/fields.js';
import { coerceText, inputSchema, isSwitch, type FieldSchema } from '../../src/operation/coerce.js';
import { defineOperation } from '../../src/operation/define.js';
import { PageFields } from '../../src/operation/paging.js';

const operation = defineOperation({
  id: 'things.pay',
  summary: 'Pay somebody',
  auth: 'none',
  input: z.object({
    to: AddressField,
    amount: AmountField,
    tokenType: TokenTypeField.default('BCH'),
    tokenCategory: Hex32.nullish(),
    start: UnixSeconds.optional(),
    share: z.number().optional(),
    cancelable: z.boolean().default(true),
    maybe: z.boolean().nullish(),
    entries: z.array(z.object({ amount: AmountField })).optional(),
    terms: z.object({ days: z.int() }).optional(),
    counts: z.array(z.int()).optional(),
    ...PageFields,
  }),
  output: z.object({}),
  errors: [],
  run: () => Promise.resolve({}),
});

const { properties, required } = inputSchema(operation);

test('input schema › given defaults and optional fields › only the others are required', (t) => {
  t.deepEqual(required, ['to', 'amount']);
});

test('input schema › given codecs › the fields are those of the wire', (t) => {
  t.is(properties['to']?.type, 'string');
  t.deepEqual(properties['tokenType']?.enum, ['BCH', 'FUNGIBLE_TOKEN', 'CASHTOKENS']);
  t.is(properties['cancelable']?.default, true);
});

test('input schema › given an input that is no object › it has no fields', (t) => {
  const schema = inputSchema({ ...operation, input: z.union([z.string(), z.number()]) });
  t.deepEqual(schema, { properties: {}, required: [] });
});

const values: readonly (readonly [field: keyof typeof properties, text: string, value: unknown])[] = [
  ['amount', '1.10', '1.10'],
  ['amount', '9007199254740993', '9007199254740993'],
  ['tokenCategory', '12', '12'],
  ['tokenCategory', 'null', 'null'],
  ['start', '1780272000', 1_780_272_000],
  ['start', '-1', -1],
  ['start', '1e9', '1e9'],
  ['start', '', ''],
  ['start', ' 5', ' 5'],
  ['start', '0x10', '0x10'],
  ['share', '0.25', 0.25],
  ['cancelable', 'true', true],
  ['cancelable', 'false', false],
  ['cancelable', 'yes', 'yes'],
  ['maybe', 'null', null],
  ['entries', '[{"amount":"1.10"}]', [{ amount: '1.10' }]],
  ['entries', '[{"amount":', '[{"amount":'],
  ['terms', '{"days":5}', { days: 5 }],
  ['counts', '[1,2]', [1, 2]],
  ['unknown', '5', '5'],
];

for (const [field, text, value] of values) {
  test(`coerce › given ${JSON.stringify(text)} for ${field} › it is ${JSON.stringify(value)}`, (t) => {
    t.deepEqual(coerceText(properties[field], text), value);
  });
}

const switches: readonly (readonly [name: string, schema: FieldSchema, expected: boolean])[] = [
  ['a boolean', { type: 'boolean' }, true],
  ['a boolean or null', { anyOf: [{ type: 'boolean' }, { type: 'null' }] }, true],
  ['a boolean or a text', { type: ['boolean', 'string'] }, false],
  ['null only', { type: 'null' }, false],
  ['anything', {}, false],
];

for (const [name, schema, expected] of switches) {
  test(`switch › given ${name} › it is ${expected ? 'one' : 'none'}`, (t) => {
    t.is(isSwitch(schema), expected);
  });
}
