/**
 * What a command costs: CPU and wall time against bare Node, and requests to a chain server. Every command meets its
 * budget or the bench fails; the table of bench/README.md is written from the run.
 *
 * CPU is that of the user and the system, as a ratio to `node -e 0` in the same run: it says little of the machine.
 * Requests are counted between a home on `regtest` and the embedded chain as an Electrum server.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hexToBin } from '@bitauth/libauth';
import { addressOfHash, parseAddress } from '../src/bch/address.js';
import type { Network } from '../src/bch/network.js';

const BIN = resolve('bin/treasury.js');
const README = resolve('bench/README.md');

/** The most that a command may cost. */
type Budget = {
  readonly words: string;
  readonly cpuRatio: number;
  readonly wallRatio: number;
  readonly requests: number;
};

/** Reads without a covenant, then those of streams. Node has to start as well: a ratio of 1 is its own. */
export const BUDGETS: readonly Budget[] = [
  { words: '--help', cpuRatio: 1.8, wallRatio: 2.5, requests: 0 },
  // What a shell asks between two keys: a flag, and a name out of the home.
  ...['__complete streams create --tot', '__complete --wallet m'].map((words) => ({
    words,
    cpuRatio: 1.6,
    wallRatio: 2,
    requests: 0,
  })),
  ...['contacts list', 'wallet list --no-balances', 'wallet address', 'tokens list'].map((words) => ({
    words,
    cpuRatio: 4,
    wallRatio: 5,
    requests: 0,
  })),
  ...['streams list', 'streams show STREAM-0001'].map((words) => ({
    words,
    cpuRatio: 7,
    wallRatio: 8,
    // What every connection begins with: version, features, tip; then the checkpoint and the record's history.
    requests: 12,
  })),
];

const execute = promisify(execFile);

