import test, { type ExecutionContext } from 'ava';
import { openProbes, type ProbeSettings } from '../../../src/adapters/probes/probes.js';
import { deadUrl, hangUp, json, silence, startWebServer } from '../web-server.js';

const settings: ProbeSettings = {
  pages: { frontend: null, docs: null, explorer: null },
  indexerUrl: null,
  limits: { page: 5_000, indexer: 5_000, chain: 1_000, database: 1_000 },
};

const openOn = async (t: ExecutionContext, answer: Parameters<typeof startWebServer>[1], limit = 5_000) => {
  const server = await startWebServer(t, answer);
  const probes = openProbes({
    ...settings,
    pages: { frontend: `${server.url}/app`, docs: null, explorer: null },
    indexerUrl: `${server.url}/health`,
    limits: { ...settings.limits, page: limit, indexer: limit },
  });
  return { server, probes };
};

test('probes › given a page that is configured › it is asked with HEAD, and its answer is timed', async (t) => {
  const { server, probes } = await openOn(t, json({}, 404));
  const found = await probes.page('frontend');
  t.like(found, { kind: 'answered', httpStatus: 404, reported: null });
  t.true(found?.kind === 'answered' && found.latencyMs >= 0);
  t.deepEqual(server.asked, ['HEAD /app']);
});

test('probes › given a page that is not configured › nothing is asked', async (t) => {
  const { server, probes } = await openOn(t, json({}));
  t.is(await probes.page('docs'), null);
  t.is(await openProbes(settings).indexer(), null);
  t.deepEqual(server.asked, []);
});

test('probes › given an indexer › the status that it says of itself is read', async (t) => {
  const { server, probes } = await openOn(t, json({ status: 'degraded', host: 'internal' }));
  t.like(await probes.indexer(), { kind: 'answered', httpStatus: 200, reported: 'degraded' });
  t.deepEqual(server.asked, ['GET /health']);
});

for (const [name, body] of [
  ['no JSON', '<html>'],
  ['a status that is no text', '{"status":{"code":1}}'],
  ['null', 'null'],
] as const) {
  test(`probes › given an indexer that answers ${name} › it says no status`, async (t) => {
    const { probes } = await openOn(t, (_request, response) => void response.end(body));
    t.like(await probes.indexer(), { kind: 'answered', reported: null });
  });
}

test('probes › given a server that hangs up or is dead › it is unreachable', async (t) => {
  const { probes } = await openOn(t, hangUp);
  t.deepEqual(await probes.page('frontend'), { kind: 'unreachable' });
  const dead = openProbes({ ...settings, indexerUrl: await deadUrl() });
  t.deepEqual(await dead.indexer(), { kind: 'unreachable' });
});

test('probes › given a server that is silent › it is unreachable once its limit is over', async (t) => {
  const { probes } = await openOn(t, silence, 60);
  const from = performance.now();
  t.deepEqual(await probes.page('frontend'), { kind: 'unreachable' });
  t.true(performance.now() - from < 3_000);
});

test('probes › given a worker that beats › the age of its last beat is known', (t) => {
  let now = 0;
  const probes = openProbes({ ...settings, elapsed: () => now });
  t.is(probes.sinceBeat('transaction_monitor'), null);
  probes.beat('transaction_monitor');
  now = 700;
  t.is(probes.sinceBeat('transaction_monitor'), 700);
  t.is(probes.sinceBeat('blockchain_monitor'), null);
});
