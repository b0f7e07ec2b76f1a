import test from 'ava';
import fc from 'fast-check';
import { follow, refold, type FollowResult } from '../../src/covenant/follow.js';
import { threadOutput } from '../../src/covenant/thread.js';
import type { Transaction } from '../../src/bch/transaction.js';
import { TreasuryError } from '../../src/errors.js';
import {
  COVENANT_LOCK,
  CREATOR_LOCK,
  endOf,
  followedCounter,
  fundFrom,
  giveCoin,
  moveOn,
  pending,
  STRANGER_LOCK,
  type CounterRecord,
} from './counter.js';
import { makeTransaction, onChain, scriptedChain, type ScriptedChain } from './scripted-chain.js';

fc.configureGlobal({ seed: 20_260_601 });

const creatorCoin = giveCoin(CREATOR_LOCK, 1);
const funding = fundFrom(creatorCoin);
const first = moveOn(funding, '01');
const second = moveOn(first, '02');

/** A chain that holds these, oldest first. */
const chainOf = (...transactions: readonly ReturnType<typeof moveOn>[]): ScriptedChain => {
  const chain = scriptedChain();
  for (const transaction of transactions) chain.add(transaction);
  return chain;
};

const followOn = (record: CounterRecord, chain: ScriptedChain) => follow(record, followedCounter, chain);

/** The record as it is after following these. */
const after = async (...transactions: readonly ReturnType<typeof moveOn>[]): Promise<CounterRecord> =>
  (await followOn(pending, chainOf(...transactions))).record;

const typesOf = ({ moves }: FollowResult<CounterRecord>) => moves.map(({ type }) => type);
const hashesOf = ({ moves }: FollowResult<CounterRecord>) => moves.map(({ txHash }) => txHash);

test('follow › given a thread that has not moved › it asks for the coins once, and for nothing else', async (t) => {
  const record = await after(creatorCoin, funding);
  const chain = chainOf(creatorCoin, funding);
  const result = await followOn(record, chain);
  t.deepEqual(chain.asked, ['coins']);
  t.deepEqual(result, { record, moves: [], rebuilt: false });
});

test('follow › given an ended record › it asks for nothing', async (t) => {
  const record = await after(creatorCoin, funding, endOf(funding));
  const chain = chainOf(creatorCoin);
  t.is((await followOn(record, chain)).record, record);
  t.deepEqual(chain.asked, []);
});

test('follow › given a pending record and its funding › it is live, with the thread pinned', async (t) => {
  const result = await followOn(pending, chainOf(creatorCoin, funding));
  t.like(result.record, {
    status: 'LIVE',
    thread: { category: creatorCoin.txid, txid: funding.txid, vout: 0, commitment: '00' },
  });
  t.deepEqual(typesOf(result), ['funded']);
  t.false(result.rebuilt);
});

test('follow › given a pending record and nothing at its address › it stays as it is', async (t) => {
  t.deepEqual(await followOn(pending, chainOf(creatorCoin)), { record: pending, moves: [], rebuilt: false });
});

test('follow › given several moves since the last look › they are folded in the order of the thread', async (t) => {
  const record = await after(creatorCoin, funding);
  const result = await followOn(record, chainOf(creatorCoin, funding, first, second));
  t.deepEqual(hashesOf(result), [first.txid, second.txid]);
  t.like(result.record, { moves: 2, thread: { txid: second.txid, commitment: '02' } });
});

test('follow › given a thread that moved on in block 7 › what is older than block 5, where it was, is not read', async (t) => {
  const chain = scriptedChain();
  for (const [height, transaction] of [creatorCoin, funding, first].entries())
    chain.add(transaction, height + 3);
  const { record } = await followOn(pending, chain);
  chain.add(second, 7);
  chain.asked.length = 0;
  t.deepEqual(hashesOf(await followOn(record, chain)), [second.txid]);
  t.is(chain.asked.filter((asked) => asked === 'transaction').length, 2);
});

