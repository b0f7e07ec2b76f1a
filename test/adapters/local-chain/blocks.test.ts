import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { binToHex, hash256, hexToBin } from '@bitauth/libauth';
import test from 'ava';
import { hashHeader, readFields } from '../../../src/bch/block-header.js';
import { hasWork } from '../../../src/bch/difficulty.js';
import { merkleRoot, nextBlockTime, readBlock } from '../../../src/adapters/local-chain/blocks.js';
import type { Block } from '../../../src/adapters/local-chain/blocks.js';
import {
  ALICE,
  BOB,
  fund,
  openTestChain,
  payAll,
  present,
  temporaryFolder,
  type TestChain,
} from './chain-fixture.js';

/** The fields of a header as text. */
const fieldsOf = (header: string) => ({
  previous: binToHex(hexToBin(header.slice(8, 72)).reverse()),
  merkleRoot: header.slice(72, 136),
  time: Number.parseInt(binToHex(hexToBin(header.slice(136, 144)).reverse()), 16),
});

const headersOf = async (chain: TestChain): Promise<string[]> => {
  const { height } = await chain.tip();
  const headers = await Promise.all(Array.from({ length: height + 1 }, (_, at) => chain.header(at)));
  return headers.map((header) => header ?? '');
};

/** Blocks with these header times; only their times matter. */
const blocksAt = (times: number[]): Block[] => {
  const blocks: Block[] = [];
  for (const time of times) {
    const littleEndian = binToHex(hexToBin(time.toString(16).padStart(8, '0')).reverse());
    blocks.push(readBlock(blocks, `${'00'.repeat(68)}${littleEndian}${'00'.repeat(8)}`, []));
  }
  return blocks;
};

// Source: block 170 of the Bitcoin main chain (the first payment), and the genesis block.
const GENESIS_HEADER =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f61' +
  '7fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c';
const GENESIS_HASH = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';
const BLOCK_170_TXIDS = [
  'b1fea52486ce0c62bb442b530a3f0132b826c74e473d1f2c220bfa78111c5082',
  'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16',
];
const BLOCK_170_ROOT = '7dac2c5666815c17a3b36427de37bb9d2e2c5ccec3f8633eb91a4205cb4c10ff';

test('header › given the genesis block of the main chain › its hash is the known one', (t) => {
  t.is(hashHeader(GENESIS_HEADER), GENESIS_HASH);
});

test('header › it is read with its time', (t) => {
  t.is(readBlock([], GENESIS_HEADER, []).time, 1_231_006_505);
});

test('merkle root › given the two transactions of block 170 › it is the known one', (t) => {
  t.is(binToHex(merkleRoot(BLOCK_170_TXIDS).reverse()), BLOCK_170_ROOT);
});

test('merkle root › given one transaction › it is its id', (t) => {
  const [txid = ''] = BLOCK_170_TXIDS;
  t.is(binToHex(merkleRoot([txid]).reverse()), txid);
});

test('merkle root › given three transactions › the last is paired with itself', (t) => {
  const [a = '', b = ''] = BLOCK_170_TXIDS;
  const pair = (left: Uint8Array, right: Uint8Array) => hash256(Uint8Array.of(...left, ...right));
  const leaf = (txid: string) => hexToBin(txid).reverse();
  const expected = pair(pair(leaf(a), leaf(b)), pair(leaf(a), leaf(a)));
  t.deepEqual(merkleRoot([a, b, a]), expected);
});

test('median time past › given more than 11 headers › it is the median of the last 11', (t) => {
  const times = [9_000, 9_000, 9_000, 5, 3, 11, 1, 7, 2, 8, 4, 10, 6, 9];
  t.is(blocksAt(times).at(-1)?.medianTimePast, 6);
});

test('next block time › given a run of 11 › median time past ends at the clock and no time is beyond it', (t) => {
  const times = Array.from({ length: 11 }, (_, at) => 1_000 + at * 600);
  for (let remaining = 11; remaining > 0; remaining -= 1) {
    times.push(nextBlockTime(blocksAt(times), 50_000, remaining));
  }
  t.is(blocksAt(times).at(-1)?.medianTimePast, 50_000);
  t.is(Math.max(...times), 50_000);
});

test('next block time › given median time past at the clock › it is a second later', (t) => {
  const parents = blocksAt(Array.from({ length: 11 }, () => 1_000));
  t.is(nextBlockTime(parents, 1_000, 1), 1_001);
});

