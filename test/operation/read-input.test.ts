import test from 'ava';
import { z } from 'zod';
import { addressOfHash } from '../../src/bch/address.js';
import { AddressField, AmountField, Hex32, TokenTypeField, UnixSeconds } from '../../src/bch/fields.js';
import { TreasuryError } from '../../src/errors.js';
import { defineOperation } from '../../src/operation/define.js';
import { fieldNames, invalidInput, readInput } from '../../src/operation/read-input.js';
import { alice, bob } from './fake-context.js';

const foreign = addressOfHash(new Uint8Array(20).fill(3), 'mainnet').text;

const operation = defineOperation({
  id: 'things.pay',
  summary: 'Pay somebody',
  auth: 'none',
  input: z.object({
    to: AddressField,
    amount: AmountField,
    kind: z.enum(['ONCE', 'OFTEN']),
    tokenType: TokenTypeField.default('BCH'),
    count: z.int().min(1).optional(),
    start: UnixSeconds.optional(),
    entries: z.array(z.object({ to: AddressField, amount: AmountField })).optional(),
  }),
  output: z.object({}),
  errors: [],
  aliases: { recipient: 'to', receiver: 'to', rewardAmount: 'amount' },
  run: () => Promise.resolve({}),
});

const whole = { to: alice.text, amount: '0.5', kind: 'ONCE' };

const read = (raw: Record<string, unknown>) => readInput(operation, raw, 'local');

type Refusal = { readonly code: string; readonly details: Record<string, unknown> };

const refusal = (raw: Record<string, unknown>): Refusal => {
  try {
    read(raw);
  } catch (error) {
    if (error instanceof TreasuryError) return error;
    throw error;
  }
  throw new Error('it was taken');
};

type Issues = readonly { readonly path: string; readonly message: string }[];
const issuesOf = (raw: Record<string, unknown>): Issues => refusal(raw).details['issues'] as Issues;

test('read input › given all fields › they are decoded and nothing is warned of', (t) => {
  t.deepEqual(read(whole), {
    input: {
      to: alice,
      amount: { decimal: '0.5', isNumber: false },
      kind: 'ONCE',
      tokenType: 'BCH',
    },
    warnings: [],
  });
});

test('read input › given an alias › it is the field, and no warning', (t) => {
  const { amount, kind } = whole;
  const { input, warnings } = read({ recipient: bob.text, amount, kind });
  t.like(input, { to: bob });
  t.deepEqual(warnings, []);
});

test('read input › given a field and its alias › the field wins', (t) => {
  t.like(read({ recipient: bob.text, ...whole }).input, { to: alice });
  t.like(read({ ...whole, recipient: bob.text }).input, { to: alice });
});

test('read input › given an alias with a bad value › the issue names the field', (t) => {
  const { to, kind } = whole;
  t.like(refusal({ to, kind, rewardAmount: '1,5' }), {
    code: 'invalid_amount',
    details: { field: 'amount' },
  });
});

test('read input › given unknown fields › they are ignored, each with a warning', (t) => {
  const { input, warnings } = read({ ...whole, memo: 'x', Amount: 1 });
  t.false(Object.hasOwn(input as object, 'memo'));
  t.deepEqual(warnings, [
    'memo is not a field of things.pay: it was ignored',
    'Amount is not a field of things.pay: it was ignored',
  ]);
});

test('read input › given a field named like a part of every object › it is a warning and nothing more', (t) => {
  const raw: unknown = JSON.parse(
    `{ "__proto__": { "count": 5 }, "to": "${alice.text}", "amount": 1, "kind": "ONCE" }`,
  );
  const { input, warnings } = read(raw as Record<string, unknown>);
  t.is((input as { count?: number }).count, undefined);
  t.is(warnings.length, 1);
});

for (const [name, value] of [
  ['negative', -1],
  ['with a comma', '1,5'],
  ['with an exponent', '1e3'],
  ['of nothing', ''],
  ['with a blank before it', ' 1'],
] as const) {
  test(`read input › given an amount ${name} as the one problem › it is invalid_amount`, (t) => {
    const { code, details } = refusal({ ...whole, amount: value });
    t.is(code, 'invalid_amount');
    t.is(details['field'], 'amount');
    t.is(typeof details['value'], 'string');
    t.regex(String(details['expected']), /decimal/);
    t.is((details['issues'] as Issues).length, 1);
  });
}

for (const [name, value] of [
  ['too large for a number', JSON.parse('1e400')],
  ['that is no number', NaN],
  ['that is true', true],
] as const) {
  test(`read input › given an amount ${name} › the issue says what was given and what was expected`, (t) => {
    const [issue] = issuesOf({ ...whole, amount: value as unknown });
    t.is(issue?.path, 'amount');
    t.regex(issue?.message ?? '', new RegExp(`expected .*decimal.*got ${String(value)}`));
  });
}