test('follow › given moves of one block, whose order says nothing › they are folded', async (t) => {
  const record = await after(creatorCoin, funding);
  const chain = scriptedChain();
  for (const transaction of [second, first, funding, creatorCoin]) chain.add(transaction, 5);
  t.deepEqual(hashesOf(await followOn(record, chain)), [first.txid, second.txid]);
});

test('follow › given moves › each comes with the record as it left it', async (t) => {
  const { moves } = await followOn(pending, chainOf(creatorCoin, funding, first, second));
  t.deepEqual(
    moves.map(({ record }) => record.thread?.txid),
    [funding.txid, first.txid, second.txid],
  );
});

test('follow › given the whole life at once › it is funded, moved and ended', async (t) => {
  const result = await followOn(pending, chainOf(creatorCoin, funding, first, endOf(first)));
  t.deepEqual(typesOf(result), ['funded', 'distribution', 'cancelled']);
  t.like(result.record, { status: 'ENDED', thread: null });
});

test('follow › given a funding that vanished › the record is pending again, and says it was rebuilt', async (t) => {
  const record = await after(creatorCoin, funding, first);
  t.deepEqual(await followOn(record, chainOf(creatorCoin)), { record: pending, moves: [], rebuilt: true });
});

test('follow › given another funding in its place › the record follows that one', async (t) => {
  const record = await after(creatorCoin, funding, first);
  const otherCoin = giveCoin(CREATOR_LOCK, 2);
  const other = fundFrom(otherCoin);
  const result = await followOn(record, chainOf(otherCoin, other));
  t.like(result, { rebuilt: true, record: { status: 'LIVE', moves: 0, thread: { txid: other.txid } } });
  t.deepEqual(hashesOf(result), [other.txid]);
});

test('follow › given a move that was replaced by another › the record holds the other', async (t) => {
  const record = await after(creatorCoin, funding, first);
  const other = moveOn(funding, '7f');
  const result = await followOn(record, chainOf(creatorCoin, funding, other));
  t.like(result, { rebuilt: true, record: { moves: 1, thread: { txid: other.txid, commitment: '7f' } } });
  t.deepEqual(hashesOf(result), [funding.txid, other.txid]);
});

test('follow › given a move that vanished without another › the thread is where it was before', async (t) => {
  const record = await after(creatorCoin, funding, first);
  const result = await followOn(record, chainOf(creatorCoin, funding));
  t.like(result, { rebuilt: true, record: { moves: 0, thread: { txid: funding.txid } } });
});

const spam = makeTransaction(
  [{ txid: 'ee'.repeat(32), vout: 0 }],
  [
    threadOutput(COVENANT_LOCK, 'ee'.repeat(32), '7f', 0n),
    { lockingBytecode: COVENANT_LOCK, satoshis: 1_000n },
  ],
);

test('follow › given spam at the address before the funding › the funding is found', async (t) => {
  const { record } = await followOn(pending, chainOf(spam, creatorCoin, funding));
  t.is(record.thread?.txid, funding.txid);
});

test('follow › given spam at the address after the funding › the thread has not moved', async (t) => {
  const record = await after(creatorCoin, funding);
  const chain = chainOf(creatorCoin, funding, spam);
  t.deepEqual(await followOn(record, chain), { record, moves: [], rebuilt: false });
});

test('follow › given spam and a move › only the move is folded', async (t) => {
  const record = await after(creatorCoin, funding);
  t.deepEqual(hashesOf(await followOn(record, chainOf(creatorCoin, funding, spam, first))), [first.txid]);
});

test("follow › given a funding that a stranger paid › it is not this record's", async (t) => {
  const coin = giveCoin(STRANGER_LOCK, 3);
  t.is((await followOn(pending, chainOf(coin, fundFrom(coin)))).record, pending);
});

test('follow › given two fundings › the first one counts', async (t) => {
  const otherCoin = giveCoin(CREATOR_LOCK, 2);
  const chain = chainOf(creatorCoin, otherCoin, funding, fundFrom(otherCoin));
  t.is((await followOn(pending, chain)).record.thread?.txid, funding.txid);
});

