import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { defineWebhooks } from '../../src/home/webhooks/index.js';
import { execute } from '../../src/operation/execute.js';
import { operationsOf } from '../../src/operation/define.js';
import { TreasuryError } from '../../src/errors.js';
import { webhookBacklog } from '../../src/record/webhooks/backlog.js';
import {
  alice,
  bob,
  openDelivering,
  opened,
  sequencesOf,
  type Delivering,
  type Shown,
} from '../daemon/webhooks/delivering.js';
import { openReceiver } from '../receiver.js';

const operations = operationsOf(defineWebhooks([]));
const operationOf = (verb: string) => {
  const found = operations.find(({ id }) => id === `webhooks.${verb}`);
  if (found === undefined) throw new Error(`there is no webhooks.${verb}`);
  return found;
};

/** Asks over HTTP, as somebody whose header is taken on its word. */
const overHttp = (home: Delivering, verb: string, input: Record<string, unknown>, who = bob) =>
  execute(operationOf(verb), input, home, { kind: 'http', userAddress: who.text, trustAddressHeader: true });

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'done';
  } catch (error) {
    return error instanceof TreasuryError ? String(error.code) : String(error);
  }
};

const everyFile = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');

test('add › given an address › it is there, and its secret stands nowhere in the home', async (t) => {
  const home = await openDelivering(t);
  const { webhook, secret } = (await home.run('add', {
    url: 'https://example.org/hooks',
    types: 'stream.*',
  })) as {
    webhook: Record<string, unknown>;
    secret: string;
  };
  t.like(webhook, {
    label: '#HOOK-0001',
    url: 'https://example.org/hooks',
    status: 'active',
    owner: alice.text,
  });
  t.deepEqual(webhook['types'], ['stream.*']);
  t.regex(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.false(everyFile(home.home).includes(secret.slice(6)));
  t.false(JSON.stringify(await home.run('list')).includes(secret.slice(6)));
  t.false(JSON.stringify(await home.run('show', { id: 'hook-0001' })).includes(secret.slice(6)));
});

test('add › given the same address with the same filters › it is webhook_exists', async (t) => {
  const home = await openDelivering(t);
  await home.run('add', { url: 'https://example.org/hooks', types: 'payment.*,stream.*' });
  const again = { url: 'https://EXAMPLE.org/hooks', types: 'stream.*, payment.*' };
  t.is(await codeOf(home.run('add', again)), 'webhook_exists');
  t.is(await codeOf(home.run('add', { ...again, certainty: 'safe' })), 'done');
});

for (const [what, input, code] of [
  ['an address of this machine', { url: 'http://127.0.0.1:3000/' }, 'invalid_url'],
  ['an address in a private network', { url: 'https://192.168.0.1/' }, 'invalid_url'],
  ['an address with a password', { url: 'https://a:b@example.org/' }, 'invalid_url'],
  ['an address with a line break', { url: 'https://example.org/\r\nx: y' }, 'invalid_url'],
  ['no address', { url: 'example.org' }, 'invalid_url'],
  ['a type that is none', { url: 'https://example.org/', types: 'Stream Claimed' }, 'invalid_input'],
  [
    '51 types',
    {
      url: 'https://example.org/',
      types: Array.from({ length: 51 }, (_, i) => `a.${'b'.repeat(i + 1)}`).join(),
    },
    'invalid_input',
  ],
  ['a place that the log has not come to', { url: 'https://example.org/', since: 1 }, 'invalid_input'],
  ['a certainty that is none', { url: 'https://example.org/', certainty: 'sure' }, 'invalid_input'],
  ['21 at once', { url: 'https://example.org/', atOnce: 21 }, 'invalid_input'],
] as const) {
  test(`add › given ${what} › it is ${code}, and nothing is made`, async (t) => {
    const home = await openDelivering(t);
    t.is(await codeOf(home.run('add', input)), code);
    t.is(((await home.run('list')) as { total: number }).total, 0);
  });
}

test('add › given a place in the log › it begins after it', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  await home.tell('stream.created', 'stream.funded', 'stream.claimed');
  const { secret } = await home.add(receiver.url, { since: 1 });
  await home.worker().idle();
  t.deepEqual(sequencesOf(opened(receiver.received, secret)), [2, 3]);
});

