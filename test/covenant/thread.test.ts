import test from 'ava';
import type { Output } from '../../src/bch/coins.js';
import {
  continuedThread,
  isPinned,
  spendsAtFirst,
  threadOutput,
  ThreadPointer,
} from '../../src/covenant/thread.js';
import { coinOf, makeTransaction } from './scripted-chain.js';

const category = 'aa'.repeat(32);
const other = 'bb'.repeat(32);
const lock = `aa20${'11'.repeat(32)}87`;

const thread = threadOutput(lock, category, '0102', 5_000n);
const change: Output = { lockingBytecode: `76a914${'01'.repeat(20)}88ac`, satoshis: 1_000n };
const outpoint = { txid: 'cc'.repeat(32), vout: 1 };
const spend = (...outputs: readonly Output[]) => makeTransaction([outpoint], outputs);
const continued = (...outputs: readonly Output[]) => continuedThread(spend(...outputs), lock, category);

test('thread output › given a pool › it stands above the dust', (t) => {
  t.deepEqual(thread, {
    lockingBytecode: lock,
    satoshis: 6_000n,
    token: { category, amount: 0n, nft: { capability: 'mutable', commitment: '0102' } },
  });
});

test('continued thread › given it at output 0 › it points there, with its state', (t) => {
  const transaction = spend(thread, change);
  t.deepEqual(continuedThread(transaction, lock, category), {
    category,
    txid: transaction.txid,
    vout: 0,
    commitment: '0102',
  });
});

const ended: readonly (readonly [name: string, outputs: readonly Output[]])[] = [
  ['it at another output', [change, thread]],
  ['another covenant', [{ ...thread, lockingBytecode: change.lockingBytecode }]],
  ['another category', [threadOutput(lock, other, '0102', 0n)]],
  ['no token', [{ lockingBytecode: lock, satoshis: 6_000n }]],
  ['fungible tokens only', [{ ...thread, token: { category, amount: 5n } }]],
  [
    'an immutable NFT',
    [{ ...thread, token: { category, amount: 0n, nft: { capability: 'none', commitment: '0102' } } }],
  ],
  [
    'a minting NFT',
    [{ ...thread, token: { category, amount: 0n, nft: { capability: 'minting', commitment: '0102' } } }],
  ],
];

for (const [name, outputs] of ended) {
  test(`continued thread › given ${name} › it has ended`, (t) => {
    t.is(continued(...outputs), null);
  });
}

test('spends at first › given the outpoint at input 0 › it is a spend', (t) => {
  t.true(spendsAtFirst(spend(thread), outpoint));
});

test('spends at first › given the outpoint at input 1 › it is none', (t) => {
  t.false(spendsAtFirst(makeTransaction([{ txid: other, vout: 0 }, outpoint], [thread]), outpoint));
});

test('spends at first › given another index of the same transaction › it is none', (t) => {
  t.false(spendsAtFirst(spend(thread), { ...outpoint, vout: 0 }));
});

test('pinned › given a coin of the same category at another outpoint › it is not the thread', (t) => {
  const transaction = spend(thread, thread);
  const pointer: ThreadPointer = { category, txid: transaction.txid, vout: 0, commitment: '0102' };
  t.true(isPinned(coinOf(transaction, 0), pointer));
  t.false(isPinned(coinOf(transaction, 1), pointer));
});

for (const bad of [{ vout: -1 }, { txid: 'AA'.repeat(32) }, { commitment: '0' }, { category: '' }]) {
  test(`thread pointer › given ${JSON.stringify(bad)} › it is refused`, (t) => {
    t.false(ThreadPointer.safeParse({ category, txid: other, vout: 0, commitment: '', ...bad }).success);
  });
}