test('follow › given a spend of the thread at another input than the first › it is no move', async (t) => {
  const record = await after(creatorCoin, funding);
  const odd = makeTransaction(
    [
      { txid: spam.txid, vout: 1 },
      { txid: funding.txid, vout: 0 },
    ],
    [threadOutput(COVENANT_LOCK, creatorCoin.txid, '7f', 0n)],
  );
  const result = await followOn(record, chainOf(creatorCoin, funding, spam, odd));
  t.is(result.record.moves, 0);
});

test('follow › given a candidate that the history does not have yet › it is folded', async (t) => {
  const record = await after(creatorCoin, funding);
  const chain = chainOf(creatorCoin, funding, first);
  const slow = { ...chain, history: async () => (await chain.history(COVENANT_LOCK)).slice(0, -1) };
  const result = await follow(record, followedCounter, slow, [onChain(first)]);
  t.deepEqual(hashesOf(result), [first.txid]);
});

test('follow › given a candidate that the history has too › it is folded once', async (t) => {
  const record = await after(creatorCoin, funding);
  const chain = chainOf(creatorCoin, funding, first);
  t.deepEqual(hashesOf(await follow(record, followedCounter, chain, [onChain(first)])), [first.txid]);
});

test('follow › given a candidate that has nothing to do with the record › nothing happens', async (t) => {
  const stranger = giveCoin(STRANGER_LOCK, 9);
  const result = await follow(pending, followedCounter, chainOf(creatorCoin), [onChain(stranger)]);
  t.deepEqual(result, { record: pending, moves: [], rebuilt: false });
});

test('follow › given a funding that breaks the rules of the network › the record stays pending, and a true one is found', async (t) => {
  const otherCoin = giveCoin(CREATOR_LOCK, 2);
  const chain = chainOf(creatorCoin, otherCoin, funding);
  chain.declare(funding.txid, 'it is not signed');
  t.deepEqual(await followOn(pending, chain), { record: pending, moves: [], rebuilt: false });
  const other = chain.add(fundFrom(otherCoin));
  t.is((await followOn(pending, chain)).record.thread?.txid, other.txid);
});

test('follow › given a move that breaks the rules of the network › the record stays as it is, or takes the true one', async (t) => {
  const record = await after(creatorCoin, funding);
  const chain = chainOf(creatorCoin, funding, first);
  chain.declare(first.txid, 'it is not signed');
  t.deepEqual(await followOn(record, chain), { record, moves: [], rebuilt: false });
  const other = chain.add(moveOn(funding, '7f'));
  t.deepEqual(hashesOf(await followOn(record, chain)), [other.txid]);
});

test('refold › given a funding that breaks the rules of the network › nothing is taken back from the record', async (t) => {
  const record = await after(creatorCoin, funding, first);
  const otherCoin = giveCoin(CREATOR_LOCK, 2);
  const madeUp = fundFrom(otherCoin);
  const chain = chainOf(otherCoin, madeUp);
  chain.declare(madeUp.txid, 'it is not signed');
  const error = await t.throwsAsync(refold(record, followedCounter, chain), { instanceOf: TreasuryError });
  t.like(error, { code: 'tx_invalid', details: { txHash: madeUp.txid, reason: 'it is not signed' } });
  await t.throwsAsync(followOn(record, chain), { message: error.message });
});

/** A transaction of a decoy: 40 coins of somebody, and an NFT of a category at the address. */
const decoyOf = (number: number, category: string): Transaction =>
  makeTransaction(
    Array.from({ length: 40 }, (_, vout) => ({ txid: number.toString(16).padStart(64, 'd'), vout })),
    [threadOutput(COVENANT_LOCK, category, '00', 0n)],
  );

test('follow › given 30 decoys at the address of a pending record › each costs one look-up, whatever it spends', async (t) => {
  const decoys = Array.from({ length: 30 }, (_, number) => decoyOf(number, 'ee'.repeat(32)));
  const chain = chainOf(...decoys);
  t.is((await followOn(pending, chain)).record, pending);
  t.deepEqual(chain.asked.sort(), ['history', ...decoys.map(() => 'transaction')]);
});

