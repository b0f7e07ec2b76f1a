/** Commands of one wallet at the same time, each a process of its own: they wait for each other, and none is refused. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { alice } from '../../fixtures/people.js';
import { openKeystore } from '../../src/adapters/keystore/keystore.js';
import { encodeWif } from '../../src/bch/keys.js';

const PASSPHRASE = 'a long passphrase of ann';
const BIN = resolve('bin/treasury.js');

type Outcome = { readonly exit: number | null; readonly stdout: string; readonly stderr: string };

type Home = {
  /** Runs a command; the passphrase of ann's wallet is in a file. */
  readonly run: (...words: string[]) => Promise<Outcome>;
  /** Runs a command that must not fail; answers with its document. */
  readonly must: (...words: string[]) => Promise<Record<string, unknown>>;
  /** Starts a command to which nobody gives a passphrase. */
  readonly start: (...words: string[]) => ChildProcess;
  readonly ben: string;
  /** BCH. */
  readonly balanceOf: (wallet: string) => Promise<unknown>;
};

/** A home with the wallets ann, who has so many coins of 0.1 BCH and no other, and ben, who has none. */
const openHome = async (t: ExecutionContext, coins: number): Promise<Home> => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  writeFileSync(join(folder, 'passphrase'), PASSPHRASE);
  const { PATH, NODE_OPTIONS } = process.env;
  const plain = { PATH, NODE_OPTIONS, HOME: folder, TREASURY_HOME: join(folder, 'data'), NO_COLOR: '1' };
  const env = { ...plain, TREASURY_PASSPHRASE_FILE: join(folder, 'passphrase') };
  const run: Home['run'] = (...words) =>
    new Promise((done) => {
      const surroundings = { cwd: folder, env };
      const child = execFile(process.execPath, [BIN, ...words], surroundings, (_error, stdout, stderr) => {
        done({ exit: child.exitCode, stdout, stderr });
      });
      child.stdin?.end();
    });
  const must = async (...words: string[]): Promise<Record<string, unknown>> => {
    const { exit, stdout, stderr } = await run(...words, '--json');
    t.is(exit, 0, stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const made = async (wallet: string): Promise<string> =>
    ((await must('wallet', 'create', wallet))['wallet'] as { address: string }).address;
  await must('init', '--yes');
  const ben = await made('ben');
  await openKeystore({
    folder: join(folder, 'data', 'local'),
    network: 'local',
    askPassphrase: () => Promise.resolve(null),
    now: () => 1_780_272_000,
    random: (length) => new Uint8Array(randomBytes(length)),
    cost: { N: 2 ** 14, r: 8, p: 1 },
  }).import({ name: 'ann', passphrase: PASSPHRASE, wif: encodeWif(alice.privateKey, 'local') });
  for (let coin = 0; coin < coins; coin += 1)
    await must('chain', 'faucet', alice.address('local').text, '0.1');
  return {
    run,
    must,
    ben,
    balanceOf: async (wallet) => (await must('wallet', 'balance', '--wallet', wallet))['balance'],
    start: (...words) => {
      const child = spawn(process.execPath, [BIN, ...words], { cwd: folder, env: plain, stdio: 'pipe' });
      t.teardown(() => child.kill('SIGKILL'));
      return child;
    },
  };
};

const sending = (ben: string, amount: string): readonly string[] => [
  ...['wallet', 'send', '--wallet', 'ann', '--to', ben, '--amount', amount, '--yes', '--json'],
];

const txidOf = ({ stdout }: Outcome): unknown => (JSON.parse(stdout) as Record<string, unknown>)['txHash'];

for (const [title, coins] of [
  ['one coin', 1],
  ['several coins', 4],
] as const) {
  test.serial(
    `sends at once › given a wallet of ${title} › every one of them is sent, and none is built twice`,
    async (t) => {
      const { run, ben, balanceOf } = await openHome(t, coins);
      const amounts = ['0.001', '0.002', '0.003', '0.004'];
      const sent = await Promise.all(amounts.map((amount) => run(...sending(ben, amount))));
      for (const { exit, stdout, stderr } of sent) t.is(exit, 0, `${stdout}${stderr}`);
      t.is(new Set(sent.map(txidOf)).size, amounts.length);
      for (const { stderr } of sent) t.notRegex(stderr, /Somebody else was quicker/);
      t.is(await balanceOf('ben'), 0.01);
    },
  );
}

/** Resolves when a process has said something on stderr. */
const untilSaid = async (child: ChildProcess, what: string): Promise<void> => {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += String(chunk);
  });
  while (!said.includes(what)) await wait(20);
};

