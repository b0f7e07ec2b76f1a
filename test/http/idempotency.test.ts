import { once } from 'node:events';
import test from 'ava';
import { openPostgresStore } from '../../src/adapters/postgres/postgres-store.js';
import { answerOnce, idempotencyCollection } from '../../src/http/idempotency.js';
import { fakeApp, alice, bob, recordLog, thingCollection } from './fake-app.js';
import { ask as askUrl, startFakeDaemon } from './fake-daemon.js';
import { startDaemon } from '../../src/daemon/start-daemon.js';
import { makeSchema, onPostgres } from '../adapters/store/each-store.js';

const keyed = (key: string, address = alice) => ({ 'x-user-address': address, 'idempotency-key': key });

test('Idempotency-Key › given the same request again › it gets the same answer and nothing is made', async (t) => {
  const { ask, controls } = await startFakeDaemon(t);
  const asking = { json: { title: 'one' }, headers: keyed('k') };
  const first = await ask('/api/things', asking);
  const second = await ask('/api/things', asking);
  t.is(first.status, 201);
  t.is(second.status, 201);
  t.is(second.text, first.text);
  t.is(first.headers['idempotent-replayed'], undefined);
  t.is(second.headers['idempotent-replayed'], 'true');
  t.is(controls.created, 1);
});

test('Idempotency-Key › given the same fields in another order › it is the same request', async (t) => {
  const { ask, controls } = await startFakeDaemon(t);
  const headers = keyed('k');
  await ask('/api/things', { json: { title: 'one', mode: 'plain' }, headers });
  const { status } = await ask('/api/things', { json: { mode: 'plain', title: 'one' }, headers });
  t.is(status, 201);
  t.is(controls.created, 1);
});

test('Idempotency-Key › given another body › it is a 422 and nothing is made', async (t) => {
  const { ask, controls } = await startFakeDaemon(t);
  await ask('/api/things', { json: { title: 'one' }, headers: keyed('k') });
  const { status, body } = await ask('/api/things', { json: { title: 'two' }, headers: keyed('k') });
  t.is(status, 422);
  t.like(body, { code: 'idempotency_mismatch', key: 'k' });
  t.is(controls.created, 1);
});

test('Idempotency-Key › given another key › it is another creation', async (t) => {
  const { ask, controls } = await startFakeDaemon(t);
  await ask('/api/things', { json: { title: 'one' }, headers: keyed('k') });
  await ask('/api/things', { json: { title: 'one' }, headers: keyed('l') });
  t.is(controls.created, 2);
});

test('Idempotency-Key › given another caller › the key is another one', async (t) => {
  const { ask, controls } = await startFakeDaemon(t);
  await ask('/api/things', { json: { title: 'one' }, headers: keyed('k') });
  const { body } = await ask('/api/things', { json: { title: 'one' }, headers: keyed('k', bob) });
  t.like(body, { thing: { owner: bob } });
  t.is(controls.created, 2);
});

test('Idempotency-Key › given no credentials › it is 401 whatever was kept under the key', async (t) => {
  const { ask } = await startFakeDaemon(t);
  await ask('/api/things', { json: { title: 'one' }, headers: keyed('k') });
  const { status } = await ask('/api/things', {
    json: { title: 'one' },
    headers: { 'idempotency-key': 'k' },
  });
  t.is(status, 401);
});

test('Idempotency-Key › given a request under way › its repetition is a 409 and only one is made', async (t) => {
  const { ask, controls } = await startFakeDaemon(t);
  const asking = { json: { title: 'one', slow: true }, headers: keyed('k') };
  const entered = once(controls.gate, 'entered');
  const first = ask('/api/things', asking);
  await entered;
  const second = await ask('/api/things', asking);
  controls.gate.emit('proceed');
  t.is(second.status, 409);
  t.like(second.body, { code: 'idempotency_in_progress', retryable: true });
  t.is((await first).status, 201);
  t.is(controls.created, 1);
});

test('Idempotency-Key › given many requests at once › only one is made', async (t) => {
  const { ask, controls } = await startFakeDaemon(t);
  const asking = { json: { title: 'one' }, headers: keyed('k') };
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask('/api/things', asking)));
  t.is(controls.created, 1);
  t.true(answers.every(({ status }) => status === 201 || status === 409));
  t.true(answers.some(({ status }) => status === 201));
});

