import test, { type ExecutionContext } from 'ava';
import { readAmount, type WrittenAmount } from '../../../src/bch/amount.js';
import { TreasuryError, type ErrorCode } from '../../../src/errors.js';
import type { Choice } from '../../../src/products/governance/proposal.js';
import {
  checkVotingEnded,
  checkVotingOpen,
  checkVotingToken,
  readWeight,
  stakeWeight,
  statusOf,
  tallyOf,
  turnout,
  unitsOfWeight,
  weightText,
  type LockedVote,
  type Sums,
} from '../../../src/products/governance/rules.js';

const END = 1_780_272_000;
const GEMS = 'aa'.repeat(32);
const COAL = 'bb'.repeat(32);

const written = (value: number | string): WrittenAmount => {
  const amount = readAmount(value);
  if (amount === null) throw new Error(`${value} is no amount`);
  return amount;
};
const weight = (value: number | string): bigint => readWeight(written(value), 'weight');
const sums = (FOR: string, AGAINST: string, ABSTAIN: string): Sums => {
  const of = (text: string) => (text === '0' ? 0n : weight(text));
  return { FOR: of(FOR), AGAINST: of(AGAINST), ABSTAIN: of(ABSTAIN) };
};
const lockOf = (choice: Choice, stake: bigint, token_category = GEMS, decimals = 2): LockedVote => ({
  choice,
  stake,
  token_category,
  decimals,
});
const codeOf = (t: ExecutionContext, run: () => unknown): ErrorCode | undefined =>
  t.throws<TreasuryError>(run, { instanceOf: TreasuryError }).code;

for (const [value, text] of [
  [1, '1'],
  [1_000_000_000, '1000000000'],
  ['9007199254740993', '9007199254740993'],
  ['0.000000000000000001', '0.000000000000000001'],
  [0.1, '0.1'],
] as const) {
  test(`readWeight › ${JSON.stringify(value)} is exact`, (t) => {
    t.is(weightText(weight(value)), text);
  });
}

for (const value of [0, '0.0', '0.0000000000000000001', 2 ** 53 + 2, '10000000000000000001']) {
  test(`readWeight › ${JSON.stringify(value)} is invalid_amount`, (t) => {
    t.is(
      codeOf(t, () => weight(value)),
      'invalid_amount',
    );
  });
}

test('readWeight › a quorum has no more decimals than its token', (t) => {
  t.is(unitsOfWeight(readWeight(written('1.25'), 'quorum', 2), 2), 125n);
  t.is(
    codeOf(t, () => readWeight(written('1.255'), 'quorum', 2)),
    'invalid_amount',
  );
});

test('stakeWeight › stakes of tokens with other decimals add up in display units', (t) => {
  const whole = stakeWeight({ stake: 5n, decimals: 0 });
  const fine = stakeWeight({ stake: 1n, decimals: 18 });
  t.is(weightText(whole + fine), '5.000000000000000001');
  t.is(weightText(stakeWeight({ stake: 9_223_372_036_854_775_807n, decimals: 0 })), '9223372036854775807');
});

test('tallyOf › locks of every token count, each in its own part, and off-chain votes in another', (t) => {
  const { sums: all, parts } = tallyOf(
    { token_category: null },
    [lockOf('FOR', 150n), lockOf('AGAINST', 7n, COAL, 0), lockOf('FOR', 50n)],
    [{ choice: 'ABSTAIN', weight: weight(3) }],
  );
  t.deepEqual(all, sums('2', '7', '3'));
  t.deepEqual(
    parts.map(({ tokenCategory, voters, isTallied }) => [tokenCategory, voters, isTallied]),
    [
      [GEMS, 2, true],
      [COAL, 1, true],
      [null, 1, true],
    ],
  );
});

test('tallyOf › with a voting token off-chain votes are shown and not counted', (t) => {
  const { sums: all, parts } = tallyOf(
    { token_category: GEMS },
    [lockOf('AGAINST', 150n)],
    [{ choice: 'FOR', weight: weight(1000) }],
  );
  t.deepEqual(all, sums('0', '1.5', '0'));
  t.like(parts[1], { tokenCategory: null, isTallied: false, sums: sums('1000', '0', '0') });
});

const proposal = { voting_ends_at: END, quorum: weight('10') };
for (const [given, cast, now, status] of [
  ['a second before the end', sums('100', '0', '0'), END - 1, 'ACTIVE'],
  ['the second of the end', sums('100', '0', '0'), END, 'PASSED'],
  ['a quorum that abstentions make', sums('1', '0', '9'), END, 'PASSED'],
  ['one part below the quorum', sums('9.999999999999999999', '0', '0'), END, 'EXPIRED'],
  ['no votes', sums('0', '0', '0'), END, 'EXPIRED'],
  ['a tie', sums('5', '5', '0'), END, 'REJECTED'],
  ['a majority against', sums('5', '6', '0'), END, 'REJECTED'],
  ['a majority of one part', sums('5.000000000000000001', '5', '0'), END, 'PASSED'],
  ['abstentions alone', sums('0', '0', '10'), END, 'REJECTED'],
] as const) {
  test(`statusOf › given ${given} › it is ${status}`, (t) => {
    t.is(statusOf(proposal, cast, now), status);
  });
}

test('turnout › it is for, against and abstain together', (t) => {
  t.is(weightText(turnout(sums('1', '2', '4'))), '7');
});

test('checks › the end divides voting from unlocking at the second', (t) => {
  t.notThrows(() => {
    checkVotingOpen(proposal, END - 1);
    checkVotingEnded(proposal, END);
  });
  t.is(
    codeOf(t, () => {
      checkVotingOpen(proposal, END);
    }),
    'voting_ended',
  );
  t.is(
    codeOf(t, () => {
      checkVotingEnded(proposal, END - 1);
    }),
    'voting_open',
  );
});

test('checks › another token than the fixed one is token_category_mismatch', (t) => {
  t.notThrows(() => {
    checkVotingToken(null, COAL);
    checkVotingToken(GEMS, GEMS);
  });
  t.is(
    codeOf(t, () => {
      checkVotingToken(GEMS, COAL);
    }),
    'token_category_mismatch',
  );
});
