/** Webhooks where the records are on PostgreSQL: there a change does not know the end of the log. */
import test, { type ExecutionContext } from 'ava';
import { openPostgresStore } from '../../src/adapters/postgres/postgres-store.js';
import { openDelivering, opened, sequencesOf, type Delivering } from '../daemon/webhooks/delivering.js';
import { makeTreasuryDatabase } from '../postgres/database.js';
import { testServer } from '../postgres/server.js';
import { openReceiver } from '../receiver.js';

const server = await testServer();
const onPostgres = 'missing' in server ? test.skip : test;

const openOnPostgres = async (t: ExecutionContext, connections = 4): Promise<Delivering> => {
  const url = await makeTreasuryDatabase(t);
  return openDelivering(t, {
    store: await openPostgresStore({ url, schema: 'treasury_local', connections }),
  });
};

onPostgres('add › given no place in the log › it is told of what comes from then on', async (t) => {
  const home = await openOnPostgres(t);
  const receiver = await openReceiver(t);
  await home.tell('stream.funded');
  const { label, secret } = await home.add(receiver.url);
  t.like(await home.show(label), { cursor: 1, behind: 0 });
  await home.tell('stream.claimed', 'stream.paused');
  await home.worker().idle();
  t.deepEqual(sequencesOf(opened(receiver.received, secret)), [2, 3]);
});

onPostgres(
  'resend › given a place behind the end of the log › it is invalid_input, and nothing changes',
  async (t) => {
    const home = await openOnPostgres(t);
    await home.tell('stream.funded');
    const { label } = await home.add('https://example.org/', { since: 0 });
    const before = await home.show(label);
    await t.throwsAsync(home.run('resend', { id: label, since: 5 }), { code: 'invalid_input' });
    t.deepEqual(await home.show(label), before);
  },
);

onPostgres('resend › given more at once than there are connections › all of them are taken', async (t) => {
  const home = await openOnPostgres(t, 4);
  const { label } = await home.add('https://example.org/', { since: 0 });
  await home.tell(...Array.from({ length: 12 }, () => 'chain.reorg'));
  const asked = performance.now();
  await Promise.all(
    Array.from({ length: 12 }, (_, at) => home.run('resend', { id: label, delivery: String(at + 1) })),
  );
  t.true(performance.now() - asked < 4_000, 'nobody waited for a connection that somebody else held');
  t.is((await home.show(label)).waiting, 12);
});
