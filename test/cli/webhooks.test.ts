/** The guide's receiver, told of events by the real program: as somebody who tries webhooks for the first time. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';

const BIN = resolve('bin/treasury.js');
const EXAMPLE = resolve('examples/webhook-receiver.js');

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const start = (t: ExecutionContext, words: readonly string[], env: NodeJS.ProcessEnv): ChildProcess => {
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
};

test('webhooks › given the receiver of the guide and a daemon › it hears of what is done, and of nothing that is forged', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const env = { ...process.env, TREASURY_HOME: home, NO_COLOR: '1' };
  const treasury = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [BIN, ...words, '--quiet'], { env })).stdout;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;

  const added = await treasury('webhooks', 'add', url, '--allow-private', '--types', 'stream.*', '--json');
  const { secret } = JSON.parse(added) as { secret: string };
  const receiver = start(t, [EXAMPLE], { ...env, WEBHOOK_SECRET: secret, PORT: String(port) });
  if (receiver.stdout === null) throw new Error('nothing can be read of it');
  const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
  const heard = async (): Promise<string> => String((await lines.next()).value);
  t.is(await heard(), `listening on ${port}`);
  t.regex(await treasury('webhooks', 'test', 'HOOK-0001'), /took it: 204/);
  t.is(await heard(), '0 webhook.test');
  t.is((await fetch(url, { method: 'POST', body: '{"type":"stream.claimed"}' })).status, 400);

  start(t, [BIN, 'serve', '--port', '0', '--log-level', 'warn'], env);
  await treasury('wallet', 'create', 'ben');
  await treasury(
    'streams',
    'create',
    '--recipient',
    'ben',
    '--total-amount',
    '1',
    '--schedule-template',
    'linear-open',
  );
  t.regex(await heard(), /^\d+ stream\.created #STREAM-0001$/);
});

test('webhooks › the receiver of the guide › it is the file, and has no more than 30 lines', (t) => {
  const file = readFileSync(EXAMPLE, 'utf8');
  const [, shown] = /```js\n([\s\S]*?)```/.exec(readFileSync('docs/guides/webhooks.md', 'utf8')) ?? [];
  t.is(shown, file);
  t.true(file.trimEnd().split('\n').length <= 30);
});