test('read input › given a bad address as the one problem › it is invalid_address with its value', (t) => {
  t.like(refusal({ ...whole, to: 'alice' }), {
    code: 'invalid_address',
    details: { field: 'to', value: 'alice' },
  });
});

test('read input › given another problem › it is invalid_input with the issue', (t) => {
  const { code, details } = refusal({ ...whole, count: 0 });
  t.is(code, 'invalid_input');
  t.deepEqual(
    (details['issues'] as Issues).map(({ path }) => path),
    ['count'],
  );
});

test('read input › given several problems › it is invalid_input with all of them', (t) => {
  const { code, details } = refusal({ to: 'alice', amount: '1,5', kind: 'NEVER', count: 0 });
  t.is(code, 'invalid_input');
  t.deepEqual((details['issues'] as Issues).map(({ path }) => path).sort(), [
    'amount',
    'count',
    'kind',
    'to',
  ]);
});

test('read input › given several problems › the summary tells all of them', (t) => {
  const summary = String(refusal({ to: 'alice', amount: '1,5', kind: 'ONCE' }).details['summary']);
  t.regex(summary, /to: "alice" is not a usable address/);
  t.regex(summary, /amount: "1,5" is not a usable amount/);
});

for (const field of ['to', 'amount', 'kind'] as const) {
  test(`read input › given no ${field} › it says that it is required`, (t) => {
    const { [field]: _left, ...rest } = whole;
    t.deepEqual(issuesOf(rest), [{ path: field, message: 'is required' }]);
  });
}

test('read input › given a required field of an entry left out › its path says which', (t) => {
  t.deepEqual(issuesOf({ ...whole, entries: [{ to: bob.text, amount: 1 }, { amount: 1 }] }), [
    { path: 'entries.1.to', message: 'is required' },
  ]);
});

test('read input › given a wrong value › the message shows what was given', (t) => {
  t.regex(issuesOf({ ...whole, count: 'many' })[0]?.message ?? '', /\(got many\)$/);
});

test('read input › given a long wrong value › the message shows its beginning', (t) => {
  const message = issuesOf({ ...whole, count: 'x'.repeat(10_000) })[0]?.message ?? '';
  t.true(message.length < 250);
  t.regex(message, /xxx\.\.\.\)$/);
});

test('read input › given an address of another network › it is invalid_address and names the prefix', (t) => {
  t.like(refusal({ ...whole, to: foreign }), {
    code: 'invalid_address',
    details: {
      field: 'to',
      value: foreign,
      expected: 'a cash address that starts with bchtest:; this one is of another network: bitcoincash:',
    },
  });
});

test('read input › given an address of another network deep inside › it is found with its path', (t) => {
  const entries = [
    { to: bob.text, amount: 1 },
    { to: foreign, amount: 1 },
  ];
  t.like(refusal({ ...whole, entries }), { code: 'invalid_address', details: { field: 'entries.1.to' } });
});

test('read input › given several addresses of another network › all are found', (t) => {
  const entries = [{ to: foreign, amount: 1 }];
  const { code, details } = refusal({ ...whole, to: foreign, entries });
  t.is(code, 'invalid_input');
  t.deepEqual(
    (details['issues'] as Issues).map(({ path }) => path),
    ['to', 'entries.0.to'],
  );
});

test('read input › given an address of another network and another problem › both are told', (t) => {
  const issues = issuesOf({ ...whole, to: foreign, amount: '1,5' });
  t.deepEqual(issues.map(({ path }) => path).sort(), ['amount', 'to']);
});

test('read input › given an input that is one of several shapes › nothing is warned of', (t) => {
  const shapes = {
    ...operation,
    input: z.union([z.object({ hash: Hex32 }), z.object({ kind: z.literal('ONCE') })]),
  };
  t.deepEqual(readInput(shapes, { kind: 'ONCE', memo: 'x' }, 'local').warnings, []);
});

test('field names › given an operation › they are those of its input', (t) => {
  t.deepEqual(fieldNames(operation), ['to', 'amount', 'kind', 'tokenType', 'count', 'start', 'entries']);
});

test('invalid input › given issues of a rule › they are told with their paths', (t) => {
  const error = invalidInput([
    { path: 'endDate', message: 'must be later than the start' },
    { path: '', message: 'one of id and label is needed' },
  ]);
  t.is(
    error.message,
    'The request is not valid: endDate: must be later than the start; one of id and label is needed.',
  );
});