/** Starts a send that has chosen its coins, and waits for a passphrase that does not come. */
const startWaiting = async ({ start, ben }: Home): Promise<ChildProcess> => {
  const child = start(...sending(ben, '0.05'), '--passphrase-stdin');
  await untilSaid(child, 'You pay in all');
  return child;
};

test.serial(
  'a lease › given another command that waits for its passphrase › the other coins are taken, and it is not waited for',
  async (t) => {
    const home = await openHome(t, 2);
    const waiting = await startWaiting(home);
    const { exit, stderr } = await home.run(...sending(home.ben, '0.01'));
    t.is(exit, 0, stderr);
    t.notRegex(stderr, /waiting for it/);
    // The one that waited finds its own coin where it was.
    waiting.stdin?.end(`${PASSPHRASE}\n`);
    const [code] = (await once(waiting, 'exit')) as [number | null];
    t.is(code, 0);
    t.is(await home.balanceOf('ben'), 0.06);
  },
);

test.serial(
  'a lease › given a holder that is killed between lease and broadcast › whoever waits goes on at once',
  async (t) => {
    const home = await openHome(t, 1);
    const holder = await startWaiting(home);
    const second = home.start(...sending(home.ben, '0.02'), '--passphrase-stdin');
    second.stdin?.end(PASSPHRASE);
    const ended = once(second, 'exit') as Promise<[number | null]>;
    await untilSaid(second, 'is spending coins of this wallet: waiting for it.');
    t.is(
      await Promise.race([ended, wait(1_000, 'it waits while the other lives')]),
      'it waits while the other lives',
    );
    const killedAt = performance.now();
    holder.kill('SIGKILL');
    t.deepEqual((await ended)[0], 0);
    t.true(performance.now() - killedAt < 30_000);
    t.is(await home.balanceOf('ben'), 0.02);
  },
);

test.serial(
  'a lease › given too little with the coins of the other too › it is not waited for, exit 5',
  async (t) => {
    const home = await openHome(t, 1);
    await startWaiting(home);
    const { exit, stdout, stderr } = await home.run(...sending(home.ben, '5'));
    t.is(exit, 5, stderr);
    t.regex(stdout, /insufficient_funds/);
  },
);

test.serial(
  'claim --all › given Ctrl-C in the midst of it › the one under way is brought to its end, the document is whole, exit 130',
  async (t) => {
    const home = await openHome(t, 1);
    const { must, ben, start } = home;
    const streams = ['STREAM-0001', 'STREAM-0002', 'STREAM-0003', 'STREAM-0004', 'STREAM-0005'];
    for (const stream of streams) {
      const terms = ['--total-amount', '0.01', '--schedule-template', 'linear-open'];
      await must('streams', 'create', '--recipient', ben, ...terms);
      await must('streams', 'fund', stream, '--yes');
    }
    await must('chain', 'advance', '30d');

    const child = start('streams', 'claim', '--all', '--wallet', 'ben', '--yes', '--json');
    let stdout = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += String(chunk);
    });
    const ended = once(child, 'close') as Promise<[number | null]>;
    await untilSaid(child, '2/5');
    child.kill('SIGINT');
    t.is((await ended)[0], 130);

    type Told = { results: { label: string; success: boolean; txHash: string }[]; notTried: string[] };
    const told = JSON.parse(stdout) as Told & Record<string, unknown>;
    t.like(told, { success: false, interrupted: true, total: 5, failed: 0 });
    t.deepEqual(
      [...told.results.map(({ label }) => label), ...told.notTried].map((label) => label.replace('#', '')),
      streams,
    );
    t.true(told.results.length >= 2 && told.notTried.length >= 1, stdout);
    // What it says is done is done, and what it did not begin is not.
    for (const stream of streams) {
      const shown = (await must('streams', 'show', stream))['claims'] as { txHash: string }[];
      const result = told.results.find(({ label }) => label.endsWith(stream));
      t.deepEqual(
        shown.map(({ txHash }) => txHash),
        result === undefined ? [] : [result.txHash],
      );
    }
    const rest = await must('streams', 'claim', '--all', '--wallet', 'ben', '--yes');
    t.like(rest, { success: true, done: told.notTried.length });
  },
);