test('chain › each header names the hash of the one before, the first none', async (t) => {
  const chain = await openTestChain(t);
  await chain.faucet(ALICE.lockingBytecode, 10_000n);
  const headers = await headersOf(chain);
  const hashes = headers.map(hashHeader);
  t.is(headers.length, 13);
  t.true(headers.every((header) => header.length === 160));
  t.deepEqual(
    headers.map((header) => fieldsOf(header).previous),
    ['00'.repeat(32), ...hashes.slice(0, -1)],
  );
  t.is(hashes.at(-1), (await chain.tip()).hash);
});

test('chain › each merkle root is that of the block, coinbase first, then by id', async (t) => {
  const chain = await openTestChain(t, { automine: false });
  for (let count = 0; count < 5; count += 1) await chain.faucet(ALICE.lockingBytecode, 10_000n);
  const { height } = await chain.mine(1);
  const txids = (await chain.blockTxids(height)) ?? [];
  const others = txids.slice(1);
  t.is(others.length, 5);
  t.deepEqual(others, [...others].sort());
  t.is(fieldsOf((await chain.header(height)) ?? '').merkleRoot, binToHex(merkleRoot(txids)));
  t.is((await chain.transaction(txids[0] ?? ''))?.transaction.inputs[0]?.txid, '00'.repeat(32));
});

test('chain › median time past never falls and stays below the next header', async (t) => {
  const chain = await openTestChain(t);
  await chain.mine(40);
  await chain.advance(7_200);
  await chain.mine(3);
  const blocks = blocksAt((await headersOf(chain)).map((header) => fieldsOf(header).time));
  for (const [height, block] of blocks.slice(1).entries()) {
    const parent = present(blocks[height]);
    t.true(block.time > parent.medianTimePast, `header ${block.height}`);
    t.true(block.medianTimePast >= parent.medianTimePast, `median at ${block.height}`);
  }
  t.is(blocks.at(-1)?.medianTimePast, (await chain.tip()).medianTimePast);
});

test('chain › above the tip there is no header', async (t) => {
  const chain = await openTestChain(t);
  const { height } = await chain.tip();
  t.is(await chain.header(height + 1), null);
  t.is(await chain.blockTxids(height + 1), null);
});

test('mine › given a waiting payment › it is in the first of the blocks', async (t) => {
  const chain = await openTestChain(t, { automine: false });
  const txid = await chain.faucet(ALICE.lockingBytecode, 10_000n);
  const before = await chain.tip();
  const after = await chain.mine(3);
  t.is(after.height, before.height + 3);
  t.is((await chain.transaction(txid))?.height, before.height + 1);
  t.is((await chain.status()).mempool, 0);
});

test('mine › the coinbase pays out the fees', async (t) => {
  const chain = await openTestChain(t, { automine: false });
  const coin = await fund(chain, ALICE, 10_000n);
  await chain.mine(1);
  await chain.broadcast(payAll(coin, BOB));
  const { height } = await chain.mine(1);
  const [coinbase = ''] = (await chain.blockTxids(height)) ?? [];
  t.is((await chain.transaction(coinbase))?.transaction.outputs[0]?.satoshis, 1_000n);
});

test('history › it is in chain order, and what waits comes last', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, 10_000n);
  const spend = await chain.broadcast(payAll(coin, BOB));
  const waiting = await openTestChain(t, { folder: chain.folder, automine: false });
  const last = await waiting.faucet(ALICE.lockingBytecode, 10_000n);
  t.deepEqual(await chain.history(ALICE.lockingBytecode), [
    { txid: coin.txid, height: 12 },
    { txid: spend, height: 13 },
    { txid: last, height: null },
  ]);
});

test('chain › each header has the work that its bits ask for', async (t) => {
  const chain = await openTestChain(t);
  await chain.mine(20);
  for (const header of await headersOf(chain)) {
    const { bits } = readFields(header);
    t.is(bits, 0x207fffff);
    t.true(hasWork(hashHeader(header), bits));
  }
});

test('chain › given blocks of 0.1.0, which have no work › they stay, and what is mined upon them has', async (t) => {
  const folder = temporaryFolder(t);
  copyFileSync('fixtures/chain-0.1.0/local-chain.journal', path.join(folder, 'local-chain.journal'));
  const chain = await openTestChain(t, { folder });
  const old = await headersOf(chain);
  t.is(old.length, 13);
  t.true(old.some((header) => !hasWork(hashHeader(header), 0x207fffff)));
  t.is((await chain.history(ALICE.lockingBytecode)).length, 1);
  const { hash, height } = await chain.mine(1);
  t.is(height, 13);
  t.true(hasWork(hash, 0x207fffff));
  t.is(readFields((await chain.header(13)) ?? '').parent, hashHeader(old.at(-1) ?? ''));
});