test('Idempotency-Key › given a request that failed › the key is free again', async (t) => {
  const { ask, controls } = await startFakeDaemon(t);
  const failed = await ask('/api/things', { json: { title: 'one', mode: 'refuse' }, headers: keyed('k') });
  const mended = await ask('/api/things', { json: { title: 'one' }, headers: keyed('k') });
  t.is(failed.status, 409);
  t.is(mended.status, 201);
  t.is(controls.created, 2);
});

test('Idempotency-Key › given an answer that asks for preparation › it is not kept', async (t) => {
  const { ask, controls } = await startFakeDaemon(t);
  const asking = { json: { title: 'one', mode: 'prepare' }, headers: keyed('k') };
  await ask('/api/things', asking);
  await ask('/api/things', asking);
  t.is(controls.created, 2);
});

test('Idempotency-Key › given 24 hours › the answer is forgotten and its record removed', async (t) => {
  const { app, controls } = fakeApp();
  const daemon = await startDaemon({ app, port: 0, log: recordLog(), signals: null });
  t.teardown(daemon.stop);
  const create = (key: string) =>
    askUrl(`${daemon.url}/api/things`, { json: { title: 'one' }, headers: keyed(key) });
  await create('k');
  controls.wall += 24 * 60 * 60 - 1;
  await create('k');
  t.is(controls.created, 1);
  controls.wall += 1;
  await create('l');
  t.is((await app.context.store.find(idempotencyCollection)).total, 1);
  await create('k');
  t.is(controls.created, 3);
});

test('Idempotency-Key › given a request that takes long › its repetition is a 409 until it is answered', async (t) => {
  const { ask, controls } = await startFakeDaemon(t);
  const asking = { json: { title: 'one', slow: true }, headers: keyed('k') };
  const entered = once(controls.gate, 'entered');
  const first = ask('/api/things', asking);
  await entered;
  controls.wall += 3_600;
  t.is((await ask('/api/things', asking)).status, 409);
  controls.gate.emit('proceed');
  t.is((await ask('/api/things', asking)).text, (await first).text);
  t.is(controls.created, 1);
});

test('Idempotency-Key › given two daemons on one home at the same time › one makes it, and both give its answer', async (t) => {
  const { app, controls } = fakeApp();
  const start = async () => {
    const context = { ...app.context, store: { ...app.context.store } };
    const daemon = await startDaemon({ app: { ...app, context }, port: 0, log: recordLog(), signals: null });
    t.teardown(daemon.stop);
    return daemon;
  };
  const [one, other] = await Promise.all([start(), start()]);
  const asking = { json: { title: 'one', slow: true }, headers: keyed('k') };
  const answers = [];
  for (const { url } of [one, other]) {
    const entered = once(controls.gate, 'entered');
    answers.push(askUrl(`${url}/api/things`, asking));
    await entered;
  }
  controls.gate.emit('proceed');
  const [first, second] = await Promise.all(answers);
  t.is(first?.status, 201);
  t.is(second?.text, first?.text);
  t.deepEqual([first, second].map((answer) => answer?.headers['idempotent-replayed']).sort(), [
    'true',
    undefined,
  ]);
  t.is(controls.created, 2, 'both ran');
  t.is((await app.context.store.find(thingCollection)).total, 1);
});

test('Idempotency-Key › given one that is no visible ASCII › it is refused by name', async (t) => {
  const { ask } = await startFakeDaemon(t);
  for (const key of ['', 'a b', 'x'.repeat(256)]) {
    const { status, body } = await ask('/api/things', { json: { title: 'one' }, headers: keyed(key) });
    t.is(status, 400);
    t.like(body, { issues: [{ path: 'Idempotency-Key' }] });
  }
});

test('Idempotency-Key › given a route that creates nothing › it is ignored', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = keyed('k');
  await ask('/api/things/7/echo', { json: { title: 'one' }, headers });
  const { body } = await ask('/api/things/7/echo', { json: { title: 'two' }, headers });
  t.like(body, { input: { title: 'two' } });
});

onPostgres(
  'Idempotency-Key › given records in a database › the answer is the same to the byte',
  async (t) => {
    const store = await openPostgresStore(await makeSchema([idempotencyCollection]));
    t.teardown(store.close);
    const log = recordLog();
    const clock = { now: () => 0, wall: () => 1_000 };
    const body = { success: true, a: 1, longer: { z: 'é\0', b: [{ y: 1, x: null }] } };
    const ask = () =>
      answerOnce({ key: 'k', scope: ['alice'], input: {} }, { store, clock, log }, () =>
        Promise.resolve({ status: 201, body }),
      );
    await ask();
    const again = await ask();
    t.true(again.replayed);
    t.is(JSON.stringify(again.body), JSON.stringify(body));
  },
);
