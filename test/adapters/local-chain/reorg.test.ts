import { binToHex } from '@bitauth/libauth';
import test from 'ava';
import { FEE_KEY, FEE_LOCKING_BYTECODE } from '../../../src/adapters/local-chain/faucet.js';
import { decodeTransaction } from '../../../src/bch/transaction.js';
import type { Coin } from '../../../src/bch/coins.js';
import {
  ALICE,
  BOB,
  FEE,
  fund,
  openTestChain,
  payAll,
  present,
  refused,
  signSpend,
  START,
} from './chain-fixture.js';

const BITCOIN = 100_000_000n;

/** The coin that output 0 of a raw transaction makes. */
const outputOf = (raw: string): Coin => {
  const { txid, outputs } = decodeTransaction(raw);
  return { ...present(outputs[0]), txid, vout: 0, height: null };
};

test('reorg › it takes the last blocks off and mines one more than it took', async (t) => {
  const chain = await openTestChain(t);
  const before = await chain.tip();
  const headers = await Promise.all([9, 10, 11].map(chain.header));
  const after = await chain.reorg(2);
  t.is(after.height, before.height + 1);
  t.is(await chain.header(9), present(headers[0]));
  t.not(await chain.header(10), present(headers[1]));
  t.not(await chain.header(11), present(headers[2]));
});

test('reorg › the new branch is empty, and the payment waits in the mempool', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  await chain.reorg(1);
  t.is((await chain.transaction(coin.txid))?.height, null);
  t.is((await chain.transaction(coin.txid))?.blockTime, null);
  t.deepEqual(await chain.coins(ALICE.lockingBytecode), [{ ...coin, height: null }]);
  t.deepEqual(await chain.history(ALICE.lockingBytecode), [{ txid: coin.txid, height: null }]);
  t.is((await chain.status()).mempool, 1);
});

test('reorg › the next mined block takes up what was returned', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  await chain.reorg(1);
  const { height } = await chain.mine(1);
  t.deepEqual(await chain.history(ALICE.lockingBytecode), [{ txid: coin.txid, height }]);
  t.deepEqual(await chain.coins(ALICE.lockingBytecode), [{ ...coin, height }]);
});

test('reorg › the next broadcast takes up what was returned', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  await chain.reorg(1);
  await chain.faucet(BOB.lockingBytecode, BITCOIN);
  t.is((await chain.transaction(coin.txid))?.height, (await chain.tip()).height);
});

test('reorg › given a chain of payments over several blocks › all return, parents first', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const parent = payAll(coin, ALICE);
  const child = payAll(outputOf(parent), BOB);
  const txids = [coin.txid, await chain.broadcast(parent), await chain.broadcast(child)];
  await chain.reorg(3);
  t.deepEqual(
    await chain.history(ALICE.lockingBytecode),
    txids.map((txid) => ({ txid, height: null })),
  );
  await chain.mine(1);
  t.is((await chain.coins(BOB.lockingBytecode))[0]?.satoshis, BITCOIN - 2n * FEE);
});

test('reorg › median time past does not fall', async (t) => {
  const chain = await openTestChain(t);
  await chain.mine(30);
  for (const depth of [1, 6, 20]) {
    const before = await chain.tip();
    t.true((await chain.reorg(depth)).medianTimePast >= before.medianTimePast, `depth ${depth}`);
  }
});

test('reorg › given a payment to drop › it is unknown and its coin can be spent again', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const dropped = await chain.broadcast(payAll(coin, BOB));
  await chain.reorg(1, { drop: [dropped] });
  t.is(await chain.transaction(dropped), null);
  t.deepEqual(await chain.coins(BOB.lockingBytecode), []);
  t.deepEqual(await chain.history(BOB.lockingBytecode), []);
  t.deepEqual(await chain.coins(ALICE.lockingBytecode), [coin]);

  const spender = await chain.broadcast(payAll(coin, ALICE));
  const error = await refused(t, chain.broadcast(payAll(coin, BOB)), 'tx_conflict');
  t.is(error.details['spender'], spender);
});

