import test from 'ava';
import { compareWithChain } from '../../src/covenant/compare.js';
import { follow } from '../../src/covenant/follow.js';
import {
  CREATOR_LOCK,
  followedCounter,
  fundFrom,
  giveCoin,
  moveOn,
  pending,
  type CounterRecord,
} from './counter.js';
import { scriptedChain, type ScriptedChain } from './scripted-chain.js';

const creatorCoin = giveCoin(CREATOR_LOCK, 1);
const funding = fundFrom(creatorCoin);
const first = moveOn(funding, '01');

const chainOf = (...transactions: readonly ReturnType<typeof moveOn>[]): ScriptedChain => {
  const chain = scriptedChain();
  for (const transaction of transactions) chain.add(transaction);
  return chain;
};

const funded = async (): Promise<CounterRecord> =>
  (await follow(pending, followedCounter, chainOf(creatorCoin, funding))).record;

test('compare › given a record as the chain makes it › it differs in nothing', async (t) => {
  const record = await funded();
  const found = await compareWithChain(record, followedCounter, chainOf(creatorCoin, funding));
  t.deepEqual(found, { present: record, folded: record, differing: [], behind: [] });
});

test('compare › given a move since it was written › it is behind, and does not differ', async (t) => {
  const found = await compareWithChain(await funded(), followedCounter, chainOf(creatorCoin, funding, first));
  t.deepEqual(found.differing, []);
  t.true(found.behind.includes('thread'));
});

test('compare › given a field that no move has made › it differs in that one, and the record is left alone', async (t) => {
  const record = Object.freeze({ ...(await funded()), status: 'ENDED' as never });
  const found = await compareWithChain(record, followedCounter, chainOf(creatorCoin, funding));
  t.deepEqual(found.differing, ['status']);
  t.deepEqual(found.behind, []);
});
