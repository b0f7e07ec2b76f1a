/** The real program in a process of its own, on a temporary home. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';

const BIN = fileURLToPath(new URL('../../bin/treasury.js', import.meta.url));

type Outcome = { readonly exit: number | null; readonly stdout: string; readonly stderr: string };

type Program = {
  readonly run: (...words: string[]) => Promise<Outcome>;
  readonly start: (...words: string[]) => ChildProcess;
};

/** The program on a fresh home; its folder is removed when the test ends. */
const openProgram = (t: ExecutionContext): Program => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const { PATH, NODE_OPTIONS } = process.env;
  const env = { PATH, NODE_OPTIONS, HOME: home, TREASURY_HOME: join(home, 'data') };
  const surroundings = { cwd: home, env };
  return {
    run: (...words) =>
      new Promise((resolve) => {
        const child = execFile(process.execPath, [BIN, ...words], surroundings, (_error, stdout, stderr) => {
          resolve({ exit: child.exitCode, stdout, stderr });
        });
        child.stdin?.end();
      }),
    start: (...words) => {
      const child = spawn(process.execPath, [BIN, ...words], { ...surroundings, stdio: 'pipe' });
      t.teardown(() => child.kill('SIGKILL'));
      return child;
    },
  };
};

/** What a program says on stderr, up to what is waited for. */
const waitFor = async (child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> => {
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    const match = pattern.exec(said);
    if (match !== null) return match;
  }
  throw new Error(`it ended without saying ${pattern.source}: ${said}`);
};

test('bin › --version › prints a version, exit 0', async (t) => {
  const { exit, stdout } = await openProgram(t).run('--version');
  t.is(exit, 0);
  t.regex(stdout, /^\d+\.\d+\.\d+\n$/);
});

test('bin › given an unknown command › exit 2', async (t) => {
  const { exit, stderr } = await openProgram(t).run('reward', 'list');
  t.is(exit, 2);
  t.regex(stderr, /Did you mean rewards\?/);
});

test('bin › given a fresh local home › the first command sets it up, and --json is one document', async (t) => {
  const { run } = openProgram(t);
  const { exit, stdout, stderr } = await run('wallet', 'list', '--json');
  t.is(exit, 0);
  t.regex(stderr, /^Set up /m);
  t.true((JSON.parse(stdout) as { wallets: unknown[] }).wallets.length > 0);
});

test('bin › a whole step › moves the money and the record', async (t) => {
  const { run } = openProgram(t);
  const created = await run(
    'rewards',
    'create',
    '--title',
    'T',
    '--total-pool',
    '1',
    '--max-reward-amount',
    '1',
    '--json',
  );
  t.is(created.exit, 0, created.stderr);
  t.is((await run('rewards', 'fund', 'REWARD-0001')).exit, 2);
  const funded = await run('rewards', 'fund', 'REWARD-0001', '--yes', '--json');
  t.is(funded.exit, 0, funded.stderr);
  t.regex((JSON.parse(funded.stdout) as { txHash: string }).txHash, /^[0-9a-f]{64}$/);
  const shown = await run('rewards', 'show', 'REWARD-0001', '--json');
  t.is((JSON.parse(shown.stdout) as { campaign: { status: string } }).campaign.status, 'ACTIVE');
  t.is((await run('rewards', 'fund', 'REWARD-0001', '--yes')).exit, 5);
});

test('bin › serve › answers until it is told to stop, then ends with 0', async (t) => {
  const child = openProgram(t).start('serve', '--port', '0');
  const ended = once(child, 'exit');
  const [, url = ''] = await waitFor(child, /^Serving local at (\S+)$/m);
  t.is((await fetch(`${url}/api/health`)).status, 200);
  child.kill('SIGTERM');
  t.deepEqual(await ended, [0, null]);
});

test('bin › serve › its monitors are operational in the status report', async (t) => {
  const child = openProgram(t).start('serve', '--port', '0', '--log-level', 'info');
  const [, url = ''] = await waitFor(child, /(?=[\s\S]*watching the chain)[\s\S]*listening on (http\S+?)"/);
  const { components } = (await (await fetch(`${url}/api/status`)).json()) as {
    components: readonly { readonly id: string; readonly status: string }[];
  };
  const statusOf = (id: string) => components.find((component) => component.id === id)?.status;
  t.is(statusOf('blockchain_monitor'), 'operational');
  t.is(statusOf('transaction_monitor'), 'operational');
});

test('bin › serve --metrics › shows the metrics of real routes', async (t) => {
  const child = openProgram(t).start('serve', '--port', '0', '--metrics');
  const ended = once(child, 'exit');
  const [, url = ''] = await waitFor(child, /^Serving local at (\S+)$/m);
  await fetch(`${url}/api/health`);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  t.true(metrics.includes('http_requests_total{method="GET",route="/api/health",status="200"} 1'));
  t.regex(metrics, /^treasury_build_info\{version="[^"]+",network="local"\} 1$/m);
  child.kill('SIGTERM');
  t.deepEqual(await ended, [0, null]);
});
