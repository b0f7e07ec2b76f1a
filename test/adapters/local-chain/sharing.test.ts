import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import type { LocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import { FAUCET_LOCKING_BYTECODE } from '../../../src/adapters/local-chain/faucet.js';
import {
  ALICE,
  BOB,
  fund,
  openTestChain,
  payAll,
  present,
  refused,
  temporaryFolder,
} from './chain-fixture.js';

const BITCOIN = 100_000_000n;
const journalOf = (folder: string): string => path.join(folder, 'local-chain.journal');

/** All that a chain answers about the parties of these tests. */
const portrait = async (chain: LocalChain) => ({
  status: await chain.status(),
  scripts: await Promise.all(
    [ALICE.lockingBytecode, BOB.lockingBytecode, FAUCET_LOCKING_BYTECODE].map(async (script) => ({
      coins: (await chain.coins(script)).sort((a, b) =>
        a.txid + String(a.vout) < b.txid + String(b.vout) ? -1 : 1,
      ),
      history: await chain.history(script),
    })),
  ),
});

/** Waits for a condition, at most ten seconds. */
const until = async (t: ExecutionContext, holds: () => boolean): Promise<void> => {
  const patience = AbortSignal.timeout(10_000);
  while (!holds() && !patience.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
  t.true(holds());
};

const startBroadcaster = (...args: string[]): ChildProcessByStdio<null, Readable, null> =>
  spawn(process.execPath, [fileURLToPath(new URL('broadcaster.js', import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** The whole lines a process prints, split at spaces. */
const answersOf = (child: ChildProcessByStdio<null, Readable, null>): string[][] => {
  const answers: string[][] = [];
  createInterface(child.stdout).on('line', (line) => answers.push(line.split(' ')));
  return answers;
};

test('reopening › it gives the same chain', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  await chain.broadcast(payAll(coin, BOB));
  await chain.advance(1_000);
  await chain.reorg(13);
  const before = await portrait(chain);
  await chain.close();
  const again = await openTestChain(t, { folder: chain.folder });
  t.deepEqual(await portrait(again), before);
  t.is(before.status.mempool, 2);
});

test('reopening › given a last line cut short › what was answered before it is there', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const before = await portrait(chain);
  await chain.broadcast(payAll(coin, BOB));
  await chain.close();
  const journal = readFileSync(journalOf(chain.folder));
  writeFileSync(journalOf(chain.folder), journal.subarray(0, -10));
  const again = await openTestChain(t, { folder: chain.folder });
  t.deepEqual(await portrait(again), before);
  await t.notThrowsAsync(again.broadcast(payAll(coin, ALICE)));
});

test('reopening › given a journal that was tampered with › it says where', async (t) => {
  const chain = await openTestChain(t);
  await chain.close();
  appendFileSync(journalOf(chain.folder), '00000000 []\n');
  await refused(t, openTestChain(t, { folder: chain.folder }), 'store_damaged');
});

test('two openings › each sees what the other does at its next read', async (t) => {
  const one = await openTestChain(t);
  const other = await openTestChain(t, { folder: one.folder });
  t.deepEqual(await other.tip(), await one.tip());
  const coin = await fund(one, ALICE, BITCOIN);
  t.deepEqual(await other.coins(ALICE.lockingBytecode), [coin]);
  await other.broadcast(payAll(coin, BOB));
  await refused(t, one.broadcast(payAll(coin, ALICE)), 'tx_conflict');
  await other.advance(5_000);
  t.is(one.now(), other.now());
  await other.reorg(2);
  t.deepEqual(await portrait(one), await portrait(other));
});

test('two openings › at the same moment › they begin one chain', async (t) => {
  const folder = temporaryFolder(t);
  const [one, other] = await Promise.all([openTestChain(t, { folder }), openTestChain(t, { folder })]);
  t.deepEqual(await one.tip(), await other.tip());
});

test('two openings › given a reset by one › the other begins anew', async (t) => {
  const one = await openTestChain(t);
  const other = await openTestChain(t, { folder: one.folder });
  await fund(other, ALICE, BITCOIN);
  await one.advance(5_000);
  const tip = await one.reset();
  t.deepEqual(await other.tip(), tip);
  t.deepEqual(await other.history(ALICE.lockingBytecode), []);
  await fund(other, ALICE, BITCOIN);
  t.deepEqual(await portrait(one), await portrait(other));
});

test('watch › given a script › it is called for that script and not for another', async (t) => {
  const chain = await openTestChain(t);
  let calls = 0;
  const stop = await chain.watch({ lockingBytecodes: [ALICE.lockingBytecode] }, () => (calls += 1));
  await chain.faucet(BOB.lockingBytecode, BITCOIN);
  t.is(calls, 0);
  await chain.faucet(ALICE.lockingBytecode, BITCOIN);
  t.is(calls, 1);
  stop();
  await chain.faucet(ALICE.lockingBytecode, BITCOIN);
  t.is(calls, 1);
});

test('watch › given headers › it is called for a block and not for a waiting payment', async (t) => {
  const chain = await openTestChain(t, { automine: false });
  let calls = 0;
  const stop = await chain.watch({ headers: true }, () => (calls += 1));
  await chain.faucet(ALICE.lockingBytecode, BITCOIN);
  t.is(calls, 0);
  await chain.mine(1);
  t.is(calls, 1);
  stop();
});

test('watch › given a reorg › it is called for the scripts of what returned', async (t) => {
  const chain = await openTestChain(t);
  await chain.faucet(ALICE.lockingBytecode, BITCOIN);
  let calls = 0;
  const stop = await chain.watch({ lockingBytecodes: [ALICE.lockingBytecode] }, () => (calls += 1));
  await chain.reorg(1);
  t.is(calls, 1);
  await chain.reset();
  t.is(calls, 2);
  stop();
});

test('watch › given a change by somebody else › it is called without a read', async (t) => {
  const chain = await openTestChain(t);
  const other = await openTestChain(t, { folder: chain.folder });
  let calls = 0;
  const stop = await chain.watch({ lockingBytecodes: [ALICE.lockingBytecode] }, () => (calls += 1));
  await other.faucet(ALICE.lockingBytecode, BITCOIN);
  await until(t, () => calls === 1);
  stop();
});

test('subscribe › it names what has changed', async (t) => {
  const chain = await openTestChain(t);
  const seen: { headers: boolean; alice: boolean; bob: boolean }[] = [];
  const stop = chain.subscribe(({ headers, lockingBytecodes }) => {
    const [alice, bob] = [ALICE, BOB].map((party) => lockingBytecodes.has(party.lockingBytecode));
    seen.push({ headers, alice: alice === true, bob: bob === true });
  });
  await chain.faucet(ALICE.lockingBytecode, BITCOIN);
  await chain.mine(1);
  stop();
  t.deepEqual(seen, [
    { headers: true, alice: true, bob: false },
    { headers: true, alice: false, bob: false },
  ]);
});

test('processes › given three that broadcast at once › nothing is lost and one coin is spent once', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const { height } = await chain.tip();
  const rivals = [BOB, ALICE].map((party) => payAll(coin, party));
  const children = [...rivals, present(rivals[0])].map((raw) => startBroadcaster(chain.folder, '8', raw));
  const answers = children.map(answersOf);
  await Promise.all(children.map((child) => once(child, 'close')));

  const lines = answers.flat();
  const paid = lines.filter(([kind]) => kind === 'paid').map(([, txid = '']) => txid);
  const winners = new Set(lines.filter(([kind]) => kind === 'won').map(([, txid]) => txid));
  t.is(new Set(paid).size, 24);
  t.is(winners.size, 1);
  t.true(lines.filter(([kind]) => kind === 'lost').every(([, code]) => code === 'tx_conflict'));
  for (const txid of paid) t.not((await chain.transaction(txid))?.height ?? null, null);
  t.is((await chain.tip()).height, height + 25);
  const again = await openTestChain(t, { folder: chain.folder });
  t.deepEqual(await portrait(again), await portrait(chain));
});

test('processes › given one that is killed while it broadcasts › every answered payment is there', async (t) => {
  const chain = await openTestChain(t);
  for (const least of [1, 4, 7]) {
    const child = startBroadcaster(chain.folder, '0');
    const answers = answersOf(child);
    await until(t, () => answers.length >= least);
    child.kill('SIGKILL');
    await once(child, 'close');

    const again = await openTestChain(t, { folder: chain.folder });
    for (const [, txid = ''] of answers) {
      t.not((await again.transaction(txid))?.height ?? null, null, 'an automined payment is in a block');
    }
    t.is((await again.status()).mempool, 0);
    await t.notThrowsAsync(again.faucet(ALICE.lockingBytecode, BITCOIN));
    t.deepEqual(await portrait(again), await portrait(chain));
    await again.close();
  }
});
