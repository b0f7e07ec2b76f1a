/** The worker that delivers events, against real receivers: order, retries, and what ends a webhook. */
import type { ServerResponse } from 'node:http';
import test from 'ava';
import type { DeliveryRecord } from '../../../src/record/webhooks/webhook.js';
import { readLeaseTable } from '../../../src/record/leases.js';
import { deliveryCollection } from '../../../src/record/webhooks/webhook.js';
import { TreasuryError } from '../../../src/errors.js';
import { tellEvent } from '../../../src/record/event-log.js';
import type { TestHome } from '../../home.js';
import { openReceiver } from '../../receiver.js';
import { recordLog } from '../../http/fake-app.js';
import { alice, bob, logOf, opened, openDelivering, sequencesOf, type Delivering } from './delivering.js';

const DAY = 86_400;

const deliveries = async ({ store }: Delivering): Promise<readonly DeliveryRecord[]> =>
  (await store.find(deliveryCollection, { order: 'oldest' })).items;

test('worker › given events › each goes out signed, in order, one at a time', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const { secret, label } = await home.add(receiver.url);
  await home.tell('stream.funded', 'stream.claimed', 'payment.due', 'vault.deposited');
  await home.worker().idle();
  const bodies = opened(receiver.received, secret);
  t.deepEqual(sequencesOf(bodies), [1, 2, 3, 4]);
  t.deepEqual(
    bodies.map(({ type }) => type),
    ['stream.funded', 'stream.claimed', 'payment.due', 'vault.deposited'],
  );
  t.is(bodies[0]?.timestamp, '2026-06-01T00:00:00.000Z');
  t.is(receiver.mostAtOnce(), 1);
  const [first] = await logOf(home);
  t.deepEqual(bodies[0]?.data, first);
  t.is(receiver.received[0]?.headers['webhook-id'], first?.id);
  t.like(await home.show(label), { status: 'active', cursor: 4, behind: 0, waiting: 0 });
});

test('worker › given nothing new › nothing is written and nothing is sent', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  await home.add(receiver.url);
  await home.tell('stream.funded');
  const worker = home.worker();
  await worker.idle();
  let commits = 0;
  const counting = home.worker({
    context: {
      ...home,
      store: {
        ...home.store,
        transaction: (change) => {
          commits += 1;
          return home.store.transaction(change);
        },
      },
    },
  });
  for (let count = 0; count < 5; count += 1) await counting.idle();
  t.is(commits, 0);
  t.is(receiver.received.length, 1);
});

const away = () => new TreasuryError('store_unreachable', { database: 'here', reason: 'it is away' });

test('worker › given a store that is away when it is to be kept › nothing is sent again', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const { label } = await home.add(receiver.url);
  await home.tell('stream.funded', 'stream.claimed', 'payment.due');
  let tries = 0;
  const transaction: typeof home.store.transaction = (change) => {
    tries += 1;
    return tries <= 2 ? Promise.reject(away()) : home.store.transaction(change);
  };
  await home.worker({ context: { ...home, store: { ...home.store, transaction } } }).idle();
  t.true(tries > 2);
  t.is(receiver.received.length, 3);
  t.like(await home.show(label), { cursor: 3, behind: 0, waiting: 0 });
});

test('worker › given a log that cannot be read further › what was sent is kept', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const { label } = await home.add(receiver.url);
  await home.tell('stream.funded', 'stream.claimed', 'payment.due');
  let failures = 0;
  const readLog: typeof home.store.readLog = (...asked) => {
    if (receiver.received.length < 3 || failures > 0) return home.store.readLog(...asked);
    failures += 1;
    return Promise.reject(away());
  };
  const worker = home.worker({ context: { ...home, store: { ...home.store, readLog } } });
  await worker.idle();
  t.is(failures, 1);
  await worker.idle();
  t.is(receiver.received.length, 3);
  t.like(await home.show(label), { cursor: 3, behind: 0, waiting: 0 });
});

