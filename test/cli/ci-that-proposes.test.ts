/** The recipe of docs/guides/ci-that-proposes.md, as it stands there, with a real daemon. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import test from 'ava';
import { runInShell } from './shell.js';

const GUIDE = readFileSync('docs/guides/ci-that-proposes.md', 'utf8');
const SCRIPT = /```sh\n(# propose\.sh\n[\s\S]*?)```/.exec(GUIDE)?.[1] ?? '';
const BIN = resolve('bin/treasury.js');

/** The blocks of commands in the guide: the vault, the key, and its end. */
const [VAULT = '', KEY = '', REVOKED = ''] = [...GUIDE.matchAll(/```console\n([\s\S]*?)```/g)].map(
  ([, block = '']) => block.replaceAll(/^\$ /gm, ''),
);
const SIGNED = /```text\n(\$ treasury vaults spend show[\s\S]*?)```/.exec(GUIDE)?.[1] ?? '';

type Refusal = { readonly stdout: string };

test('the recipe for CI › given its key › it proposes a spend, once, and nothing else', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(cwd, { recursive: true, force: true });
  });
  symlinkSync(BIN, join(cwd, 'treasury'));
  const { PATH = '', NODE_OPTIONS } = process.env;
  const env = { PATH: `${cwd}:${PATH}`, NODE_OPTIONS, HOME: cwd, TREASURY_HOME: join(cwd, 'home') };
  const type = (...commands: readonly string[]): Promise<void> =>
    runInShell(t, ['set -euo pipefail', ...commands].join('\n'), { cwd, env });
  const read = (name: string): string => readFileSync(join(cwd, name), 'utf8').trim();

  await type(VAULT, KEY, 'treasury wallet show ben --json | field .wallet.address > ben');
  const daemon = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--require-keys'], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => daemon.kill('SIGKILL'));
  let url = '';
  for await (const line of createInterface({ input: daemon.stderr })) {
    url = /Serving local at (\S+)/.exec(line)?.[1] ?? '';
    if (url !== '') break;
  }
  daemon.stderr.resume();
  const key = read('key');
  const propose = async (release: string, amount: string): Promise<Record<string, unknown>> => {
    const given = { KEY: key, RELEASE: release, RECIPIENT: read('ben'), AMOUNT: amount, TREASURY_URL: url };
    const { stdout } = await promisify(execFile)('bash', ['-c', SCRIPT], { cwd, env: { ...env, ...given } });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const refused = async (work: Promise<unknown>, code: string): Promise<void> => {
    const { stdout } = (await t.throwsAsync(work)) as unknown as Refusal;
    t.like(JSON.parse(stdout), { success: false, code });
  };

  const proposed = await propose('1.0', '0.1');
  t.like(proposed, { label: '#SPEND-0001', memo: 'Release 1.0' }, JSON.stringify(proposed));
  // A run that is repeated asks for the same thing.
  t.deepEqual(await propose('1.0', '0.1'), proposed);
  // One at a time: this one has the vault's coin until it is sent.
  await refused(propose('1.1', '0.05'), 'coins_leased');
  for (const [method, path] of [
    ['GET', 'vaults'],
    ['GET', 'vaults/VAULT-0001/spends'],
    ['POST', 'vaults/VAULT-0001/spends/SPEND-0001/sign'],
    ['POST', 'vaults/VAULT-0001/spends/SPEND-0001/broadcast'],
    ['POST', 'vaults/VAULT-0001/spends/SPEND-0001/cancel'],
    ['POST', 'keys'],
  ] as const) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/${path}`, {
      method,
      headers,
      ...(method === 'GET' ? {} : { body: '{}' }),
    });
    t.deepEqual([path, answer.status], [path, 403]);
  }
  // Without it nobody is anybody.
  const named = await fetch(`${url}/api/vaults`, { headers: { 'x-user-address': read('ben') } });
  t.is(named.status, 401);

  await type(
    SIGNED.replaceAll(/^\$ /gm, ''),
    'treasury vaults spend list VAULT-0001 --wallet ben --json > spends',
  );
  t.like(JSON.parse(read('spends')), { spends: [{ label: '#SPEND-0001', status: 'SPENT' }] });
  // 0.1 of 0.2 are used; the rest is still to be had.
  await refused(propose('1.1', '0.15'), 'amount_exceeds_key_maximum');
  t.like(await propose('1.2', '0.09'), { label: '#SPEND-0002' });
  await type(REVOKED);
  await refused(propose('1.3', '0.01'), 'key_revoked');
});
