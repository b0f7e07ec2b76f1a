/**
 * A daemon and commands work on one home at the same time without losing a change.
 *
 * On the embedded chain alone, since its files are part of what they share.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { atLength } from '../at-length.js';
import { clientOf, type Json } from './client.js';
import { onEmbeddedChain } from './on-every-chain.js';

const BIN = resolve('bin/treasury.js');
const EACH = atLength(6, 2);
const terms = { title: 'At the same time', totalPool: '0.001', maxRewardAmount: '0.0005' };

/** The URL that a daemon says it listens on. */
const urlOf = async (daemon: ChildProcess): Promise<string> => {
  if (daemon.stderr === null) throw new Error('the daemon has no stderr');
  for await (const line of createInterface({ input: daemon.stderr })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error('the daemon ended without listening');
};

const title = 'serve and commands › on one home at the same time › lose no change';

onEmbeddedChain(title, 'processes share the files of the embedded chain', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const env = { ...process.env, TREASURY_HOME: home, NO_COLOR: '1' };
  const treasury = (...words: string[]): Json => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [BIN, ...words, '--json'], {
      env,
      encoding: 'utf8',
    });
    t.is(status, 0, `${words.join(' ')}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as Json;
  };
  treasury('init', '--yes');
  const token = String(treasury('auth', 'token')['accessToken']);

  const daemon = spawn(process.execPath, [BIN, 'serve', '--port', '0'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => daemon.kill('SIGKILL'));
  const { call } = clientOf(await urlOf(daemon));

  // Both create at the same time: the commands one process each, the requests side by side.
  const byCommand = Array.from({ length: EACH }, async () => {
    const words = [
      'rewards',
      'create',
      '--title',
      terms.title,
      '--total-pool',
      '0.001',
      '--max-reward-amount',
      '0.0005',
    ];
    const child = spawn(process.execPath, [BIN, ...words], { env, stdio: 'ignore' });
    const [status] = (await once(child, 'exit')) as [number];
    return status;
  });
  const byRequest = Array.from({ length: EACH }, () => call('POST', '/api/rewards/create', terms, { token }));
  t.deepEqual(await Promise.all(byCommand), Array<number>(EACH).fill(0));
  t.deepEqual(
    (await Promise.all(byRequest)).map(({ status }) => status),
    Array<number>(EACH).fill(200),
  );

  // Both see all of it, each label once.
  const listed = treasury('rewards', 'list');
  const labels = (listed['campaigns'] as Json[]).map((campaign) => campaign['campaign_id']);
  t.is(new Set(labels).size, 2 * EACH);
  const { body } = await call(
    'GET',
    `/api/rewards?creator=${encodeURIComponent(String((listed['campaigns'] as Json[])[0]?.['creator']))}`,
  );
  t.is(body['total'], 2 * EACH);

  // A campaign that a command funds is ACTIVE for the daemon, which is then stopped in good order.
  treasury('rewards', 'fund', 'REWARD-0001', '--yes');
  t.like((await call('GET', '/api/rewards/REWARD-0001')).body, { campaign: { status: 'ACTIVE' } });
  daemon.kill('SIGTERM');
  const [status] = (await once(daemon, 'exit')) as [number];
  t.is(status, 0);
  t.is(treasury('rewards', 'list')['total'], 2 * EACH);
});
