/** What a file of rules is refused for: each error names the rule and the field. */
import test from 'ava';
import { TreasuryError } from '../../src/errors.js';
import { readRules } from '../../src/keeper/rules.js';

const claim = { do: 'payments claim', wallet: 'bob' };
const refill = {
  do: 'payments refill',
  wallet: 'bob',
  for: ['PAY-0001'],
  before: '7d',
  periods: 1,
  perDay: '1 BCH',
};
const send = {
  do: 'vaults spend broadcast',
  wallet: 'bob',
  for: 'VAULT-0001',
  to: '@carol',
  perDay: '1 BCH',
};

const reasonOf = (file: unknown): string => {
  try {
    readRules(typeof file === 'string' ? file : JSON.stringify(file), 'keeper.json');
    return 'taken';
  } catch (error) {
    return error instanceof TreasuryError
      ? `${error.code} ${String(error.details['reason'])}`
      : String(error);
  }
};

const refusals: readonly (readonly [string, unknown, RegExp])[] = [
  ['no JSON', '{ rules: }', /^invalid_file it is no JSON: /],
  ['no rules', {}, /^invalid_file rules: is needed/],
  ['a field that is unknown', { rules: [{ ...claim, walet: 'x' }] }, /rule 1: .*walet.*wallet\?/],
  ['a task that is none', { rules: [{ ...claim, do: 'payment claim' }] }, /rule 1, do: .*"payments claim"\?/],
  ['no wallet', { rules: [claim, { do: 'streams claim' }] }, /rule 2, wallet: is needed/],
  ['hours that are none', { rules: [{ ...claim, between: '8-20' }] }, /rule 1, between: expected two times/],
  ['a zone that is none', { zone: 'Zurich', rules: [] }, /zone: is no time zone/],
  ['a refill without a limit', { rules: [{ ...refill, perDay: undefined }] }, /rule 1, perDay: is needed/],
  ['a refill of all', { rules: [{ ...refill, for: 'all' }] }, /rule 1, for: is needed/],
  ['a refill with no length of time', { rules: [{ ...refill, before: '7' }] }, /rule 1, before: "7" is no/],
  ['a refill without when', { rules: [{ ...refill, before: undefined }] }, /rule 1, before: is needed/],
  ['a spend without payees', { rules: [{ ...send, to: undefined }] }, /rule 1, to: is needed/],
  ['a spend of every vault', { rules: [{ ...send, for: undefined }] }, /rule 1, for: is needed/],
  [
    'an end without payees',
    { rules: [{ do: 'rewards cancel', wallet: 'bob', for: 'REWARD-0001' }] },
    /rule 1, to/,
  ],
  [
    'payees of a claim',
    { rules: [{ ...claim, to: '@carol' }] },
    /rule 1, to: means nothing to "payments claim"/,
  ],
  [
    'two rules of one name',
    { rules: [claim, claim] },
    /rule 2, name: is called "payments claim by bob" as rule 1/,
  ],
  [
    'all of them at once',
    { rules: [{ do: 'x' }, { ...claim, minimum: 5 }] },
    /rule 1, do.*rule 1, wallet.*rule 2, minimum/,
  ],
];

for (const [title, file, expected] of refusals)
  test(`rules › ${title} › the rule and the field are named`, (t) => {
    t.regex(reasonOf(file), expected);
  });

test('rules › as they are meant › they are taken, with names and limits of their own', (t) => {
  const { rules, feesPerDay } = readRules(
    JSON.stringify({ rules: [claim, refill, { ...send, name: 'rent' }] }),
    'f',
  );
  t.deepEqual(
    rules.map(({ name, flow, number }) => [number, name, flow]),
    [
      [1, 'payments claim by bob', 'takes'],
      [2, 'payments refill by bob', 'refills'],
      [3, 'rent', 'sends'],
    ],
  );
  t.is(feesPerDay, '50000 sats');
});
