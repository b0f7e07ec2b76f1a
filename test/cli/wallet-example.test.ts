/** The wallet in `examples/` does with a daemon what it says. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import test from 'ava';
import { buildSync } from 'esbuild';

const BIN = resolve('bin/treasury.js');
const run = promisify(execFile);

test('examples › given the wallet and a daemon › it logs in, lists, claims what has vested and confirms', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const env = { ...process.env, TREASURY_HOME: home, NO_COLOR: '1' };
  const treasury = async (...words: string[]): Promise<Record<string, unknown>> => {
    const { stdout } = await run(process.execPath, [BIN, ...words, '--quiet', '--json'], { env });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  await treasury('wallet', 'create', 'ben');
  const terms = ['--total-amount', '1', '--schedule-template', 'linear-open'];
  await treasury('streams', 'create', '--recipient', 'ben', ...terms);
  await treasury('streams', 'fund', 'STREAM-0001', '--yes');
  await treasury('streams', 'create', '--recipient', 'main', ...terms);
  await treasury('streams', 'fund', 'STREAM-0002', '--yes');
  await treasury('chain', 'advance', '30d');
  const { wif } = await treasury('wallet', 'export', 'ben');

  const daemon = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--log-level', 'info'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => daemon.kill('SIGKILL'));
  let url: string | undefined;
  for await (const line of createInterface({ input: daemon.stderr })) {
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) break;
  }

  const program = join(home, 'wallet.mjs');
  buildSync({
    entryPoints: [resolve('examples/wallet.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  const own = { ...process.env, TREASURY_URL: url, WALLET_WIF: String(wif) };
  const { stdout } = await run(process.execPath, [program], { env: own });
  t.regex(stdout, /^bchtest:q\w+ has 1 streams\n#STREAM-0001: claimed 0\.\d+ in [0-9a-f]{64}\n$/);
  const again = await run(process.execPath, [program], { env: own });
  t.regex(again.stdout, /^bchtest:q\w+ has 1 streams\n$/);
  const activity = await treasury('streams', 'activity', '--event-type', 'claimed');
  t.is((activity['events'] as readonly unknown[]).length, 1);
});

test('examples › the wallet › it has no more than 100 lines', (t) => {
  t.true(readFileSync('examples/wallet.ts', 'utf8').trimEnd().split('\n').length <= 100);
});
