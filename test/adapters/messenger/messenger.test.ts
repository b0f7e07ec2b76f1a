/** The messenger, against real servers on loopback. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import {
  openMessenger,
  WEBHOOK_SECRET_FILE,
  type MessengerSettings,
} from '../../../src/adapters/messenger/messenger.js';
import { TreasuryError } from '../../../src/errors.js';
import { openReceiver } from '../../receiver.js';

const home = (t: ExecutionContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

const open = (t: ExecutionContext, changes: Partial<MessengerSettings> = {}) =>
  openMessenger({
    folder: home(t),
    agent: 'treasury/test',
    allowPrivate: false,
    random: (length) => new Uint8Array(randomBytes(length)),
    ...changes,
  });

/** Soon over: for receivers that never come to an end. */
const SOON = { limitMilliseconds: 600 };

const message = (url: string, secrets: readonly string[]) => ({
  url,
  secrets,
  allowPrivate: true,
  id: 'event-1',
  timestamp: Math.floor(Date.now() / 1000),
  body: '{"type":"stream.claimed"}',
});

test('messenger › given a receiver › it gets the body with headers that standardwebhooks verifies', async (t) => {
  const receiver = await openReceiver(t);
  const messenger = open(t);
  const { secret } = await messenger.makeSecret();
  const result = await messenger.sendSigned(message(receiver.url, [secret]));
  t.like(result, { status: 200, reason: null, body: 'thanks' });
  const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
  t.is(headers['content-type'], 'application/json');
  t.is(headers['user-agent'], 'treasury/test');
  t.notThrows(() => new Webhook(secret).verify(body, headers as Record<string, string>));
});

test('messenger › given a status that is no success › the answer is told', async (t) => {
  const receiver = await openReceiver(t, (response) =>
    response.writeHead(500).end('broken\u0000\u001b[2J there'),
  );
  const messenger = open(t);
  const { secret } = await messenger.makeSecret();
  const result = await messenger.sendSigned(message(receiver.url, [secret]));
  t.like(result, { status: 500, reason: 'it answered 500', body: 'broken [2J there' });
});

test('messenger › given a redirect › it is not followed', async (t) => {
  const inside = await openReceiver(t);
  const receiver = await openReceiver(t, (response) =>
    response.writeHead(307, { location: inside.url }).end(),
  );
  const messenger = open(t);
  const { secret } = await messenger.makeSecret();
  const result = await messenger.sendSigned(message(receiver.url, [secret]));
  t.is(result.status, 307);
  t.regex(result.reason ?? '', /redirects are not followed/);
  t.is(inside.received.length, 0);
});

test('messenger › given one that hangs › it is left after the limit', async (t) => {
  const receiver = await openReceiver(t, () => undefined);
  const messenger = open(t, SOON);
  const { secret } = await messenger.makeSecret();
  const result = await messenger.sendSigned(message(receiver.url, [secret]));
  t.is(result.status, null);
  t.is(result.reason, 'no answer came within 0.6 seconds');
});

test('messenger › given one that drips its head › it is left after the limit', async (t) => {
  const receiver = await openReceiver(t, (response) => {
    const { socket } = response;
    socket?.write('HTTP/1.1 200 OK\r\n');
    let count = 0;
    const timer = setInterval(() => socket?.write(`x-${(count += 1)}: drip\r\n`), 50);
    socket?.once('close', () => {
      clearInterval(timer);
    });
  });
  const messenger = open(t, SOON);
  const { secret } = await messenger.makeSecret();
  t.is(
    (await messenger.sendSigned(message(receiver.url, [secret]))).reason,
    'no answer came within 0.6 seconds',
  );
});

test('messenger › given one that wants another protocol (101) › it has failed, and nobody waits for more', async (t) => {
  const receiver = await openReceiver(t, (response) => {
    response.socket?.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
    );
  });
  const messenger = open(t, SOON);
  const { secret } = await messenger.makeSecret();
  const result = await Promise.race([
    messenger.sendSigned(message(receiver.url, [secret])),
    sleep(5_000, null),
  ]);
  t.is(result?.status, null);
  t.is(result?.reason, 'the connection was closed before an answer came');
});

test('messenger › given one that drips its body › its status stands, and it is left after the limit', async (t) => {
  const receiver = await openReceiver(t, (response) => {
    response.writeHead(202);
    const timer = setInterval(() => response.write('drip'), 50);
    response.once('close', () => {
      clearInterval(timer);
    });
  });
  const messenger = open(t, { limitMilliseconds: 3_000 });
  const { secret } = await messenger.makeSecret();
  const result = await messenger.sendSigned(message(receiver.url, [secret]));
  t.like(result, { status: 202, reason: null });
  t.regex(result.body, /^drip/);
});

test('messenger › given an answer of 1 GB › 4 KiB of it are read', async (t) => {
  let written = 0;
  const receiver = await openReceiver(t, (response) => {
    response.writeHead(200, { 'content-length': 1_000_000_000 });
    const chunk = Buffer.alloc(65_536, 'a');
    const more = (): void => {
      while (written < 1_000_000_000 && !response.destroyed) {
        written += chunk.length;
        if (!response.write(chunk)) {
          response.once('drain', more);
          return;
        }
      }
    };
    more();
  });
  const messenger = open(t);
  const { secret } = await messenger.makeSecret();
  const result = await messenger.sendSigned(message(receiver.url, [secret]));
  t.like(result, { status: 200, reason: null });
  t.is(result.body.length, 4_096);
  t.true(written < 50_000_000, `${written} bytes were written before the connection was let go of`);
});