const run = async (words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> =>
  (await execute(process.execPath, [BIN, ...words], { env })).stdout;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

type Cost = { readonly cpu: number; readonly wall: number };

/** Seconds of CPU and of the clock that a process takes; CPU is what its shell counts of its children. */
export const costOf = (args: readonly string[], env: NodeJS.ProcessEnv): Cost => {
  const begin = process.hrtime.bigint();
  const { stdout } = spawnSync(
    'sh',
    ['-c', '"$@" >/dev/null 2>&1 || echo failed; times', 'sh', process.execPath, ...args],
    {
      env,
      encoding: 'utf8',
    },
  );
  const wall = Number(process.hrtime.bigint() - begin) / 1e9;
  if (stdout.startsWith('failed')) throw new Error(`node ${args.join(' ')} failed`);
  const [, children = ''] = stdout.trim().split('\n');
  const cpu = [...children.matchAll(/(\d+)m([\d.]+)s/g)]
    .map(([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds))
    .reduce((sum, seconds) => sum + seconds, 0);
  return { cpu, wall };
};

/** A TCP proxy that counts the messages that pass it: a batch is one. */
const openProxy = async (target: number) => {
  let messages = 0;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    client.on('data', (chunk) => (messages += chunk.toString('latin1').split('\n').length - 1));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { count: () => messages, port: (server.address() as AddressInfo).port, close: () => server.close() };
};

/** Puts something of everything that the commands show into a home. */
const fill = async (
  env: NodeJS.ProcessEnv,
  network: Network,
  fund: (address: string) => Promise<unknown>,
) => {
  if (network !== 'local') {
    await run(['init', '--yes'], env);
    await run(['wallet', 'create', 'main'], env);
  }
  await fund((await run(['wallet', 'address'], env)).trim());
  const other = addressOfHash(new Uint8Array(20).fill(7), network).text;
  await run(['contacts', 'add', 'cleo', other], env);
  await run(
    ['streams', 'create', '--recipient', other, '--total-amount', '0.1', '--stream-type', 'LINEAR'],
    env,
  );
  await run(['streams', 'fund', 'STREAM-0001', '--yes'], env);
};

/** How many requests each command sends to a server: the embedded chain, under another network's name. */
const countRequests = async (folder: string): Promise<readonly number[]> => {
  const chainEnv = { ...process.env, TREASURY_HOME: join(folder, 'chain'), TREASURY_NETWORK: 'local' };
  const server = spawn(process.execPath, [BIN, 'chain', 'serve', '--tcp', '0', '--json', '--quiet'], {
    env: chainEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  server.stdout.on('data', (chunk) => (said += String(chunk)));
  while (!/127\.0\.0\.1:\d+/.test(said)) await once(server.stdout, 'data');
  const proxy = await openProxy(Number(/127\.0\.0\.1:(\d+)/.exec(said)?.[1]));
  const env = {
    ...process.env,
    TREASURY_HOME: join(folder, 'regtest'),
    TREASURY_NETWORK: 'regtest',
    TREASURY_ELECTRUM: `tcp://127.0.0.1:${proxy.port}`,
  };
  try {
    await fill(env, 'regtest', (address) => {
      const there = addressOfHash(hexToBin(parseAddress(address).hash), 'local').text;
      return run(['chain', 'faucet', there, '1'], chainEnv);
    });
    const counts: number[] = [];
    for (const { words } of BUDGETS) {
      const before = proxy.count();
      await run(words.split(' '), env);
      counts.push(proxy.count() - before);
    }
    return counts;
  } finally {
    proxy.close();
    server.kill('SIGKILL');
  }
};

const BEGIN = '<!-- begin: budgets -->';
const END = '<!-- end: budgets -->';

/** Puts the table of a run into the README. */
const writeTable = (rows: readonly string[]): void => {
  const text = readFileSync(README, 'utf8');
  const [before = '', rest = ''] = text.split(BEGIN);
  const [, after = ''] = rest.split(END);
  writeFileSync(README, `${before}${BEGIN}\n\n${rows.join('\n')}\n\n${END}${after}`);
};

const cell = (found: number, most: number, digits = 1): string =>
  `${found.toFixed(digits)} of ${most}${found > most ? ' (**too much**)' : ''}`;

/** Measures every command and writes the table. Needs a build. @returns true when all are within their budgets */
export const benchStartUp = async (runs = 9): Promise<boolean> => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-bench-'));
  try {
    const env = { ...process.env, TREASURY_HOME: join(folder, 'local'), TREASURY_NETWORK: 'local' };
    await fill(env, 'local', () => Promise.resolve());
    // Alternating, so that all meet the same machine; the first round warms the file cache.
    const rounds = Array.from({ length: runs + 1 }, () => [
      costOf(['-e', '0'], env),
      ...BUDGETS.map(({ words }) => costOf([BIN, ...words.split(' ')], env)),
    ]).slice(1);
    const at = (index: number, of: keyof Cost) => median(rounds.map((round) => round[index]?.[of] ?? NaN));
    const requests = await countRequests(folder);
    const rows = BUDGETS.map((budget, index) => {
      const cpu = at(index + 1, 'cpu') / at(0, 'cpu');
      const wall = at(index + 1, 'wall') / at(0, 'wall');
      const asked = requests[index] ?? NaN;
      const isGood = cpu <= budget.cpuRatio && wall <= budget.wallRatio && asked <= budget.requests;
      const cells = [
        cell(cpu, budget.cpuRatio),
        cell(wall, budget.wallRatio),
        cell(asked, budget.requests, 0),
      ];
      return { isGood, line: `| \`${budget.words}\` | ${cells.join(' | ')} |` };
    });
    const head = ['| Command | CPU | Wall | Requests |', '| --- | --- | --- | --- |'];
    writeTable([...head, ...rows.map(({ line }) => line)]);
    const milliseconds = (seconds: number) => `${(seconds * 1000).toFixed(0)} ms`;
    console.log(`node -e 0: CPU ${milliseconds(at(0, 'cpu'))}, wall ${milliseconds(at(0, 'wall'))}`);
    for (const { line } of rows) console.log(line);
    return rows.every(({ isGood }) => isGood);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url) && !(await benchStartUp())) process.exitCode = 1;
