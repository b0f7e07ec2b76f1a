import test from 'ava';
import type { Context } from '../../../src/operation/context.js';
import { execute } from '../../../src/operation/execute.js';
import type { ProbesPort } from '../../../src/operation/ports/probes.js';
import { COMPONENTS, componentIds } from '../../../src/products/status/component.js';
import { incidents, show, viewSnapshot } from '../../../src/products/status/index.js';
import { Snapshot } from '../../../src/products/status/snapshot.js';
import { fakeContext } from '../../operation/fake-context.js';
import { fakeProbes } from './fake-probes.js';

const tip = { height: 500, hash: 'ab'.repeat(32), time: 1, medianTimePast: 1 };

type Tip = Context['chain']['tip'];

const world = (
  probes: ProbesPort,
  askTip: Tip = () => Promise.resolve(tip),
  changes: Partial<Context> = {},
) => {
  const base = fakeContext();
  return { ...base, probes, chain: { ...base.chain, tip: askTip }, ...changes };
};

const report = async (context: Context): Promise<Snapshot> =>
  Snapshot.parse(await execute(show, {}, context, { kind: 'http', trustAddressHeader: false }));

const statusOf = ({ components }: Snapshot, id: string) => components.find((one) => one.id === id)?.status;

test('status › given that all is well › it is the report of the specification', async (t) => {
  const snapshot = await report(world(fakeProbes()));
  t.like(snapshot, {
    updatedAt: '2026-06-01T00:00:00.000Z',
    overall: 'operational',
    network: { name: 'chipnet', isMainnet: false, displayName: 'Local', testnetWarning: true },
    chain: { height: 500, ageSeconds: null, error: null },
    summary: { total: 12, operational: 7, degraded: 0, outage: 0, maintenance: 0, unknown: 5 },
    incidents: [],
  });
  t.deepEqual(
    snapshot.components.map(({ id }) => id),
    componentIds,
  );
  t.is(snapshot.chain.recentHeights.length, 12);
  t.is(snapshot.chain.recentHeights.at(-1), 500);
  t.deepEqual(Object.keys(snapshot.components[1] ?? {}).sort(), [
    'description',
    'group',
    'id',
    'lastIncidentAt',
    'latencyMs',
    'name',
    'status',
    'uptime90d',
  ]);
});

test('status › given what was found of each component › it says so of that one alone', async (t) => {
  const snapshot = await report(
    world(
      fakeProbes(
        {
          frontend: null,
          docs: { kind: 'unreachable' },
          explorer: { kind: 'answered', httpStatus: 404, latencyMs: 9, reported: null },
          indexer: { kind: 'answered', httpStatus: 200, latencyMs: 9, reported: 'maintenance' },
        },
        { blockchain_monitor: 0, transaction_monitor: 100_000, cycle_unlock_scheduler: 1_000_000 },
      ),
    ),
  );
  t.deepEqual(Object.fromEntries(snapshot.components.map(({ id, status }) => [id, status])), {
    api: 'operational',
    frontend_app: 'unknown',
    docs: 'outage',
    explorer: 'degraded',
    bch_network: 'operational',
    database: 'operational',
    hosted_vault: 'unknown',
    indexer: 'maintenance',
    executor: 'unknown',
    blockchain_monitor: 'operational',
    transaction_monitor: 'degraded',
    cycle_unlock_scheduler: 'outage',
  });
  t.is(snapshot.overall, 'major_outage');
});

test('status › given a chain that fails › its network is out, without a height and with zeros', async (t) => {
  const secret = 'wss://fulcrum.internal:50004 refused key 5Kabc';
  const snapshot = await report(world(fakeProbes(), () => Promise.reject(new Error(secret))));
  t.deepEqual(snapshot.chain, {
    height: null,
    ageSeconds: null,
    latencyMs: null,
    recentHeights: new Array<number>(12).fill(0),
    error: 'The chain tip cannot be read.',
  });
  t.is(statusOf(snapshot, 'bch_network'), 'outage');
  t.is(snapshot.overall, 'partial_outage');
});