test('worker › given filters › only what is asked for goes out, and the withdrawal of it', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const { secret } = await home.add(receiver.url, {
    types: 'stream.claimed, payment.*',
    record: 'STREAM-0001',
  });
  const about = { kind: 'stream', label: '#STREAM-0001', id: 'one' };
  const alices = { subject: about, parties: [alice.text] };
  await home.tellOne({ type: 'stream.claimed', ...alices });
  await home.tellOne({ type: 'stream.funded', ...alices });
  await home.tellOne({ type: 'stream.claimed.reverted', ...alices, reverts: 'one' });
  await home.tellOne({ type: 'payment.due', ...alices });
  await home.tellOne({
    type: 'payment.due',
    ...alices,
    subject: { ...about, label: '#STREAM-0002', id: 'two' },
  });
  await home.tellOne({ type: 'payment.due' });
  await home.worker().idle();
  t.deepEqual(sequencesOf(opened(receiver.received, secret)), [1, 3, 4]);
});

test('worker › given a certainty › each move is told once, when it is that sure', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const { secret } = await home.add(receiver.url, { certainty: 'confirmed' });
  await home.tellOne({ certainty: 'seen', was: null });
  await home.tellOne({ certainty: 'confirmed', was: 'seen' });
  await home.tellOne({ certainty: 'safe', was: 'confirmed' });
  await home.tellOne({ certainty: 'safe', was: null });
  await home.tellOne({ type: 'payment.due', certainty: null });
  await home.worker().idle();
  t.deepEqual(sequencesOf(opened(receiver.received, secret)), [2, 4, 5]);
});

test('worker › given events of records that its maker may not read › they are not sent', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const { secret } = await home.add(receiver.url);
  const subject = { kind: 'vault', label: '#VAULT-0001', id: 'gone' };
  await home.tellOne({ subject, parties: [bob.text] });
  await home.tellOne({ subject, parties: [alice.text, bob.text] });
  await home.worker().idle();
  t.deepEqual(sequencesOf(opened(receiver.received, secret)), [2]);
});

test('worker › given a failure › the next events wait for the tries that come soon', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t, 500);
  const { secret, label } = await home.add(receiver.url);
  await home.tell('stream.funded', 'stream.claimed');
  const worker = home.worker();
  await worker.idle();
  t.is(receiver.received.length, 1);
  t.like(await home.show(label), { status: 'failing', cursor: 1, waiting: 1 });
  home.pass(4);
  await worker.idle();
  t.is(receiver.received.length, 1, 'not before 5 seconds are over');
  receiver.answer = 200;
  home.pass(1);
  await worker.idle();
  const bodies = opened(receiver.received, secret);
  t.deepEqual(sequencesOf(bodies), [1, 1, 2]);
  const [one, two] = receiver.received;
  t.is(one?.headers['webhook-id'], two?.headers['webhook-id']);
  t.not(one?.headers['webhook-timestamp'], two?.headers['webhook-timestamp']);
  t.like(await home.show(label), { status: 'active', cursor: 2, waiting: 0 });
});

test('worker › given an event that is never taken › it is tried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 14 h, then set aside', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  receiver.answer = (response, { body }) =>
    response.writeHead(body.includes('keeper.failed') ? 422 : 200).end();
  const { label } = await home.add(receiver.url);
  await home.tell('keeper.failed');
  const worker = home.worker();
  const tried: number[] = [];
  const count = () => receiver.received.filter(({ body }) => body.includes('keeper.failed')).length;
  await worker.idle();
  for (const wait of [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400]) {
    home.pass(wait - 1);
    await worker.idle();
    const before = count();
    home.pass(1);
    await worker.idle();
    tried.push(count() - before);
  }
  t.deepEqual(tried, [1, 1, 1, 1, 1, 1, 1]);
  t.is(count(), 8);
  t.like(await home.show(label), { waiting: 0, setAside: 1 });
  const [delivery] = await deliveries(home);
  t.like(delivery, { status: 'set_aside', attempts: 8, next_at: null });
  t.is(delivery?.last?.status, 422);
  home.pass(DAY);
  await worker.idle();
  t.is(count(), 8, 'nothing is tried by itself any more');
});

