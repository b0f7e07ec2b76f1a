/** The budget of every covenant: bytes, satoshis, operations. Counted, never timed. */
import fs from 'node:fs';
import test from 'ava';
import { compileString } from 'cashc';
import { budgetsOf, overBudget, readBudgets, slackBudgets } from '../../bench/covenant-budgets.js';
import { replaceArtifact } from './harness/bound.js';
import { weights } from './harness/report.js';

const RAISE = 'on purpose: node scripts/compile.js bench/covenant-budgets.ts --raise <contract>';

test('budgets › given the contracts as they are › none costs more than its budget, and every one has one', (t) => {
  t.deepEqual(overBudget(weights(), readBudgets()), [], RAISE);
});

test('budgets › given what costs less than it may › the budget is lowered with it', (t) => {
  t.deepEqual(slackBudgets(weights(), readBudgets()), [], RAISE);
});

test('budgets › given one byte, one satoshi or a tenth of a percent more › it is told', (t) => {
  const [first, ...others] = weights('vote-lock');
  if (first === undefined) throw new Error('no vote lock');
  const budgets = budgetsOf('vote-lock', readBudgets());
  const told = (more: Partial<typeof first>) => overBudget([{ ...first, ...more }, ...others], budgets);
  t.deepEqual(told({}), []);
  for (const more of [
    { unlocking: first.unlocking + 1 },
    { transaction: first.transaction + 1 },
    { dust: first.dust + 1 },
    { cost: first.cost + 0.1 },
  ]) {
    t.is(told(more).length, 1, JSON.stringify(more));
  }
  t.deepEqual(overBudget([first], {}), ['vote-lock unlock (BCH) has no budget']);
  t.deepEqual(overBudget(others, budgets), ['vote-lock unlock (BCH) is budgeted, and is no function']);
});

test.serial('budgets › given a contract with one check more › its functions are over their budgets', (t) => {
  const source = fs.readFileSync(
    new URL('../../contracts/governance/vote-lock.cash', import.meta.url),
    'utf8',
  );
  const last = source.lastIndexOf('require(');
  const grown = `${source.slice(0, last)}require(tx.outputs.length > 0, 'it pays'); ${source.slice(last)}`;
  replaceArtifact('vote-lock', compileString(grown));
  t.teardown(() => {
    replaceArtifact('vote-lock', null);
  });
  const budgets = budgetsOf('vote-lock', readBudgets());
  const over = overBudget(weights('vote-lock'), budgets);
  t.true(over.some((line) => line.startsWith('vote-lock unlock (tokens): unlocking')));
  t.true(over.some((line) => line.startsWith('vote-lock unlock (tokens): transaction')));
});
