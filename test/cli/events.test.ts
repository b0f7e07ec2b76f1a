/** `treasury events`, the real program on a temporary home, and a real receiver. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import { alice } from '../../fixtures/people.js';
import { createPayment } from '../products/payments/payment.js';
import { openTreasury } from '../treasury.js';
import { runOn } from './real-environment.js';

const BIN = fileURLToPath(new URL('../../bin/treasury.js', import.meta.url));

/** A program that goes on until somebody ends it. */
type Running = {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly until: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Ctrl-C; returns the exit code. */
  readonly interrupt: () => Promise<number | null>;
};

const follow = (child: ChildProcess): Running => {
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk) => (out += String(chunk)));
  child.stderr?.on('data', (chunk) => (err += String(chunk)));
  return {
    child,
    stdout: () => out,
    stderr: () => err,
    until: async (pattern) => {
      for (let tries = 0; tries < 3_000; tries += 1) {
        const match = pattern.exec(`${out}\n${err}`);
        if (match !== null) return match;
        await wait(10);
      }
      throw new Error(`it never said ${pattern.source}: ${out}${err}`);
    },
    interrupt: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      return ((await exited) as [number | null])[0];
    },
  };
};

/** A treasury, the command line on it in this process, and programs beside it that share its home. */
const openHome = async (t: ExecutionContext) => {
  const treasury = await openTreasury(t);
  const { home } = treasury;
  const { PATH, NODE_OPTIONS } = process.env;
  const env = { PATH, NODE_OPTIONS, HOME: home, TREASURY_HOME: home, NO_COLOR: '1' };
  const spawned = (file: string, words: readonly string[]): Running => {
    const child = spawn(file, words, { cwd: home, env, stdio: 'pipe' });
    t.teardown(() => child.kill('SIGKILL'));
    return follow(child);
  };
  return {
    home,
    run: (...words: readonly string[]) => runOn(treasury, words),
    start: (...words: readonly string[]) => spawned(process.execPath, [BIN, ...words]),
    bash: (script: string) => spawned('bash', ['-c', script]),
    /** Makes a record: one event. */
    happen: (title = 'Tea') =>
      treasury.ask(alice, 'rewards.create', { title, totalPool: '0.03', maxRewardAmount: '0.01' }),
    pay: () => createPayment(treasury),
  };
};

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string; readonly status: number };

/** A receiver on loopback that answers what it is told to. */
const openReceiver = async (t: ExecutionContext, statusOf: (count: number) => number, port = 0) => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const status = statusOf(received.length + 1);
      received.push({ headers: request.headers, body, status });
      response.writeHead(status).end(status === 200 ? 'ok' : 'no\u001b[31m');
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, port: (server.address() as AddressInfo).port };
};

const sequenceOf = ({ body }: Received): number =>
  (JSON.parse(body) as { data: { sequence: number } }).data.sequence;

