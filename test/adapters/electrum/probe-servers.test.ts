import test from 'ava';
import { openProbedChain, probeServers } from '../../../src/adapters/electrum/probed-chain.js';
import { TreasuryError } from '../../../src/errors.js';
import { present, refused } from '../local-chain/chain-fixture.js';
import { relayTo } from './dead-node.js';
import {
  answerLines,
  freePort,
  openThrough,
  recordLog,
  serveChain,
  serveStrangely,
  SHORT,
} from './electrum-fixture.js';

const limitMs = 3_000;
const silent = () => undefined;

test.serial('probing servers › given one that answers › it tells protocol, tip and latency', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const { height, time } = await local.tip();
  const [facts] = await probeServers({ network: 'regtest', servers: [tcpUrl], limitMs });
  t.like(facts, { url: tcpUrl, kind: 'answered', protocol: '1.5.1', height, tipTime: time, isOurs: true });
  t.true(facts?.kind === 'answered' && facts.latencyMs >= 0);
});

test.serial(
  'probing servers › given one whose node is dead › it answers, and says that its node does not',
  async (t) => {
    const { tcpUrl } = await serveChain(t);
    const { url, node } = await relayTo(t, tcpUrl);
    const alive = await probeServers({ network: 'regtest', servers: [url], limitMs });
    t.like(alive, [{ kind: 'answered', nodeFailure: null }]);
    node.isDead = true;
    const [facts] = await probeServers({ network: 'regtest', servers: [url], limitMs });
    t.is(facts?.kind, 'answered');
    t.regex(facts?.kind === 'answered' ? (facts.nodeFailure ?? '') : '', /its node does not: .*bitcoind/);
  },
);

test.serial(
  'asking the node › given a dead one › chain_unavailable, though the tip is told; or the next server is asked',
  async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    const { url, node } = await relayTo(t, tcpUrl);
    const chain = await openThrough(t, [url]);
    await chain.askNode();
    node.isDead = true;
    t.deepEqual(await chain.tip(), await local.tip());
    const error = await refused(t, chain.askNode(), 'chain_unavailable');
    t.regex(error.message, /answers, but its node does not: .*bitcoind/);
    const either = await openThrough(t, [url, tcpUrl]);
    await t.notThrowsAsync(either.askNode());
  },
);

test.serial('probing servers › given one of another network › it is not ours', async (t) => {
  const { wsUrl } = await serveChain(t);
  const [facts] = await probeServers({ network: 'chipnet', servers: [wsUrl], limitMs });
  t.like(facts, { kind: 'answered', isOurs: false, serves: null });
});

test.serial(
  'probing servers › given a port that nobody listens on › it failed, with the reason',
  async (t) => {
    const url = `tcp://127.0.0.1:${await freePort()}`;
    const [facts] = await probeServers({ network: 'regtest', servers: [url], limitMs });
    t.is(facts?.kind, 'failed');
    t.regex(facts?.kind === 'failed' ? facts.reason : '', /ECONNREFUSED/);
  },
);

test.serial(
  'probing servers › given an URL that is none › it failed, and the others are asked',
  async (t) => {
    const { tcpUrl } = await serveChain(t);
    const facts = await probeServers({ network: 'regtest', servers: ['tcp://', tcpUrl], limitMs });
    t.deepEqual(
      facts.map(({ kind }) => kind),
      ['failed', 'answered'],
    );
  },
);

test.serial(
  'probing servers › given several that accept and never answer › all take one limit together',
  async (t) => {
    const servers = await Promise.all(Array.from({ length: 6 }, () => serveStrangely(t, silent)));
    const urls = servers.map(({ url }) => url);
    const from = performance.now();
    const facts = await probeServers({ network: 'regtest', servers: urls, limitMs: 1_000 });
    t.true(performance.now() - from < 5_500, 'they are asked at once, not one after another');
    t.deepEqual(
      facts.map(({ url, kind }) => [url, kind]),
      urls.map((url) => [url, 'failed']),
    );
  },
);

test.serial(
  'probing servers › given one that greets and then hangs › it failed within the limit',
  async (t) => {
    const { url } = await serveStrangely(
      t,
      answerLines(({ method, params }) =>
        method === 'server.version' ? { result: ['strange', params[1]] } : undefined,
      ),
    );
    const [facts] = await probeServers({ network: 'regtest', servers: [url], limitMs: 1_500 });
    t.deepEqual(facts, { url, kind: 'failed', reason: 'did not answer within 1500 ms' });
  },
);

test.serial('probing servers › given a checkpoint › each says whether it has that block', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const { tcpUrl: otherUrl } = await serveChain(t);
  const { height, hash } = present(await local.block(5));
  const facts = await probeServers({
    network: 'regtest',
    servers: [tcpUrl, otherUrl],
    limitMs,
    checkpoint: { height, hash },
  });
  t.deepEqual(
    facts.map((one) => one.kind === 'answered' && one.hasCheckpoint),
    [true, false],
  );
});

test.serial(
  'probing servers › given several › the same block below their tips is shown of each',
  async (t) => {
    const { local, tcpUrl, wsUrl } = await serveChain(t);
    const { tcpUrl: otherUrl } = await serveChain(t);
    await local.mine(4);
    const facts = await probeServers({ network: 'regtest', servers: [tcpUrl, wsUrl, otherUrl], limitMs });
    const [a, b, c] = facts.map((one) => (one.kind === 'answered' ? one.compared : null));
    t.is(a?.height, 9);
    t.is(a?.hash, present(await local.block(9)).hash);
    t.deepEqual(a, b);
    t.is(c?.height, 9);
    t.not(a?.hash, c?.hash);
  },
);

test.serial(
  'a probed chain › given a silent server before one that answers › the second is in use',
  async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    const { url } = await serveStrangely(t, silent);
    const { chain, servers } = openProbedChain({
      network: 'regtest',
      servers: [url, tcpUrl],
      log: recordLog(),
      ...SHORT,
    });
    t.teardown(chain.close);
    t.is(servers.inUse(), null);
    t.is((await chain.tip()).height, (await local.tip()).height);
    t.is(servers.inUse(), tcpUrl);
  },
);

test.serial(
  'a probed chain › given no server that answers › every question is chain_unavailable with each reason',
  async (t) => {
    const urls = [`tcp://127.0.0.1:${await freePort()}`, `ws://127.0.0.1:${await freePort()}`];
    const { chain } = openProbedChain({ network: 'regtest', servers: urls, log: recordLog(), ...SHORT });
    t.teardown(chain.close);
    const error = await t.throwsAsync(chain.tip(), { instanceOf: TreasuryError, code: 'chain_unavailable' });
    for (const url of urls) t.true(error.message.includes(url));
    await t.throwsAsync(chain.coins('51'), { code: 'chain_unavailable' });
  },
);

test.serial('a probed chain › given a network without a server › it is invalid_setting', async (t) => {
  const { chain } = openProbedChain({ network: 'regtest', servers: [], log: recordLog() });
  await t.throwsAsync(chain.tip(), { code: 'invalid_setting' });
});