test('reorg › given a payment to drop › what descends from it is dropped too', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const parent = payAll(coin, ALICE);
  const child = payAll(outputOf(parent), BOB);
  const dropped = await chain.broadcast(parent);
  const orphan = await chain.broadcast(child);
  const bystander = await chain.faucet(BOB.lockingBytecode, BITCOIN);
  await chain.reorg(3, { drop: [dropped] });
  t.is(await chain.transaction(orphan), null);
  t.not(await chain.transaction(bystander), null);
  t.deepEqual(await chain.coins(ALICE.lockingBytecode), [coin]);
});

test('reorg › given a payment to drop that waits in the mempool › it is dropped', async (t) => {
  const chain = await openTestChain(t, { automine: false });
  const txid = await chain.faucet(ALICE.lockingBytecode, BITCOIN);
  await chain.reorg(1, { drop: [txid] });
  t.is(await chain.transaction(txid), null);
});

test('reorg › given a dropped payment › it can be broadcast again', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const raw = payAll(coin, BOB);
  const txid = await chain.broadcast(raw);
  await chain.reorg(1, { drop: [txid] });
  t.is(await chain.broadcast(raw), txid);
  t.is((await chain.transaction(txid))?.height, (await chain.tip()).height);
});

test('reorg › given a relative lock on a coin that is unconfirmed again › its spend is dropped', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const locked = payAll(coin, BOB, { sequence: 1 });
  const txid = await chain.broadcast(locked);
  await chain.reorg(2);
  t.is(await chain.transaction(txid), null);
  t.deepEqual(await chain.coins(ALICE.lockingBytecode), [{ ...coin, height: null }]);
  await chain.mine(1);
  t.is(await chain.broadcast(locked), txid);
});

test('reorg › given a spent coinbase that is undone › its spend is dropped', async (t) => {
  const chain = await openTestChain(t);
  await fund(chain, ALICE, BITCOIN);
  const miner = { privateKey: FEE_KEY, lockingBytecode: binToHex(FEE_LOCKING_BYTECODE) };
  const [fees] = await chain.unspent(miner.lockingBytecode);
  await chain.mine(99);
  const outputs = [{ lockingBytecode: '6a', satoshis: 0n }];
  const spend = await chain.broadcast(signSpend({ coins: [present(fees)], outputs, signer: miner }));
  await chain.reorg(101);
  t.is(await chain.transaction(present(fees).txid), null);
  t.is(await chain.transaction(spend), null);
  t.deepEqual(await chain.history(miner.lockingBytecode), []);
});

for (const depth of [0, -1, 1.5, 12]) {
  test(`reorg › given a depth of ${depth} on a chain of height 11 › it is refused`, async (t) => {
    const chain = await openTestChain(t);
    const before = await chain.tip();
    t.is(before.height, 11);
    const error = await refused(t, chain.reorg(depth), 'invalid_input');
    t.regex(error.message, /from 1 to 11/);
    t.deepEqual(await chain.tip(), before);
  });
}

test('reorg › given the whole chain › the genesis block stays and the faucet pays', async (t) => {
  const chain = await openTestChain(t);
  const genesis = await chain.header(0);
  await chain.reorg(11);
  t.is(await chain.header(0), genesis);
  await t.notThrowsAsync(chain.faucet(ALICE.lockingBytecode, BITCOIN));
});

test('reset › it forgets payments and the advanced clock', async (t) => {
  const chain = await openTestChain(t);
  const before = await chain.tip();
  const coin = await fund(chain, ALICE, BITCOIN);
  await chain.advance(5_000);
  const tip = await chain.reset();
  t.is(tip.height, before.height);
  t.not(tip.hash, before.hash);
  t.is(chain.now(), START);
  t.is(await chain.transaction(coin.txid), null);
  t.deepEqual(await chain.coins(ALICE.lockingBytecode), []);
  await t.notThrowsAsync(chain.faucet(ALICE.lockingBytecode, BITCOIN));
});
