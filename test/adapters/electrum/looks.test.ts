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