test('add › given a stranger who wants private addresses › it is invalid_url, since the operator alone allows them', async (t) => {
  const home = await openDelivering(t);
  for (const url of ['http://127.0.0.1:3000/', 'https://10.0.0.1/', 'https://example.org/'])
    t.is(await codeOf(overHttp(home, 'add', { url, allowPrivate: true })), 'invalid_url', url);
  t.is(
    await codeOf(overHttp(home, 'test', { id: 'http://127.0.0.1:3000/', allowPrivate: true })),
    'invalid_url',
  );
  t.is(
    await codeOf(overHttp(home, 'test', { id: 'http://169.254.169.254/latest/meta-data/' })),
    'invalid_url',
  );
  t.is(((await home.run('list')) as { total: number }).total, 0);
});

test('add › given a stranger with 20 webhooks › it is too_many_webhooks; the operator may go on', async (t) => {
  const home = await openDelivering(t);
  for (let count = 0; count < 20; count += 1)
    await overHttp(home, 'add', { url: `https://example.org/${count}` });
  t.is(await codeOf(overHttp(home, 'add', { url: 'https://example.org/more' })), 'too_many_webhooks');
  t.is(await codeOf(home.run('add', { url: 'https://example.org/more' })), 'done');
});

test('list, show › given webhooks of somebody else › over HTTP they are not there; the operator sees all', async (t) => {
  const home = await openDelivering(t);
  await home.run('add', { url: 'https://example.org/a' });
  await overHttp(home, 'add', { url: 'https://example.org/b' });
  const { webhooks } = (await overHttp(home, 'list', {})) as { webhooks: { url: string }[] };
  t.deepEqual(
    webhooks.map(({ url }) => url),
    ['https://example.org/b'],
  );
  for (const verb of ['show', 'test', 'deliveries', 'rotate', 'enable', 'remove'])
    t.is(await codeOf(overHttp(home, verb, { id: 'HOOK-0001' })), 'webhook_not_found', verb);
  t.is(await codeOf(overHttp(home, 'resend', { id: 'HOOK-0001', since: 0 })), 'webhook_not_found');
  t.is(((await home.run('list')) as { total: number }).total, 2);
});

test('show › given a label that is none › it is webhook_not_found, with the nearest', async (t) => {
  const home = await openDelivering(t);
  await home.run('add', { url: 'https://example.org/a' });
  const error = await home.refusal(t, 'webhook_not_found', operationOf('show'), { id: 'hook-0002' }, alice);
  t.is(error.details['nearest'], '#HOOK-0001');
});

test('test › given a webhook › a signed webhook.test goes out, and the answer is shown', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t, (response) => response.writeHead(202).end('got it'));
  const { label, secret } = await home.add(receiver.url);
  t.like(await home.run('test', { id: label }), { success: true, answer: 202, body: 'got it', secret: null });
  const [body] = opened(receiver.received, secret);
  t.is(body?.type, 'webhook.test');
  t.is((await home.show(label)).cursor, 0, 'it is no event of the log');
  receiver.answer = 418;
  t.like(await home.run('test', { id: label }), { success: false, answer: 418, reason: 'it answered 418' });
});

test('test › given an address › it is signed with a secret that is shown', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const reply = await home.run('test', { id: receiver.url, allowPrivate: true });
  t.is(reply['success'], true);
  t.is(opened(receiver.received, String(reply['secret'])).length, 1);
  t.is(await codeOf(home.run('test', { id: receiver.url })), 'invalid_url');
});