/** A port that nobody listens at. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

test('events list › given what happened › it is a table, one document, or a line each', async (t) => {
  const { run, happen } = await openHome(t);
  t.regex((await run('events', 'list')).stdout, /None of these events yet/);
  await happen();
  await happen('Coffee');
  const { stdout, exit } = await run('events', 'list');
  t.is(exit, 0);
  t.regex(stdout, /Cursor +When +Event +Record/);
  t.regex(stdout, /1 .* campaign\.created +#REWARD-0001/);
  const document = JSON.parse((await run('events', 'list', '--json')).stdout) as Record<string, unknown>;
  t.like(document, { success: true, cursor: 2, hasMore: false });
  const lines = (await run('events', 'list', '--jsonl', '--since', '1')).stdout.trim().split('\n');
  t.deepEqual(
    lines.map((line) => (JSON.parse(line) as { sequence: number }).sequence),
    [2],
  );
});

test('events › given mistakes › each says what was expected, and exits with 2', async (t) => {
  const { run, happen } = await openHome(t);
  await happen();
  for (const [words, said] of [
    [['list', '--types', 'rewards.*'], /no type of an event.*campaign/],
    [['list', '--since', '9'], /--since: is behind the last event, which is 1/],
    [['list', '--since', 'yesterday'], /--since/],
    [['tail', '--since', '-1'], /--since/],
    [['tail', '--types', 'streams.*'], /is "stream\.\*" meant\?/],
    [['tail', '--certainty', 'sure'], /--certainty/],
    [['tail', '--json'], /--jsonl/],
    [['tail', '--party', 'nobody-of-that-name'], /nobody-of-that-name/],
    [['listen'], /--forward-to/],
    [['listen', '--forward-to', 'ftp://127.0.0.1/x'], /ftp/],
    [['listen', '--forward-to', 'http://127.0.0.1:9/', '--secret-file', 'there-is-none'], /there-is-none/],
  ] as const) {
    const { exit, stderr, stdout } = await run('events', ...words);
    t.deepEqual([words, exit], [words, 2]);
    t.regex(`${stdout}${stderr}`, said, words.join(' '));
  }
});

test('events tail › given what happens meanwhile › it is printed as it comes, and Ctrl-C ends it with 0', async (t) => {
  const { start, happen } = await openHome(t);
  await happen();
  const [text, lines] = [start('events', 'tail'), start('events', 'tail', '--since', '0', '--jsonl')];
  await text.until(/Following what happens from here on \(cursor 1\)\. Ctrl-C ends it\./);
  await lines.until(/"sequence":1\b/);
  await happen('Coffee');
  await text.until(/2 .* campaign\.created +#REWARD-0002/);
  await lines.until(/"sequence":2\b/);
  t.is(await text.interrupt(), 0);
  t.is(await lines.interrupt(), 0);
  t.deepEqual(
    lines
      .stdout()
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { sequence: number }).sequence),
    [1, 2],
  );
  t.is(text.stdout().trim().split('\n').length, 1);
});

test('events tail › given a reader that has seen enough › it ends without a word', async (t) => {
  const { bash, happen } = await openHome(t);
  for (const title of ['one', 'two', 'three']) await happen(title);
  const script = `node ${BIN} events tail --since 0 --jsonl --quiet | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const child = bash(script);
  await child.until(/"sequence":1\b/);
  await happen('four');
  await child.until(/^0$/m);
  t.is(child.stderr(), '');
});

test('events listen › given a receiver that fails first › what was missed and what comes is sent, signed, in order', async (t) => {
  const { start, happen } = await openHome(t);
  await happen();
  await happen('Coffee');
  const { received, port } = await openReceiver(t, (count) => (count === 1 ? 500 : 200));
  const url = `http://127.0.0.1:${port}/hooks`;
  const listening = start('events', 'listen', '--forward-to', url, '--since', '0');
  const [, secret = ''] = await listening.until(/Secret: (whsec_\S+)/);
  await listening.until(/#REWARD-0001.*-> 500 in \d+ ms; again in 1 s/);
  await listening.until(/#REWARD-0002.*-> 200 in \d+ ms/);
  await happen('Cake');
  await listening.until(/#REWARD-0003.*-> 200 in \d+ ms/);
  t.is(await listening.interrupt(), 0);
  t.regex(listening.stderr(), /3 forwarded\. Go on with --since 3\./);
  t.deepEqual(received.map(sequenceOf), [1, 1, 2, 3]);
  const webhook = new Webhook(secret);
  for (const { headers, body } of received)
    t.like(webhook.verify(body, headers as Record<string, string>), { type: 'campaign.created' });
  t.is(received[0]?.headers['webhook-id'], received[1]?.headers['webhook-id']);
  // What a receiver says cannot steer the terminal.
  t.false(listening.stdout().includes('\u001b'));
});

test('events listen › given nobody who answers › it waits until somebody does, and misses nothing', async (t) => {
  const { start, happen } = await openHome(t);
  await happen();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const listening = start('events', 'listen', '--forward-to', url, '--since', '0', '--jsonl');
  await listening.until(/"attempt":1,"status":null/);
  const { received } = await openReceiver(t, () => 200, port);
  await listening.until(/"status":200/);
  t.is(await listening.interrupt(), 0);
  t.deepEqual(received.map(sequenceOf), [1]);
  const [first = '', ...tries] = listening.stdout().trim().split('\n');
  t.like(JSON.parse(first), { forwardTo: url, cursor: 0 });
  t.like(JSON.parse(tries.at(-1) ?? ''), {
    sequence: 1,
    type: 'campaign.created',
    status: 200,
    retryInSeconds: null,
  });
});

test('events listen › given types and a secret of one’s own › only those are sent, signed with that', async (t) => {
  const { home, start, happen, pay } = await openHome(t);
  await happen();
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  writeFileSync(join(home, 'secret'), `${secret}\n`);
  const { received, port } = await openReceiver(t, () => 200);
  const flags = ['--since', '0', '--types', 'payment.*', '--secret-file', 'secret'];
  const listening = start('events', 'listen', '--forward-to', `http://127.0.0.1:${port}/`, ...flags);
  await listening.until(/Secret: /);
  await pay();
  await listening.until(/payment\.created.*-> 200/);
  t.is(await listening.interrupt(), 0);
  t.is(received.length, 1);
  t.notThrows(() =>
    new Webhook(secret).verify(received[0]?.body ?? '', received[0]?.headers as Record<string, string>),
  );
});

test('events listen › given a receiver that refuses one for good › that is set aside and said, and the next is sent', async (t) => {
  const { start, happen } = await openHome(t);
  await happen();
  await happen('Coffee');
  const { port } = await openReceiver(t, (count) => (count <= 4 ? 400 : 200));
  const listening = start('events', 'listen', '--forward-to', `http://127.0.0.1:${port}/`, '--since', '0');
  await listening.until(/#REWARD-0001.*-> 400 in \d+ ms; set aside/);
  await listening.until(/#REWARD-0002.*-> 200/);
  t.is(await listening.interrupt(), 0);
  t.regex(listening.stderr(), /1 forwarded, 1 set aside \(1\)\. Go on with --since 2\./);
});