test('messenger › given nobody who listens › that is told', async (t) => {
  const receiver = await openReceiver(t);
  await receiver.close();
  const messenger = open(t);
  const { secret } = await messenger.makeSecret();
  t.regex(
    (await messenger.sendSigned(message(receiver.url, [secret]))).reason ?? '',
    /nothing listens there/,
  );
});

test('messenger › given a name that stands for a public address, then for this machine › nothing is sent there', async (t) => {
  const inside = await openReceiver(t);
  const answers = [['8.8.8.8'], ['127.0.0.1']];
  const asked: string[] = [];
  const went: string[] = [];
  const messenger = open(t, {
    resolve: (host) => {
      asked.push(host);
      return Promise.resolve(answers.shift() ?? ['127.0.0.1']);
    },
    post: ({ address }) => {
      went.push(address);
      return Promise.resolve({ status: 200, location: null, body: '' });
    },
  });
  const { secret } = await messenger.makeSecret();
  const outside = { ...message('https://rebinding.example/', [secret]), allowPrivate: false };
  t.is((await messenger.sendSigned(outside)).status, 200);
  t.deepEqual(
    [asked.length, went],
    [1, ['8.8.8.8']],
    'its name is asked for once, and the connection goes there',
  );
  const again = await messenger.sendSigned(outside);
  t.is(again.status, null);
  t.regex(again.reason ?? '', /stands for an address that is on this machine: nothing was sent/);
  t.deepEqual(went, ['8.8.8.8']);
  t.is(inside.received.length, 0);
});

test('messenger › given a name with a public and a private address › nothing is sent', async (t) => {
  const messenger = open(t, {
    resolve: () => Promise.resolve(['8.8.8.8', '10.0.0.1']),
    post: () => Promise.reject(new Error('it was sent')),
  });
  const { secret } = await messenger.makeSecret();
  const result = await messenger.sendSigned({
    ...message('https://both.example/', [secret]),
    allowPrivate: false,
  });
  t.regex(result.reason ?? '', /an address that is in a private network: nothing was sent/);
});

test('messenger › given a name that is pinned › the connection goes to its address, under its name', async (t) => {
  const receiver = await openReceiver(t);
  const messenger = open(t, { resolve: () => Promise.resolve(['127.0.0.1']) });
  const { secret } = await messenger.makeSecret();
  const { port } = new URL(receiver.url);
  const result = await messenger.sendSigned(message(`http://here.localhost:${port}/hooks`, [secret]));
  t.is(result.status, 200);
  t.is(receiver.received[0]?.headers.host, `here.localhost:${port}`);
});

test('messenger › given a name that never resolves › it is left after the limit', async (t) => {
  const messenger = open(t, { ...SOON, resolve: () => new Promise(() => undefined) });
  const { secret } = await messenger.makeSecret();
  t.is(
    (await messenger.sendSigned(message('https://slow.example/', [secret]))).reason,
    'no answer came within 0.6 seconds',
  );
});

test('messenger › given an address that nothing may go to › it is refused before anything is sent', async (t) => {
  const receiver = await openReceiver(t);
  const messenger = open(t);
  const { secret } = await messenger.makeSecret();
  const error = await t.throwsAsync(
    messenger.sendSigned({ ...message(receiver.url, [secret]), allowPrivate: false }),
    { instanceOf: TreasuryError },
  );
  t.is(error.code, 'invalid_url');
  t.is(receiver.received.length, 0);
});

test('messenger › given the setting that allows private addresses › it needs no leave of its own', async (t) => {
  const receiver = await openReceiver(t);
  const messenger = open(t, { allowPrivate: true });
  const { secret } = await messenger.makeSecret();
  t.is((await messenger.sendSigned({ ...message(receiver.url, [secret]), allowPrivate: false })).status, 200);
});

test('secrets › given a home › they can be made again from what is kept of them, and the file is for its owner alone', async (t) => {
  const folder = home(t);
  const made = await open(t, { folder }).makeSecret();
  t.deepEqual(await open(t, { folder }).secretsOf([made]), [made.secret]);
  const other = await open(t, { folder }).makeSecret();
  t.not(other.secret, made.secret);
  t.false(JSON.stringify([made.salt, made.check]).includes(made.secret.slice(6)));
  if (process.platform !== 'win32') t.is(statSync(join(folder, WEBHOOK_SECRET_FILE)).mode & 0o777, 0o600);
});

test('secrets › given a file that was replaced › none of before is made up', async (t) => {
  const folder = home(t);
  const made = await open(t, { folder }).makeSecret();
  rmSync(join(folder, WEBHOOK_SECRET_FILE));
  t.deepEqual(await open(t, { folder }).secretsOf([made]), [null]);
});

test('secrets › given a file that is damaged › it is said, and left as it is', async (t) => {
  const folder = home(t);
  writeFileSync(join(folder, WEBHOOK_SECRET_FILE), 'nonsense');
  const error = await t.throwsAsync(open(t, { folder }).makeSecret(), { instanceOf: TreasuryError });
  t.is(error.code, 'store_damaged');
  t.regex(error.message, /webhooks rotate/);
  t.is(readFileSync(join(folder, WEBHOOK_SECRET_FILE), 'utf8'), 'nonsense');
});