test('rotate › given a webhook › it has another secret, and the old one signs no longer than is asked for', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const { label, secret } = await home.add(receiver.url);
  const second = (await home.run('rotate', { id: label })) as { secret: string; keptFor: number };
  t.is(second.keptFor, 86_400);
  await home.run('test', { id: label });
  const third = (await home.run('rotate', { id: label, keep: 0 })) as { secret: string };
  await home.run('test', { id: label });
  t.notThrows(() => opened(receiver.received.slice(0, 1), secret));
  t.notThrows(() => opened(receiver.received.slice(0, 1), second.secret));
  t.throws(() => opened(receiver.received.slice(1), second.secret));
  t.notThrows(() => opened(receiver.received.slice(1), third.secret));
});

test('rotate › given many in a row › five secrets sign at most', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const { label } = await home.add(receiver.url);
  for (let count = 0; count < 7; count += 1) await home.run('rotate', { id: label });
  await home.run('test', { id: label });
  t.is(String(receiver.received[0]?.headers['webhook-signature']).split(' ').length, 5);
});

test('deliveries › given some that were taken and one that was not › each says what was answered and when it is tried again', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const { label } = await home.add(receiver.url);
  await home.tell('stream.funded');
  const worker = home.worker();
  await worker.idle();
  receiver.answer = (response) => response.writeHead(500).end('x'.repeat(5_000));
  await home.tell('stream.claimed');
  await worker.idle();
  const reply = (await home.run('deliveries', { id: label })) as { deliveries: Record<string, unknown>[] };
  t.like(reply.deliveries[0], {
    sequence: 2,
    type: 'stream.claimed',
    status: 'waiting',
    attempts: 1,
    answer: 500,
    reason: 'it answered 500',
    nextAt: home.clock.wall() + 5,
    body: 'x'.repeat(300),
  });
  t.like(reply.deliveries[1], {
    sequence: 1,
    status: 'delivered',
    answer: 200,
    body: 'thanks',
    nextAt: null,
  });
  const waiting = (await home.run('deliveries', { id: label, status: 'waiting' })) as { total: number };
  t.is(waiting.total, 1);
});

test('resend › given an event by its place or its id › it goes out again under the same id', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const { label, secret } = await home.add(receiver.url);
  await home.tell('stream.funded', 'stream.claimed');
  const worker = home.worker();
  await worker.idle();
  await home.run('resend', { id: label, delivery: '1' });
  await worker.idle();
  const id = String(receiver.received[1]?.headers['webhook-id']);
  await home.run('resend', { id: label, delivery: id });
  await worker.idle();
  t.deepEqual(sequencesOf(opened(receiver.received, secret)), [1, 2, 1, 2]);
  t.is(receiver.received[2]?.headers['webhook-id'], receiver.received[0]?.headers['webhook-id']);
});

test('resend › given a place in the log › exactly what came after it goes out again, and what comes then', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t);
  const { label, secret } = await home.add(receiver.url);
  await home.tell('stream.paused', 'stream.resumed', 'stream.refilled', 'stream.cancelled');
  const worker = home.worker();
  await worker.idle();
  await home.run('resend', { id: label, since: 2 });
  await home.tell('stream.completed');
  await worker.idle();
  t.deepEqual(sequencesOf(opened(receiver.received, secret)), [1, 2, 3, 4, 3, 4, 5]);
});

test('resend › given deliveries that were set aside › all of them go out', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t, 500);
  const { label, secret } = await home.add(receiver.url, { atOnce: 2 });
  await home.tell('stream.paused', 'stream.resumed');
  const worker = home.worker({ rules: { retrySeconds: [1] } });
  await worker.idle();
  home.pass(1);
  await worker.idle();
  t.like(await home.show(label), { setAside: 2, waiting: 0 });
  t.is((await webhookBacklog(home.store)).setAside, 2);
  receiver.answer = 200;
  const { message } = await home.run('resend', { id: label, setAside: true });
  t.regex(String(message), /2 deliveries that were set aside/);
  await worker.idle();
  t.deepEqual(sequencesOf(opened(receiver.received, secret)).slice(4).sort(), [1, 2]);
  t.like(await home.show(label), { setAside: 0, waiting: 0 });
});