test('worker › given one event that is never taken › those behind it go on after two tries', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  receiver.answer = (response, { body }) =>
    response.writeHead(body.includes('keeper.failed') ? 500 : 200).end();
  const { secret } = await home.add(receiver.url);
  await home.tell('stream.funded', 'keeper.failed', 'stream.claimed', 'payment.due');
  const worker = home.worker();
  await worker.idle();
  home.pass(5);
  await worker.idle();
  t.deepEqual(sequencesOf(opened(receiver.received, secret)), [1, 2, 2]);
  home.pass(300);
  await worker.idle();
  t.deepEqual(sequencesOf(opened(receiver.received, secret)), [1, 2, 2, 2, 3, 4]);
});

test('worker › given a receiver that is down › no more than 20 deliveries are kept for it, and nothing is lost', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t, 503);
  const { secret, label } = await home.add(receiver.url, { atOnce: 20 });
  await home.tell(...Array.from({ length: 60 }, () => 'stream.claimed'));
  const worker = home.worker();
  await worker.idle();
  t.like(await home.show(label), { waiting: 20, cursor: 20 });
  receiver.answer = 200;
  home.pass(300);
  await worker.idle();
  await worker.idle();
  const taken = new Set(sequencesOf(opened(receiver.received.slice(20), secret)));
  t.deepEqual(
    [...taken].sort((a, b) => a - b),
    Array.from({ length: 60 }, (_, index) => index + 1),
  );
  t.like(await home.show(label), { waiting: 0, cursor: 60, status: 'active' });
});

test('worker › given one that comes back after an outage › what waits is tried at once', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t, 503);
  const { label } = await home.add(receiver.url, { atOnce: 3 });
  const worker = home.worker();
  await home.tell('stream.funded');
  await worker.idle();
  home.pass(5);
  await worker.idle();
  home.pass(295);
  await home.tell('stream.claimed');
  await worker.idle();
  t.is((await home.show(label)).waiting, 2);
  receiver.answer = 200;
  home.pass(5);
  await worker.idle();
  t.like(await home.show(label), { waiting: 0, status: 'active' });
});

test('worker › given --at-once 4 › four are under way, and no more', async (t) => {
  const home = await openDelivering(t);
  // Nobody is answered before four have come.
  const open: ServerResponse[] = [];
  const receiver = await openReceiver(t, (response) => {
    open.push(response);
    if (open.length === 4) for (const one of open.splice(0)) one.writeHead(204).end();
  });
  const { secret } = await home.add(receiver.url, { atOnce: 4 });
  await home.tell(...Array.from({ length: 12 }, () => 'stream.claimed'));
  await home.worker().idle();
  t.is(receiver.mostAtOnce(), 4);
  t.is(new Set(sequencesOf(opened(receiver.received, secret))).size, 12);
});

test('worker › given 410 › it is disabled, and that is said in the log', async (t) => {
  const home = await openDelivering(t);
  const [receiver, other] = [await openReceiver(t, 410), await openReceiver(t)];
  const { label } = await home.add(receiver.url);
  const { secret } = await home.add(other.url);
  await home.tell('stream.funded', 'stream.claimed');
  const worker = home.worker();
  await worker.idle();
  await worker.idle();
  t.is(receiver.received.length, 1);
  t.like(await home.show(label), { status: 'disabled', reason: 'it answered 410: it wants no more' });
  const last = opened(other.received, secret).at(-1);
  t.is(last?.type, 'webhook.disabled');
  t.deepEqual(last?.data.data, { webhook: label, reason: 'it answered 410: it wants no more' });
  home.pass(DAY);
  await worker.idle();
  t.is(receiver.received.length, 1);
});

