/** `treasury doctor` in a process of its own: exit codes, and how long it takes where no server answers. */
import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { relayTo } from '../adapters/electrum/dead-node.js';
import { freePort, serveChain, serveStrangely } from '../adapters/electrum/electrum-fixture.js';

const BIN = fileURLToPath(new URL('../../bin/treasury.js', import.meta.url));
type Outcome = { readonly exit: number | null; readonly stdout: string; readonly stderr: string };
type Report = {
  readonly success: boolean;
  readonly code?: string;
  readonly checks: readonly { readonly check: string; readonly state: string; readonly detail: string }[];
};

/** The program on a home that is not there yet; its folder is removed when the test ends. */
const openProgram = (t: ExecutionContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const home = join(folder, 'data');
  const run = (words: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
    new Promise((resolve) => {
      const { PATH, NODE_OPTIONS } = process.env;
      const options = { cwd: folder, env: { PATH, NODE_OPTIONS, HOME: folder, TREASURY_HOME: home, ...env } };
      const child = execFile(process.execPath, [BIN, ...words], options, (_error, stdout, stderr) => {
        resolve({ exit: child.exitCode, stdout, stderr });
      });
      child.stdin?.end();
    });
  return { folder, home, run };
};

const reportOf = ({ stdout }: Outcome): Report => JSON.parse(stdout) as Report;

const stateOf = ({ checks }: Report, name: string): readonly string[] =>
  checks.filter(({ check }) => check === name).map(({ state }) => state);

test.serial('bin › doctor › given no home › exit 5, says to run init, and makes nothing', async (t) => {
  const { run, home } = openProgram(t);
  const { exit, stdout } = await run(['doctor']);
  t.is(exit, 5);
  t.regex(stdout, /there is no home at .*\n.*run `treasury init`/);
  t.false(existsSync(home));
});

test.serial('bin › doctor › given a home that is well › exit 0, for people and as JSON', async (t) => {
  const { run } = openProgram(t);
  await run(['init']);
  const shown = await run(['doctor', '--quick']);
  t.is(shown.exit, 0, shown.stdout);
  t.regex(shown.stdout, /Everything is well\./);
  const asJson = await run(['doctor', '--json']);
  t.is(asJson.exit, 0);
  t.true(reportOf(asJson).success);
});

test.serial('bin › doctor › given a damaged store › exit 5, and the rest is shown', async (t) => {
  const { run, home } = openProgram(t);
  await run(['init']);
  appendFileSync(join(home, 'local', 'treasury.journal'), 'nonsense\n');
  const outcome = await run(['doctor', '--json']);
  t.is(outcome.exit, 5);
  const report = reportOf(outcome);
  t.false(report.success);
  t.deepEqual(stateOf(report, 'store'), ['problem']);
  t.deepEqual(stateOf(report, 'chain'), ['ok']);
});

test.serial(
  'bin › doctor › given a settings file with a misspelt key › it is named, while every other command refuses',
  async (t) => {
    const { run, folder } = openProgram(t);
    await run(['init']);
    writeFileSync(join(folder, 'treasury.config.json'), '{"netwrok":"local"}');
    const { exit, stdout } = await run(['doctor']);
    t.is(exit, 5);
    t.regex(stdout, /netwrok in .* is no setting; is it network\?/);
    t.is((await run(['wallet', 'list'])).exit, 2);
  },
);

/** What is said of a chipnet home whose servers these are, and how many milliseconds it takes. */
const consult = async (t: ExecutionContext, servers: readonly string[]) => {
  const { run } = openProgram(t);
  const from = performance.now();
  const env = { TREASURY_ELECTRUM: servers.join(',') };
  const outcome = await run(['--network', 'chipnet', 'doctor', '--json'], env);
  t.is(outcome.exit, 7, outcome.stderr);
  return { report: reportOf(outcome), elapsed: performance.now() - from };
};

test.serial(
  'bin › doctor › given servers that refuse › exit 7, and what needs no network is shown',
  async (t) => {
    const { report } = await consult(t, [
      `tcp://127.0.0.1:${await freePort()}`,
      `wss://127.0.0.1:${await freePort()}`,
    ]);
    t.is(report.code, 'chain_unavailable');
    t.deepEqual(stateOf(report, 'servers'), ['problem', 'problem']);
    t.deepEqual(stateOf(report, 'settings'), ['ok']);
    t.true(stateOf(report, 'home').length > 0);
  },
);

test.serial(
  'bin › doctor › given many that accept and never answer › exit 7 after one limit for all',
  async (t) => {
    const silent = await Promise.all(Array.from({ length: 8 }, () => serveStrangely(t, () => undefined)));
    const refusing = await consult(t, [`tcp://127.0.0.1:${await freePort()}`]);
    const { report, elapsed } = await consult(
      t,
      silent.map(({ url }) => url),
    );
    t.is(report.code, 'chain_unavailable');
    t.deepEqual(stateOf(report, 'servers'), Array<string>(8).fill('problem'));
    // Measured against a run that waits for nobody; one after another they would take 32 seconds.
    t.true(elapsed - refusing.elapsed < 16_000, `${elapsed} and ${refusing.elapsed} ms`);
  },
);

test.serial(
  'bin › doctor › given an indexer whose node is dead › exit 7, and the node is named',
  async (t) => {
    const { tcpUrl } = await serveChain(t);
    const { url, node } = await relayTo(t, tcpUrl);
    const { run } = openProgram(t);
    const env = { TREASURY_ELECTRUM: url, TREASURY_NETWORK: 'regtest' };
    await run(['init', '--json'], env);
    const words = ['doctor', '--json', '--quick'];
    t.deepEqual(stateOf(reportOf(await run(words, env)), 'servers'), ['ok', 'ok']);
    node.isDead = true;
    const outcome = await run(words, env);
    t.is(outcome.exit, 7, outcome.stdout);
    const report = reportOf(outcome);
    t.is(report.code, 'chain_unavailable');
    t.regex(
      report.checks.find(({ check }) => check === 'servers')?.detail ?? '',
      /its node does not: .*bitcoind/,
    );
  },
);