for (const [what, input, code] of [
  ['nothing to send', {}, 'invalid_input'],
  ['two things at once', { delivery: '1', since: 0 }, 'invalid_input'],
  ['an event that is none', { delivery: '99' }, 'delivery_not_found'],
  ['an id that is none', { delivery: 'nonsense' }, 'delivery_not_found'],
  ['a place behind the end of the log', { since: 5 }, 'invalid_input'],
] as const) {
  test(`resend › given ${what} › it is ${code}, and nothing changes`, async (t) => {
    const home = await openDelivering(t);
    const { label } = await home.add('https://example.org/', {});
    const before = await home.show(label);
    t.is(await codeOf(home.run('resend', { id: label, ...input })), code);
    t.deepEqual(await home.show(label), before);
  });
}

test('resend › given an event that its maker may not read › it is delivery_not_found, and nothing is told of it', async (t) => {
  const home = await openDelivering(t);
  await home.tellOne({ type: 'vault.spend.proposed', parties: [alice.text] });
  await overHttp(home, 'add', { url: 'https://example.org/hooks', since: 0 });
  const [code, theirs] = [
    await codeOf(overHttp(home, 'resend', { id: 'HOOK-0001', delivery: '1' })),
    await overHttp(home, 'deliveries', { id: 'HOOK-0001' }),
  ];
  t.is(code, 'delivery_not_found');
  t.is(theirs['total'], 0);
});

test('resend › given more events one by one than may wait › it is invalid_input', async (t) => {
  const home = await openDelivering(t);
  await home.tell(...Array.from({ length: 201 }, () => 'chain.reorg'));
  await overHttp(home, 'add', { url: 'https://example.org/hooks' });
  for (let place = 1; place <= 200; place += 1)
    await overHttp(home, 'resend', { id: 'HOOK-0001', delivery: String(place) });
  const one = (delivery: string) => codeOf(overHttp(home, 'resend', { id: 'HOOK-0001', delivery }));
  t.is(await one('201'), 'invalid_input');
  t.is(await one('200'), 'done', 'what waits already is no more');
  t.is(((await overHttp(home, 'show', { id: 'HOOK-0001' })) as { webhook: Shown }).webhook.waiting, 200);
});

test('resend › given one that is disabled › it is wrong_state, until it is enabled', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t, 410);
  const { label, secret } = await home.add(receiver.url, { types: 'stream.*' });
  await home.tell('stream.funded', 'stream.claimed');
  const worker = home.worker();
  await worker.idle();
  t.is(await codeOf(home.run('resend', { id: label, since: 0 })), 'wrong_state');
  receiver.answer = 200;
  await home.run('enable', { id: label });
  await home.run('resend', { id: label, setAside: true });
  await worker.idle();
  t.deepEqual(sequencesOf(opened(receiver.received, secret)), [1, 1, 2]);
});

test('remove › given a webhook › nothing goes to it any more, and nothing is kept of it', async (t) => {
  const home = await openDelivering(t);
  const receiver = await openReceiver(t, 500);
  const { label } = await home.add(receiver.url);
  await home.tell('stream.funded');
  const worker = home.worker();
  await worker.idle();
  await home.run('remove', { id: label });
  home.pass(10);
  await worker.idle();
  t.is(receiver.received.length, 1);
  t.is(await codeOf(home.run('show', { id: label })), 'webhook_not_found');
  t.deepEqual(await webhookBacklog(home.store), {
    active: 0,
    failing: 0,
    disabled: 0,
    behind: 0,
    waiting: 0,
    setAside: 0,
  });
});