test('worker › given five days of failure › it is disabled and said, and goes on from there when it is enabled', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t, 500);
  const { secret, label } = await home.add(receiver.url);
  const worker = home.worker();
  for (let hour = 0; hour < 5 * 24; hour += 1) {
    if (hour % 24 === 0) await home.tell('stream.claimed');
    await worker.idle();
    t.is((await home.show(label)).status, 'failing', `after ${hour} hours`);
    home.pass(3_600);
  }
  for (let hour = 0; hour < 15; hour += 1) {
    await worker.idle();
    home.pass(3_600);
  }
  const { status, reason, setAside } = await home.show(label);
  t.is(status, 'disabled');
  t.regex(reason ?? '', /nothing for 5 days: it answered 500/);
  t.true((await logOf(home)).some(({ type }) => type === 'webhook.disabled'));

  receiver.answer = 200;
  const before = receiver.received.length;
  await home.run('enable', { id: label });
  if (setAside > 0) await home.run('resend', { id: label, setAside: true });
  await worker.idle();
  home.pass(15 * 3_600);
  await worker.idle();
  const taken = new Set(sequencesOf(opened(receiver.received.slice(before), secret)));
  t.deepEqual(
    [...taken].sort((a, b) => a - b),
    [1, 2, 3, 4, 5, 6],
  );
});

test('worker › given a success in between › the five days begin anew', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t, 500);
  const { label } = await home.add(receiver.url);
  const worker = home.worker();
  await home.tell('stream.claimed');
  await worker.idle();
  home.pass(3 * DAY);
  receiver.answer = 200;
  await worker.idle();
  receiver.answer = 500;
  await home.tell('stream.claimed');
  await worker.idle();
  home.pass(3 * DAY);
  await worker.idle();
  t.is((await home.show(label)).status, 'failing');
});

test('worker › given a rotation › both secrets sign for as long as the old one is kept', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const { secret: old, label } = await home.add(receiver.url);
  const { secret } = (await home.run('rotate', { id: label, keep: 3_600 })) as { secret: string };
  await home.tell('stream.funded');
  const worker = home.worker();
  await worker.idle();
  home.pass(3_600);
  await home.tell('stream.claimed');
  await worker.idle();
  t.is(opened(receiver.received, secret).length, 2);
  t.is(opened(receiver.received.slice(0, 1), old).length, 1);
  t.throws(() => opened(receiver.received.slice(1), old), { message: 'it is forged' });
});

test('worker › given a commit of this process › it looks at once; of another, with the next tick', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  await home.add(receiver.url);
  const listeners = new Set<() => void>();
  const onCommit = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const worker = home.worker({ context: { ...home, onCommit }, tickMs: 1_000_000 });
  await worker.start();
  await home.tell('stream.funded');
  for (const listener of listeners) listener();
  for (let tries = 0; tries < 1_000 && receiver.received.length === 0; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 5));
  t.is(receiver.received.length, 1);
  await worker.stop();
  t.is(listeners.size, 0);
});

test('worker › given two daemons on one home › nothing is sent twice', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t, (response) => {
    setTimeout(() => response.writeHead(200).end(), 5);
  });
  const { secret } = await home.add(receiver.url);
  const workers = [await home.daemon(), await home.daemon(), await home.daemon()].map(({ worker }) => worker);
  for (const worker of workers) await worker.start();
  for (let round = 0; round < 5; round += 1) {
    await home.tell(...Array.from({ length: 8 }, () => 'stream.claimed'));
    await Promise.all(workers.map((worker) => worker.idle()));
  }
  for (let tries = 0; tries < 100 && receiver.received.length < 40; tries += 1)
    await Promise.all(workers.map((worker) => worker.idle()));
  t.deepEqual(
    sequencesOf(opened(receiver.received, secret)),
    Array.from({ length: 40 }, (_, index) => index + 1),
  );
  t.is(receiver.mostAtOnce(), 1);
});

