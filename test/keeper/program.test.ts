/** The real program: keepers in processes of their own that are killed at any time, and a daemon that keeps too. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once as event } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { IS_LONG } from '../at-length.js';

const BIN = fileURLToPath(new URL('../../bin/treasury.js', import.meta.url));

type Outcome = { readonly exit: number | null; readonly stdout: string; readonly stderr: string };

const RULES = JSON.stringify({ rules: [{ do: 'payments claim', wallet: 'ann' }] });

/** The program on a home of its own, with a daily payment to ann whose wallet a rule names. */
const openPayroll = async (t: ExecutionContext) => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const { PATH, NODE_OPTIONS } = process.env;
  const surroundings = {
    cwd: home,
    env: { PATH, NODE_OPTIONS, HOME: home, TREASURY_HOME: join(home, 'data'), NO_COLOR: '1' },
  };
  const run = (...words: string[]): Promise<Outcome> =>
    new Promise((resolve) => {
      const child = execFile(process.execPath, [BIN, ...words], surroundings, (_error, stdout, stderr) => {
        resolve({ exit: child.exitCode, stdout, stderr });
      });
      child.stdin?.end();
    });
  const start = (...words: string[]): ChildProcess => {
    const child = spawn(process.execPath, [BIN, ...words], { ...surroundings, stdio: 'pipe' });
    t.teardown(() => child.kill('SIGKILL'));
    return child;
  };
  await run('wallet', 'create', 'ann');
  await run('chain', 'faucet', 'ann', '0.01');
  const terms = ['--recipient', 'ann', '--amount-per-period', '0.001', '--interval', 'DAILY'];
  const created = await run('payments', 'create', ...terms, '--json');
  t.is(created.exit, 0, created.stderr);
  const funded = await run('payments', 'fund', 'PAY-0001', '--yes');
  t.is(funded.exit, 0, funded.stderr);
  const keep = (text: string): void => {
    writeFileSync(join(home, 'data', 'local', 'keeper.json'), text);
  };
  keep(RULES);
  const executions = async (): Promise<number> => {
    const { stdout } = await run('payments', 'show', 'PAY-0001', '--json');
    return (JSON.parse(stdout) as { payment_executions: unknown[] }).payment_executions.length;
  };
  return { run, start, keep, executions };
};

const KILLS = IS_LONG ? 11 : 4;

test('keeper run › killed at any time, two at once › each day is paid once', async (t) => {
  const { run, start, executions } = await openPayroll(t);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await run('chain', 'advance', '1d');
    const both = [start('keeper', 'run', '--every', '1s'), start('keeper', 'run', '--every', '1s')];
    await wait(250 + kill * 150);
    for (const child of both) {
      const ended = event(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    const { exit, stdout, stderr } = await run('keeper', 'once', '--json');
    t.is(exit, 0, stdout + stderr);
    t.is(await executions(), kill);
  }
  const { stdout } = await run('keeper', 'once', '--json');
  t.deepEqual((JSON.parse(stdout) as { results: unknown[] }).results, []);
});

/** What a child says, until it has said that. */
const hears = async (child: ChildProcess, pattern: RegExp): Promise<string> => {
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    if (pattern.test(said)) return said;
  }
  throw new Error(`it ended without saying ${pattern.source}: ${said}`);
};

test('serve --keeper › it does what is due, status and metrics say so, and a signal ends it well', async (t) => {
  const { run, start, executions } = await openPayroll(t);
  await run('chain', 'advance', '1d');
  const daemon = start('serve', '--port', '0', '--keeper', '--metrics');
  const said = await hears(daemon, /Serving local at http:\/\/\S+/);
  const url = /Serving local at (\S+)/.exec(said)?.[1] ?? '';
  for (let look = 0; look < 50 && (await executions()) === 0; look += 1) await wait(200);
  t.is(await executions(), 1);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  t.regex(metrics, /^treasury_keeper_acts_total 1$/m);
  t.regex(metrics, /^treasury_keeper_faults_open 0$/m);
  const { stdout } = await run('status', '--json');
  const { components } = JSON.parse(stdout) as { components: { id: string; status: string }[] };
  t.is(components.find(({ id }) => id === 'executor')?.status, 'operational');
  // Another one is one too many.
  t.is((await run('keeper', 'once')).exit, 8);
  const ended = event(daemon, 'exit');
  daemon.kill('SIGTERM');
  t.deepEqual(await ended, [0, null]);
  t.is((await run('keeper', 'once')).exit, 0);
});

test('keeper run › rules that break while it runs › that is told and degrades it, until they are mended', async (t) => {
  const { run, start, keep, executions } = await openPayroll(t);
  const told = async (): Promise<readonly string[]> => {
    const words = ['--types', 'keeper.*', '--since', '0', '--jsonl', '--wallet', 'ann'];
    const { stdout } = await run('events', 'list', ...words);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => (JSON.parse(line) as { type: string }).type);
  };
  const untilTold = async (count: number): Promise<void> => {
    for (let look = 0; look < 50 && (await told()).length < count; look += 1) await wait(200);
  };
  const keeper = start('keeper', 'run', '--every', '1s');
  if (keeper.stderr !== null)
    await event(
      keeper.stderr.on('data', () => undefined),
      'data',
    );
  keep('{ "rules": [');
  await untilTold(1);
  t.deepEqual(await told(), ['keeper.failed']);
  const { stdout } = await run('status', '--json');
  const { components } = JSON.parse(stdout) as { components: { id: string; status: string }[] };
  t.is(components.find(({ id }) => id === 'executor')?.status, 'degraded');
  await run('chain', 'advance', '1d');
  t.is(await executions(), 0);
  keep(RULES);
  await untilTold(3);
  t.deepEqual((await told()).toSorted(), ['keeper.acted', 'keeper.failed', 'keeper.recovered']);
  t.is(await executions(), 1);
});

test('serve --keeper › without rules › it does not start, and says what is missing', async (t) => {
  const { run } = await openPayroll(t);
  const { exit, stderr } = await run('serve', '--port', '0', '--keeper', '--home', 'elsewhere');
  t.is(exit, 2);
  t.regex(stderr, /keeper\.json cannot be used: there is none: `treasury keeper init`/);
});
