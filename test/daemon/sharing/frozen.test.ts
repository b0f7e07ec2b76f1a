/** The real program: two daemons on one home, one of which stands still for longer than it is believed. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { onPostgres } from '../../adapters/store/each-store.js';
import { AT_LENGTH, IS_LONG } from '../../at-length.js';
import { makeTreasuryDatabase } from '../../postgres/database.js';

const BIN = fileURLToPath(new URL('../../../bin/treasury.js', import.meta.url));

type Json = Readonly<Record<string, unknown>>;
type Shown = { readonly pid: number; readonly shards: number; readonly workers: readonly string[] };

/** Where the daemons have their records: a home, or a database beside it. */
type Place = 'a home' | 'PostgreSQL';

const openHome = async (t: ExecutionContext, place: Place) => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const database = place === 'a home' ? {} : { TREASURY_DATABASE_URL: await makeTreasuryDatabase(t) };
  const { PATH, NODE_OPTIONS } = process.env;
  const env = {
    PATH,
    NODE_OPTIONS,
    HOME: home,
    TREASURY_HOME: join(home, 'data'),
    NO_COLOR: '1',
    ...database,
  };
  const run = (...words: string[]): Promise<Json> =>
    new Promise((resolve, reject) => {
      const options = { cwd: home, env, maxBuffer: 2 ** 26 };
      execFile(process.execPath, [BIN, ...words, '--json'], options, (error, stdout, stderr) => {
        if (error === null) resolve(JSON.parse(stdout) as Json);
        else reject(new Error(`${words.join(' ')}: ${stdout}${stderr}`));
      }).stdin?.end();
    });
  const logs = new Map<ChildProcess, string[]>();
  const serve = (): ChildProcess => {
    const child = spawn(process.execPath, [BIN, 'serve', '--port', '0'], { cwd: home, env, stdio: 'pipe' });
    const lines: string[] = [];
    logs.set(child, lines);
    child.stderr.on('data', (chunk) => lines.push(String(chunk)));
    t.teardown(() => {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
    });
    return child;
  };
  const daemons = async (): Promise<readonly Shown[]> =>
    ((await run('status'))['daemons'] ?? []) as readonly Shown[];
  /** Waits until the daemons are as they should be. @returns seconds */
  const until = async (isSo: (found: readonly Shown[]) => boolean): Promise<number> => {
    const begun = performance.now();
    for (let found = await daemons(); !isSo(found); found = await daemons()) {
      if (performance.now() - begun > PATIENCE_MS) throw new Error(`still ${JSON.stringify(found)}`);
      await wait(200);
    }
    return (performance.now() - begun) / 1_000;
  };
  return { run, serve, until, said: (child: ChildProcess) => (logs.get(child) ?? []).join('') };
};

/** However busy the machine is. */
const PATIENCE_MS = 150_000;

const shardsOf = (found: readonly Shown[], { pid }: ChildProcess): number =>
  found.find((one) => one.pid === pid)?.shards ?? 0;

const joinAndLeave = async (t: ExecutionContext, place: Place): Promise<void> => {
  const { run, serve, until } = await openHome(t, place);
  await run('init', '--yes');
  const [first, second] = [serve(), serve()];
  const joined = await until((found) => found.every(({ shards }) => shards === 32) && found.length === 2);
  second.kill('SIGKILL');
  const killed = await until((found) => shardsOf(found, first) === 64);
  const third = serve();
  await until((found) => shardsOf(found, first) === 32 && shardsOf(found, third) === 32);
  first.kill('SIGTERM');
  await once(first, 'exit');
  const left = await until((found) => shardsOf(found, third) === 64);
  t.log(
    `joined in ${joined.toFixed(1)} s, after a kill ${killed.toFixed(1)} s, after an end ${left.toFixed(1)} s`,
  );
  t.pass();
};

const standStill = async (t: ExecutionContext, place: Place): Promise<void> => {
  const { run, serve, until, said } = await openHome(t, place);
  await run('init', '--yes');
  await run('wallet', 'create', 'ann');
  await run('chain', 'faucet', 'ann', '0.01');
  const payment = ['--recipient', 'ann', '--amount-per-period', '0.001', '--interval', 'DAILY'];
  await run('payments', 'create', ...payment);
  await run('payments', 'fund', 'PAY-0001', '--yes');
  const [still, other] = [serve(), serve()];
  await until((found) => found.length === 2 && found.every(({ shards }) => shards === 32));
  still.kill('SIGSTOP');
  const stood = await until((found) => shardsOf(found, other) === 64);
  for (let day = 0; day < 3; day += 1) {
    await run('chain', 'advance', '1d');
    await wait(2_500);
  }
  still.kill('SIGCONT');
  await until((found) => shardsOf(found, still) === 32 && shardsOf(found, other) === 32);
  await run('chain', 'advance', '1d');
  await wait(4_000);
  const { events } = (await run('events', 'list', '--types', 'payment.due', '--limit', '100')) as {
    readonly events: readonly { readonly data: { readonly period: number } }[];
  };
  const periods = events.map(({ data }) => data.period);
  t.is(new Set(periods).size, periods.length, JSON.stringify(periods));
  t.true(periods.length >= 1);
  t.regex(said(still), /taken to be gone/);
  t.log(`its work was taken over after ${stood.toFixed(1)} s`);
};

test('daemons on a home › one joins, one is killed, one ends well › the others have all of the work within seconds', (t) =>
  joinAndLeave(t, 'a home'));

if (IS_LONG) {
  const title = `one stands still past its time and wakes up › another has done its work, once, and it begins anew${AT_LENGTH}`;
  test(`daemons on a home › ${title}`, (t) => standStill(t, 'a home'));
  onPostgres(`daemons on PostgreSQL › ${title}`, (t) => standStill(t, 'PostgreSQL'));
  onPostgres(`daemons on PostgreSQL › one joins, one is killed, one ends well${AT_LENGTH}`, (t) =>
    joinAndLeave(t, 'PostgreSQL'),
  );
}
