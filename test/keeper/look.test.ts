/** What a transaction is refused for before it is signed, whoever built it. */
import test from 'ava';
import { alice, bob, dave } from '../../fixtures/people.js';
import type { Output } from '../../src/bch/coins.js';
import { TreasuryError } from '../../src/errors.js';
import type { KnownRule } from '../../src/keeper/known-rule.js';
import { checkEffect, effectOf } from '../../src/keeper/look.js';
import { flowOf, type TaskName } from '../../src/keeper/tasks.js';
import { openTreasury, type Treasury } from '../treasury.js';

const lockOf = (who: typeof bob): string => who.address('local').lockingBytecode;
const THREAD = `aa20${'11'.repeat(32)}87`;
const GEMS = 'ab'.repeat(32);

const coin = (lockingBytecode: string, satoshis: bigint, token?: Output['token']): Output => ({
  lockingBytecode,
  satoshis,
  ...(token === undefined ? {} : { token }),
});

const ruleOf = (task: TaskName, payees: readonly string[] = []): KnownRule =>
  ({
    do: task,
    flow: flowOf(task),
    name: 'a rule',
    signer: { name: 'bob', address: bob.address('local') },
    least: new Map([[null, 1_000n]]),
    mostFee: 5_000n,
    payees,
  }) as unknown as KnownRule;

type Case = {
  readonly title: string;
  readonly task?: TaskName;
  readonly spent: readonly Output[];
  readonly made: readonly Output[];
  readonly refusal: RegExp | null;
  readonly payees?: readonly string[];
};

const own = coin(lockOf(bob), 50_000n);
const thread = coin(THREAD, 101_000n);
const nft = { category: GEMS, amount: 0n, nft: { capability: 'none', commitment: '01' } } as const;

const cases: readonly Case[] = [
  {
    title: 'a claim as it should be',
    spent: [thread, own],
    made: [coin(THREAD, 51_000n), coin(lockOf(bob), 98_000n)],
    refusal: null,
  },
  {
    title: 'a claim that pays a stranger too',
    spent: [thread, own],
    made: [coin(THREAD, 51_000n), coin(lockOf(bob), 88_000n), coin(lockOf(dave), 10_000n)],
    refusal: /pays bchtest:/,
  },
  {
    title: 'a claim that pays somebody a listed rule would allow, and this one does not',
    spent: [thread, own],
    made: [coin(THREAD, 51_000n), coin(lockOf(alice), 98_000n)],
    payees: [],
    refusal: /pays bchtest:/,
  },
  {
    title: 'a claim that leaves everything to the miners',
    spent: [thread, own],
    made: [coin(THREAD, 51_000n), coin(lockOf(bob), 10_000n)],
    refusal: /its fee is 0\.0009 BCH/,
  },
  {
    title: 'a claim that feeds the contract out of the wallet',
    spent: [thread, own],
    made: [coin(THREAD, 140_000n), coin(lockOf(bob), 10_000n)],
    refusal: /pays bchtest:/,
  },
  {
    title: 'a claim that burns tokens of the wallet',
    spent: [thread, own, coin(lockOf(bob), 1_000n, { category: GEMS, amount: 5n })],
    made: [coin(THREAD, 51_000n), coin(lockOf(bob), 99_000n)],
    refusal: /takes more out of the wallet/,
  },
  {
    title: 'a claim that takes an NFT along',
    spent: [thread, own, coin(lockOf(bob), 1_000n, nft)],
    made: [coin(THREAD, 51_000n), coin(lockOf(bob), 99_000n)],
    refusal: /takes an NFT out of the wallet/,
  },
  {
    title: 'a claim of dust',
    spent: [coin(THREAD, 2_000n), own],
    made: [coin(THREAD, 1_000n), coin(lockOf(bob), 50_500n)],
    refusal: /it brings 0\.000005 BCH, and 0\.00001 BCH is the least/,
  },
  {
    title: "a refill that goes to a contract that is not the record's",
    task: 'payments refill',
    spent: [thread, own],
    made: [coin(THREAD, 141_000n), coin(lockOf(bob), 8_000n)],
    refusal: /pays bchtest:/,
  },
  {
    title: 'an end that pays whom it lists',
    task: 'rewards cancel',
    spent: [thread, own],
    made: [coin(lockOf(alice), 100_000n), coin(lockOf(bob), 49_000n)],
    payees: [lockOf(alice)],
    refusal: null,
  },
  {
    title: 'an end that pays somebody else',
    task: 'rewards cancel',
    spent: [thread, own],
    made: [coin(lockOf(dave), 100_000n), coin(lockOf(bob), 49_000n)],
    payees: [lockOf(alice)],
    refusal: /which is not in its "to"/,
  },
];

const check = (
  { task = 'payments claim', spent, made, payees = [] }: Case,
  { app: { context } }: Treasury,
): Promise<unknown> => {
  const item = { label: '#PAY-0001', amount: { category: null, units: 40_000n } };
  return checkEffect(effectOf(spent, made), ruleOf(task, payees), item, context);
};

for (const one of cases)
  test(`look › ${one.title} › ${one.refusal === null ? 'it is agreed to' : 'it is refused'}`, async (t) => {
    const treasury = await openTreasury(t);
    if (one.refusal === null) {
      await t.notThrowsAsync(check(one, treasury));
      return;
    }
    const error = await t.throwsAsync(check(one, treasury), { instanceOf: TreasuryError });
    t.is(error.code, 'keeper_refused');
    t.regex(error.message, one.refusal);
  });
