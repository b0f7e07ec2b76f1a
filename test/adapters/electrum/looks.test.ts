import test from 'ava';
import { startElectrumServer } from '../../../src/adapters/electrum-server/electrum-server.js';
import { TreasuryError } from '../../../src/errors.js';
import { ALICE } from '../local-chain/chain-fixture.js';
import { countingRelay } from './counting-relay.js';
import { openThrough, serveChain } from './electrum-fixture.js';

test('looks › given many questions of one look › the tip is asked for once, of another look again', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const { url, count } = await countingRelay(t, tcpUrl);
  const txid = await local.faucet(ALICE.lockingBytecode, 1_000n);
  await local.mine(2);
  const chain = await openThrough(t, [url]);
  const tip = await chain.tip();
  await chain.transaction(txid);
  const askAll = async (look: object) => {
    t.deepEqual(await chain.tip(look), tip);
    t.is((await chain.block(tip.height - 1, look))?.height, tip.height - 1);
    t.is((await chain.transaction(txid, look))?.height, tip.height - 2);
    t.is((await chain.history(ALICE.lockingBytecode, look)).length, 1);
  };
  const look = {};
  count();
  await askAll(look);
  await askAll(look);
  t.is(count().methods['blockchain.headers.get_tip'], 1);
  await askAll({});
  t.is(count().methods['blockchain.headers.get_tip'], 1);
});

test('looks › given a reorganisation between two looks › the second takes back what the first has proven', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const txid = await local.faucet(ALICE.lockingBytecode, 1_000n);
  const chain = await openThrough(t, [tcpUrl]);
  const first = {};
  const { height } = await chain.tip(first);
  t.is((await chain.transaction(txid, first))?.height, height);
  const moved = await local.reorg(1);
  const second = {};
  t.is((await chain.transaction(txid, second))?.height, null);
  t.deepEqual(await chain.tip(second), moved);
});

test('looks › given a look whose first question finds no server › its next one is answered', async (t) => {
  const { local, tcpUrl, server } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const look = {};
  await server.stop();
  const error = await t.throwsAsync(chain.tip(look), { instanceOf: TreasuryError });
  t.is(error.code, 'chain_unavailable');
  const again = await startElectrumServer({ chain: local, tcpPort: Number(new URL(tcpUrl).port) });
  t.teardown(again.stop);
  t.deepEqual(await chain.tip(look), await local.tip());
});

test('the recent tip › given a tip that was followed › it is told without a question, until the server tells of another', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const { url, count } = await countingRelay(t, tcpUrl);
  await local.mine(12);
  const chain = await openThrough(t, [url]);
  const recent = async () => (await chain.recentTip?.()) ?? null;
  t.is(await recent(), null, 'nothing was followed yet');
  const tip = await chain.tip();
  count();
  t.deepEqual(await recent(), tip);
  t.is(count().requests, 0);

  const moved = await local.mine(1);
  while ((await recent()) !== null) await new Promise((resolve) => setTimeout(resolve, 10));
  t.deepEqual(await chain.tip(), moved);
  t.deepEqual(await recent(), moved);
  const replaced = await local.reorg(1);
  while ((await recent()) !== null) await new Promise((resolve) => setTimeout(resolve, 10));
  t.deepEqual(await chain.tip(), replaced);
});

test('the recent tip › given a server that is gone › there is none', async (t) => {
  const { tcpUrl, server } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  await chain.tip();
  t.not(await chain.recentTip?.(), null);
  await server.stop();
  while ((await chain.recentTip?.()) !== null) await new Promise((resolve) => setTimeout(resolve, 10));
  t.is(await chain.recentTip?.(), null);
});

test.serial('the recent tip › given one that was followed a minute ago › there is none', async (t) => {
  const { tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  await chain.tip();
  const { now } = Date;
  Date.now = () => now() + 60_000;
  t.is(await chain.recentTip?.(), null);
  Date.now = () => now() - 86_400_000;
  t.is(await chain.recentTip?.(), null);
  Date.now = now;
  t.not(await chain.recentTip?.(), null);
});