test('status › given a store that fails › its database is out', async (t) => {
  const { store } = fakeContext();
  const broken = { ...store, refresh: () => Promise.reject(new Error('/home/me/.treasury is gone')) };
  const context = world(fakeProbes(), undefined, { store: broken });
  const snapshot = Snapshot.parse(await show.run({}, { ...context, caller: null }));
  t.is(statusOf(snapshot, 'database'), 'outage');
});

test('status › given probes that are all silent › it takes no longer than the slowest limit', async (t) => {
  const never = () => new Promise<never>(() => undefined);
  const { store } = fakeContext();
  const probes = { ...fakeProbes(), limits: { chain: 1_000, database: 1_000 } };
  const context = world(probes, never, { store: { ...store, refresh: never } });
  const from = performance.now();
  const snapshot = Snapshot.parse(await show.run({}, { ...context, caller: null }));
  const took = performance.now() - from;
  t.deepEqual([statusOf(snapshot, 'bch_network'), statusOf(snapshot, 'database')], ['outage', 'outage']);
  // One after the other they would take two seconds.
  t.true(took >= 995 && took < 1_900, `${took} ms`);
});

test('status › given a report of less than ten seconds › it is given again, and nothing is probed', async (t) => {
  const probes = fakeProbes();
  let tips = 0;
  const context = world(probes, () => {
    tips += 1;
    return Promise.resolve(tip);
  });
  const first = await report(context);
  probes.pass(9_999);
  t.deepEqual(await report({ ...context, log: { ...context.log } }), first);
  t.deepEqual({ ...probes.made, tips }, { frontend: 1, docs: 1, explorer: 1, indexer: 1, tips: 1 });
  probes.pass(1);
  await report(context);
  t.deepEqual({ ...probes.made, tips }, { frontend: 2, docs: 2, explorer: 2, indexer: 2, tips: 2 });
});

test('status › given two services in one process › each has its own report', async (t) => {
  const [one, other] = [fakeProbes(), fakeProbes({ docs: { kind: 'unreachable' } })];
  await report(world(one));
  t.is(statusOf(await report(world(other)), 'docs'), 'outage');
});

test('status › given a report that cannot be built › it fails, and the next is built anew', async (t) => {
  const probes = fakeProbes();
  const broken = world(probes, undefined, {
    clock: {
      now: () => 0,
      wall: () => {
        throw new Error('the clock is gone');
      },
    },
  });
  await t.throwsAsync(report(broken), { message: 'the clock is gone' });
  t.is((await report(world(probes))).overall, 'operational');
});

test('status › incidents › there are none yet', async (t) => {
  const reply = await execute(incidents, {}, world(fakeProbes()), {
    kind: 'http',
    trustAddressHeader: false,
  });
  t.deepEqual(reply, { incidents: [], total: 0 });
});

test('status › for people › a row for each component that was probed, and a sign beside the colour', async (t) => {
  const snapshot = await report(world(fakeProbes({ docs: { kind: 'unreachable' } })));
  const table = viewSnapshot(snapshot).find((block) => block.kind === 'table');
  t.is(table?.rows.length, 12 - snapshot.summary.unknown);
  const row = table?.rows.find(([name]) => name === COMPONENTS.docs.name);
  t.deepEqual(row?.slice(0, 2), [COMPONENTS.docs.name, 'x outage']);
});

test('status › for people › what is not probed is counted and named, and is no alarm', async (t) => {
  const snapshot = await report(world(fakeProbes()));
  const silent = snapshot.components.filter(({ status }) => status === 'unknown');
  const texts = viewSnapshot(snapshot).flatMap((block) => (block.kind === 'text' ? [block.text] : []));
  t.is(texts[0], `${12 - silent.length} work, ${silent.length} are not probed.`);
  t.is(texts.at(-1), `Not probed: ${silent.map(({ name }) => name).join(', ')}.`);
});