test('worker › given another daemon that has the lease › it sends nothing before that one is over its time', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  await home.add(receiver.url);
  const [first, second] = [await home.daemon(), await home.daemon()];
  const webhooks = async () =>
    (await readLeaseTable(home)).leases.filter(({ id }) => id.startsWith('webhook '));
  await first.share.look();
  const [lease] = await webhooks();
  const [holder, other] = lease?.holder === first.share.leases.holder() ? [first, second] : [second, first];
  t.true(holder.share.has(lease?.id ?? ''));
  await home.tell('stream.funded');
  await other.worker.idle();
  t.is(receiver.received.length, 0);
  await holder.worker.idle();
  t.is(receiver.received.length, 1);
  // It gives back what it has when it stops.
  await holder.worker.stop();
  await holder.share.stop();
  await home.tell('stream.claimed');
  await other.share.look();
  await other.worker.idle();
  t.is(receiver.received.length, 2);
  t.is((await webhooks())[0]?.fence, 2);
});

test('worker › given one that hangs when the daemon stops › it stops all the same, and the event is sent again', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t, () => undefined);
  const { secret, label } = await home.add(receiver.url);
  await home.tell('stream.funded', 'stream.claimed');
  const worker = home.worker({ tickMs: 5 });
  await worker.start();
  while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await worker.stop();
  t.like(await home.show(label), { status: 'active', cursor: 0, waiting: 0 });
  receiver.answer = 200;
  await home.worker().idle();
  t.deepEqual(sequencesOf(opened(receiver.received, secret)), [1, 1, 2]);
});

test('worker › given many that were taken › the last hundred of them are remembered', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  await home.add(receiver.url);
  await home.tell(...Array.from({ length: 130 }, () => 'stream.claimed'));
  await home.worker().idle();
  t.is(receiver.received.length, 130);
  const kept = await deliveries(home);
  t.deepEqual([kept.length, kept[0]?.sequence, kept.at(-1)?.sequence], [100, 31, 130]);
});

test('worker › given a secret that this home cannot make any more › nothing goes out unsigned, and why is said', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  await home.add(receiver.url);
  await home.tell('stream.funded');
  const context = { ...home, messenger: { ...home.messenger, secretsOf: () => Promise.resolve([null]) } };
  await home.worker({ context }).idle();
  t.is(receiver.received.length, 0);
  t.regex((await deliveries(home))[0]?.last?.reason ?? '', /webhooks rotate/);
});

test('worker › given failures › no line of the log has a secret', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t, 500);
  const { secret, label } = await home.add(`${receiver.url}?token=abc`);
  const log = recordLog();
  await home.tell('stream.funded');
  const worker = home.worker({ context: { ...home, log } });
  await worker.idle();
  receiver.answer = 410;
  home.pass(5);
  await worker.idle();
  const text = JSON.stringify(log.lines);
  t.regex(text, /a delivery to a webhook failed/);
  t.regex(text, /a webhook is disabled/);
  t.true(text.includes(label));
  t.false(text.includes(secret.slice(6)) || text.includes('whsec_') || text.includes('token=abc'));
});

/** Parts of the log that are read between two turns of the program, at most, while something is done. */
const mostReadsInOneTurn = async (home: Delivering, work: (spied: TestHome) => Promise<unknown>) => {
  let [reads, most] = [0, 0];
  const store: TestHome['store'] = {
    ...home.store,
    readLog: (log, range) => {
      if (range.limit > 0) reads += 1;
      most = Math.max(most, reads);
      return home.store.readLog(log, range);
    },
  };
  const turns = new AbortController();
  const count = (): void => {
    reads = 0;
    if (!turns.signal.aborted) setImmediate(count);
  };
  count();
  await work({ ...home, store });
  turns.abort();
  return most;
};

test('a long log › looked through for webhooks that nothing in it is for › others get their turn between its parts', async (t) => {
  const home = await openDelivering(t);
  await home.store.transaction(async (writer) => {
    for (let place = 1; place <= 3_000; place += 1)
      await tellEvent(writer, { type: 'chain.reorg', time: home.clock.wall(), subject: null });
  });
  for (let i = 0; i < 5; i += 1) await home.add(`https://example.org/${i}`, { since: 0, types: 'payment.*' });
  const most = await mostReadsInOneTurn(home, (context) => home.worker({ context, tickMs: 100_000 }).idle());
  t.true(most <= 10, `${most} parts were read at once`);
  t.is((await home.show('HOOK-0001')).cursor, 3_000);
});
