/** The status report over a real socket, with real pages behind its probes. */
import type { ExecutionContext } from 'ava';
import type { Network } from '../../src/bch/network.js';
import { openProbes } from '../../src/adapters/probes/probes.js';
import { operations } from '../../src/products/status/index.js';
import { operationsOf } from '../../src/operation/define.js';
import type { ChainWorld } from '../chain-world.js';
import { openTreasury } from '../treasury.js';
import { startDaemon } from '../../src/daemon/start-daemon.js';
import { json, startWebServer } from '../adapters/web-server.js';
import { onEveryChain } from './on-every-chain.js';

const DISPLAY_NAMES: Readonly<Partial<Record<Network, string>>> = { local: 'Local', regtest: 'Regtest' };

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

const serveStatus = async (t: ExecutionContext, world: ChainWorld) => {
  const treasury = await openTreasury(t, world);
  const [page, indexer] = [await startWebServer(t), await startWebServer(t, json({ status: 'ok' }))];
  let elapsed = 0;
  let tips = 0;
  const probes = openProbes({
    pages: { frontend: `${page.url}/app`, docs: `${page.url}/docs`, explorer: `${page.url}/explorer` },
    indexerUrl: `${indexer.url}/internal/health?key=hunter2`,
    limits: { page: 5_000, indexer: 5_000, chain: 5_000, database: 5_000 },
    elapsed: () => elapsed,
  });
  const { context, operations: all } = treasury.app;
  const chain = {
    ...context.chain,
    tip: () => {
      tips += 1;
      return context.chain.tip();
    },
  };
  const app = {
    context: { ...context, chain, probes },
    operations: [...all.filter(({ id }) => !id.startsWith('status.')), ...operationsOf(operations)],
    deployables: [],
    close: () => Promise.resolve(),
  };
  const daemon = await startDaemon({ app, port: 0, signals: null, log });
  t.teardown(() => daemon.stop());
  const pass = (milliseconds: number) => (elapsed += milliseconds);
  return { url: daemon.url, home: treasury.home, page, indexer, pass, tips: () => tips };
};

const manyTitle =
  'GET /api/status › given 50 clients at once › each probe is made at most once in ten seconds';

onEveryChain(manyTitle, [], async (t, world) => {
  const { url, page, indexer, pass, tips } = await serveStatus(t, world);
  const ask50 = () =>
    Promise.all(Array.from({ length: 50 }, async () => (await fetch(`${url}/api/status`)).json()));
  const answers = await ask50();
  t.is(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
  pass(9_999);
  await ask50();
  t.deepEqual([...page.asked].sort(), ['HEAD /app', 'HEAD /docs', 'HEAD /explorer']);
  t.is(indexer.asked.length, 1);
  t.is(tips(), 1);
  pass(1);
  await ask50();
  t.is(page.asked.length, 6);
  t.is(indexer.asked.length, 2);
  t.is(tips(), 2);
});

const publicTitle = 'GET /api/status › it is public, cached for ten seconds, and says nothing of the inside';

onEveryChain(publicTitle, [], async (t, world) => {
  const { url, home, page } = await serveStatus(t, world);
  const response = await fetch(`${url}/api/status`);
  t.is(response.status, 200);
  t.is(response.headers.get('cache-control'), 'public, max-age=10');
  const text = await response.text();
  const body = JSON.parse(text) as Record<string, unknown>;
  t.like(body, {
    success: true,
    overall: 'operational',
    network: { name: 'chipnet', displayName: DISPLAY_NAMES[world.network] },
  });
  const keys = ['privateKey', 'passphrase', 'secret', 'token', 'authority', 'wif', 'hunter2', 'queue'];
  const inside = [
    home,
    '/tmp',
    '/home',
    '.json',
    '127.0.0.1',
    'localhost',
    'http:',
    'https:',
    'wss:',
    page.url,
  ];
  for (const word of [...keys, ...inside]) {
    t.false(text.toLowerCase().includes(word.toLowerCase()), `"${word}" is in ${text}`);
  }
  t.notRegex(text, /[0-9a-f]{40}/i);
});

onEveryChain('GET /api/status/incidents › it is empty, and cached for a minute', [], async (t, world) => {
  const { url } = await serveStatus(t, world);
  const response = await fetch(`${url}/api/status/incidents`);
  t.is(response.headers.get('cache-control'), 'public, max-age=60');
  t.deepEqual(await response.json(), { success: true, incidents: [], total: 0 });
});
