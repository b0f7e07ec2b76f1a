import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';

const BIN = resolve('bin/treasury.js');
const WALLET = fileURLToPath(new URL('../../examples/wallet.js', import.meta.url));
const run = promisify(execFile);

test('examples › wallet › given a stream in coins and one in tokens › it logs in, lists, claims and confirms', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const env = { ...process.env, TREASURY_HOME: home, NO_COLOR: '1' };
  const treasury = async (...words: string[]): Promise<string> =>
    (await run(process.execPath, [BIN, ...words, '--yes', '--quiet'], { env })).stdout;
  await treasury('init');
  await treasury('chain', 'faucet', 'main', '3');
  await treasury('wallet', 'create', 'ben');
  await treasury('tokens', 'create', '--symbol', 'GEMS', '--supply', '1000');
  const terms = ['--recipient', 'ben', '--schedule-template', 'linear-open'];
  await treasury('streams', 'create', ...terms, '--total-amount', '1');
  await treasury(
    'streams',
    'create',
    ...terms,
    '--total-amount',
    '100',
    '--token-type',
    'FUNGIBLE_TOKEN',
    '--token-category',
    'GEMS',
  );
  for (const label of ['STREAM-0001', 'STREAM-0002']) await treasury('streams', 'fund', label);
  await treasury('chain', 'advance', '400d');
  await treasury('chain', 'faucet', 'ben', '0.001');

  const daemon = spawn(process.execPath, [BIN, 'serve', '--port', '0'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => daemon.kill('SIGKILL'));
  let url = '';
  for await (const line of createInterface({ input: daemon.stderr })) {
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';
    if (url !== '') break;
  }
  const { wif } = JSON.parse(await treasury('wallet', 'export', 'ben', '--json')) as { wif: string };
  const asBen = async (...words: string[]): Promise<readonly string[]> => {
    const { stdout } = await run(process.execPath, [WALLET, ...words], {
      env: { ...env, TREASURY: url, WIF: wif },
    });
    return stdout.trim().split('\n');
  };

  const due = ['STREAM-0002: 100 can be claimed', 'STREAM-0001: 100000000 can be claimed'];
  t.deepEqual(
    await asBen(),
    due.map((line) => `#${line}`),
  );
  const claimed = await asBen('--claim');
  t.deepEqual(
    claimed.slice(0, 2),
    due.map((line) => `#${line}`),
  );
  t.regex(claimed[2] ?? '', /^#STREAM-0002: 100 more in [0-9a-f]{64}$/);
  t.regex(claimed[3] ?? '', /^#STREAM-0001: \d+ more in [0-9a-f]{64}$/);
  const { stream } = JSON.parse(await treasury('streams', 'show', 'STREAM-0001', '--json')) as {
    stream: object;
  };
  t.like(stream, { status: 'COMPLETED', withdrawn_amountOnChain: '100000000' });
  t.deepEqual(await asBen('--claim'), ['']);
});

test('examples › wallet › it has a hundred lines beside what it imports and says', (t) => {
  const source = readFileSync('examples/wallet.ts', 'utf8');
  const code = source.replace(/\/\*\*[\s\S]*?\*\//g, '').replace(/import \{[\s\S]*?;/, '');
  t.true(code.split('\n').filter((line) => line.trim() !== '').length <= 100);
});