test('follow › given a decoy that mints what it pays › each transaction that it spends is looked up once', async (t) => {
  const chain = chainOf(decoyOf(1, '1'.padStart(64, 'd')));
  t.is((await followOn(pending, chain)).record, pending);
  t.deepEqual(chain.asked.sort(), ['history', 'transaction', 'transaction']);
});

test('refold › given an ended record whose end was replaced › it lives again', async (t) => {
  const record = await after(creatorCoin, funding, endOf(funding));
  const result = await refold(record, followedCounter, chainOf(creatorCoin, funding, first));
  t.like(result, { rebuilt: true, record: { status: 'LIVE', moves: 1, thread: { txid: first.txid } } });
});

test('refold › given another funding before the one that the record stands on › it stays with its own while the chain has it', async (t) => {
  const record = await after(creatorCoin, funding);
  const otherCoin = giveCoin(CREATOR_LOCK, 2);
  const other = fundFrom(otherCoin);
  const chain = chainOf(creatorCoin, otherCoin, other, funding, first);
  const fundedByOwn = { ...followedCounter, fundedBy: () => funding.txid };
  t.like(await refold(record, fundedByOwn, chain), { record: { moves: 1, thread: { txid: first.txid } } });
  const without = chainOf(creatorCoin, otherCoin, other);
  t.like(await refold(record, fundedByOwn, without), { record: { moves: 0, thread: { txid: other.txid } } });
});

test('refold › given nothing on chain › the record is as before its funding', async (t) => {
  const record = await after(creatorCoin, funding);
  t.deepEqual((await refold(record, followedCounter, chainOf())).record, pending);
});

/** A life of the thread: the funding and that many moves, the last of which may end it. */
const lifeOf = (moves: number, ends: boolean) => {
  const life = [funding];
  for (let move = 1; move <= moves; move += 1) {
    const previous = life[life.length - 1] ?? funding;
    life.push(
      ends && move === moves ? endOf(previous) : moveOn(previous, move.toString(16).padStart(2, '0')),
    );
  }
  return life;
};

test('follow › property › looking now and then gives the same record and moves as looking once', async (t) => {
  const looks = fc.array(fc.boolean(), { maxLength: 6 });
  const orders = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 });
  await fc.assert(
    fc.asyncProperty(looks, fc.boolean(), orders, async (lookAfter, ends, order) => {
      const life = lifeOf(lookAfter.length, ends);
      const chain = chainOf(creatorCoin);
      let record = pending;
      const seen: string[] = [];
      for (const [index, transaction] of life.entries()) {
        chain.add(transaction);
        if (lookAfter[index] === false) continue;
        const result = await followOn(record, chain);
        record = result.record;
        seen.push(...hashesOf(result));
      }
      const shuffled = order.flatMap((index) => life[index] ?? []);
      const once = await followOn(pending, chainOf(creatorCoin, ...shuffled));
      t.deepEqual(record, once.record);
      t.deepEqual(seen, hashesOf(once));
    }),
    { numRuns: 60 },
  );
});

test('follow › property › whatever vanishes, following gives what a fresh fold of the chain gives', async (t) => {
  const cases = fc.record({
    moves: fc.integer({ min: 0, max: 5 }),
    ends: fc.boolean(),
    kept: fc.nat({ max: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ moves, ends, kept }) => {
      const life = lifeOf(moves, ends);
      const chain = chainOf(creatorCoin, ...life);
      const { record } = await followOn(pending, chain);
      // An ended record is not followed: what undoes it is a refold.
      fc.pre(record.status === 'LIVE');
      const lost = life[kept];
      if (lost !== undefined) chain.drop(lost.txid);
      const [followed, fresh] = [await followOn(record, chain), await refold(record, followedCounter, chain)];
      t.deepEqual(followed.record, fresh.record);
    }),
    { numRuns: 60 },
  );
});
