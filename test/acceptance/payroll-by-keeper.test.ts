/**
 * A payroll that nobody attends to: three months in BCH and in tokens, paid by the keeper of a daemon that is killed again and
 * again. The daemon is the real program, made known of everything over HTTP, and its chain is another process behind an
 * Electrum server. Whether everybody was paid, on the day and once, is read from the chain alone.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { alice, peopleOf, type Person } from '../../fixtures/people.js';
import { openLocalChain, type LocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { encodeWif } from '../../src/bch/keys.js';
import { AT_LENGTH, IS_LONG } from '../at-length.js';
import { startChainProcess } from './chain-process.js';
import { clientOf, type Client, type Json } from './client.js';
import { onEmbeddedChain } from './on-every-chain.js';
import { startKillingRelay, type Moment } from './killing-relay.js';
import { killHard, makeRealHome } from './real-home.js';

const BIN = resolve('bin/treasury.js');
const NETWORK = 'regtest';
const DAY = 86_400;
const MONTH = 30 * DAY;
const MONTHS = 3;
/** How many people, whether each in both assets, and how often the daemon is killed in each month. */
type Size = { readonly heads: number; readonly isBoth: boolean; readonly kills: readonly number[] };
const SLICE: Size = { heads: 8, isBoth: false, kills: [1, 2, 1] };
const WHOLE: Size = { heads: 25, isBoth: true, kills: [3, 4, 3] };
/** How long everybody is waited for on a pay day, milliseconds. */
const PATIENCE_MS = 120_000;
const systemSeconds = (): number => Math.floor(Date.now() / 1_000);

/** Numbers that look random and are the same in every run. */
const dice = (seed: number) => {
  let state = seed;
  return (sides: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * sides);
  };
};

/** The daemon with its keeper, which can be killed and started anew on its home. */
const openDaemon = (t: ExecutionContext, electrum: string) => {
  const { home, env, treasury } = makeRealHome('treasury-payroll-', electrum);
  let child: ChildProcess | null = null;
  let pids: readonly number[] = [];
  const kill = async (): Promise<void> => {
    if (child !== null) await killHard(child);
    child = null;
  };
  /** Returns its URL once it serves. */
  const start = async (): Promise<string> => {
    const words = [BIN, 'serve', '--keeper', '--port', '0'];
    const started = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    pids = [...pids, started.pid ?? 0];
    for await (const line of createInterface({ input: started.stderr })) {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (url === undefined) continue;
      started.stderr.resume();
      return url;
    }
    throw new Error('the daemon does not serve');
  };
  t.teardown(async () => {
    await kill();
    rmSync(home, { recursive: true, force: true });
  });
  return { home, treasury, start, kill, pids: () => pids };
};

/** One on the payroll: what is due to them of which asset, and when first. */
type Employee = {
  readonly person: Person;
  readonly asset: 'BCH' | 'FUNGIBLE_TOKEN';
  /** Smallest unit; nobody else has it. */
  readonly amount: bigint;
  readonly start: number;
};

/** Payments to people as the chain has them: when, in which block's day, how much of which asset. */
const paymentsOf = async (chain: LocalChain, { person, asset }: Employee, category: string) => {
  const { lockingBytecode } = person.address(NETWORK);
  const found = [];
  for (const { txid } of await chain.history(lockingBytecode)) {
    const seen = await chain.transaction(txid);
    if (seen === null) continue;
    const own = seen.transaction.outputs.filter(
      (output) =>
        output.lockingBytecode === lockingBytecode &&
        (asset === 'BCH' ? output.token === undefined : output.token?.category === category),
    );
    if (own.length === 0) continue;
    const paid = own.reduce((sum, { satoshis, token }) => sum + (token?.amount ?? satoshis), 0n);
    found.push({ txid, paid, blockTime: seen.blockTime ?? 0 });
  }
  return found.sort((a, b) => a.blockTime - b.blockTime);
};

/** Makes and funds a payment over HTTP, with a wallet of its own. */
const hire = async (
  t: ExecutionContext,
  { call, logIn, send }: Client,
  team: readonly Employee[],
  category: string,
) => {
  const naming = { token: await logIn(alice), address: alice.address(NETWORK).text };
  const ask = async (method: string, path: string, body?: Json): Promise<Json> => {
    const answer = await call(method, path, body, naming);
    t.true(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  for (const { person, asset, amount, start } of team) {
    const perPeriod = asset === 'BCH' ? (Number(amount) / 1e8).toFixed(8) : String(amount);
    const created = await ask('POST', '/api/payments/create', {
      sender: naming.address,
      recipient: person.address(NETWORK).text,
      tokenType: asset,
      ...(asset === 'BCH' ? {} : { tokenCategory: category }),
      amountPerPeriod: perPeriod,
      pushMinimum: perPeriod,
      interval: 'MONTHLY',
      startDate: start,
      endDate: start + MONTHS * MONTH,
    });
    const path = `/api/payments/${String((created['payment'] as Json)['id'])}`;
    let funding = await ask('GET', `${path}/funding-info`);
    if (funding['requiresPreparation'] === true) {
      await send(alice, funding['preparationTransaction']);
      funding = await ask('GET', `${path}/funding-info`);
    }
    const sent = await send(alice, funding['wcTransaction']);
    t.is(sent.status, 200, JSON.stringify(sent.body));
    await ask('POST', `${path}/confirm-funding`, { txHash: sent.body['txHash'] });
  }
};

const MOMENTS: readonly Moment[] = ['nothing', 'the transaction', 'the transaction and the answer'];
const play = async (t: ExecutionContext, { heads, isBoth, kills }: Size): Promise<void> => {
  t.timeout(600_000);
  const roll = dice(21_112_026);
  const server = await startChainProcess(t);
  const chain = await openLocalChain({ folder: join(server.home, 'local'), now: systemSeconds });
  t.teardown(chain.close);
  let strike = (): Promise<void> => Promise.resolve();
  const relay = await startKillingRelay(t, server.port, () => strike());
  const daemon = openDaemon(t, relay.url);
  strike = daemon.kill;

  // The wallet that pays, with a coin for each fee, and a token.
  await daemon.treasury('init');
  const secret = join(daemon.home, 'alice.wif');
  writeFileSync(secret, encodeWif(alice.privateKey, NETWORK));
  await daemon.treasury('wallet', 'import', 'alice', '--secret', secret);
  const { lockingBytecode } = alice.address(NETWORK);
  for (let coin = 0; coin < 12; coin += 1) await chain.faucet(lockingBytecode, 10_000_000n);
  await daemon.treasury('tokens', 'create', '--symbol', 'WAGE', '--supply', '10000000', '--wallet', 'alice');
  const category = (await chain.coins(lockingBytecode)).find(({ token }) => token)?.token?.category ?? '';

  // On the first of the month at six, one a minute.
  const { medianTimePast } = await chain.tip();
  const six = medianTimePast - (medianTimePast % DAY) + DAY + 6 * 3_600 - MONTH;
  const assets = ['BCH', 'FUNGIBLE_TOKEN'] as const;
  const people = Array.from({ length: heads }, (_, index) => peopleOf(1 + index).bob);
  const team = people.flatMap((person, index): readonly Employee[] =>
    assets
      .filter((_, which) => isBoth || which === index % 2)
      .map((asset) => ({ person, asset, amount: 20_000n + BigInt(index), start: six + MONTH + 60 * index })),
  );
  await chain.advance(DAY);
  writeFileSync(
    join(daemon.home, NETWORK, 'keeper.json'),
    JSON.stringify({
      feesPerDay: '0.01 BCH',
      rules: [{ do: 'payments push', wallet: 'alice' }],
    }),
  );
  const client = clientOf(await daemon.start(), { network: NETWORK, naming: 'given' });
  await hire(t, client, team, category);
  await daemon.kill();

  // Nobody else pays them anything.
  const paidInAll = async (): Promise<number> => {
    let sum = 0;
    for (const person of people) sum += (await chain.history(person.address(NETWORK).lockingBytecode)).length;
    return sum;
  };
  const until = async (count: number, what: string): Promise<void> => {
    const deadline = Date.now() + PATIENCE_MS;
    for (let paid = await paidInAll(); paid < count; paid = await paidInAll()) {
      if (Date.now() > deadline) throw new Error(`${what}: ${paid} of ${count} were paid in time`);
      await wait(200);
    }
  };
  let killed = 0;
  for (let month = 1; month <= MONTHS; month += 1) {
    const due = six + (1 + month) * MONTH + 60 * heads;
    await chain.advance(due - (await chain.tip()).medianTimePast);
    const before = (month - 1) * team.length;
    await daemon.start();
    for (let kill = 1; kill <= (kills[month - 1] ?? 0); kill += 1) {
      // Sooner or later within the month's work, at one moment of a broadcast or the other.
      await until(before + Math.floor((team.length * kill) / 6) + roll(2), `month ${month}`);
      await relay.killAt(MOMENTS[roll(3)] ?? 'nothing');
      killed += 1;
      await daemon.start();
    }
    await until(before + team.length, `month ${month}`);
    await daemon.kill();
  }
  // One that looks again finds nothing to do.
  await daemon.start();
  await wait(3_000);
  await daemon.kill();

  t.is(
    killed,
    kills.reduce((sum, count) => sum + count, 0),
  );
  t.is(new Set(daemon.pids()).size, daemon.pids().length);
  for (const employee of team) {
    const payments = await paymentsOf(chain, employee, category);
    const { amount, start, asset, person } = employee;
    const told = `${person.address(NETWORK).text} ${asset} ${JSON.stringify(payments, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`;
    const days = payments.map(({ blockTime }) => Math.floor(blockTime / DAY));
    t.deepEqual(
      days,
      [1, 2, 3].map((month) => Math.floor((start + month * MONTH) / DAY)),
      told,
    );
    // The last one ends the contract, and brings what its coin held to be a coin.
    const dust = asset === 'BCH' ? 1_000n : 0n;
    t.deepEqual(
      payments.map(({ paid }) => paid),
      [amount, amount, amount + dust],
      told,
    );
  }
};

for (const size of IS_LONG ? [SLICE, WHOLE] : [SLICE]) {
  const { heads, kills, isBoth } = size;
  const times = kills.reduce((sum, count) => sum + count, 0);
  const given = `${heads} people, three months, ${isBoth ? 'both assets for each' : 'an asset for each'}, ${times} kills`;
  const title = `payroll by the keeper alone › given ${given} › everybody is paid on the day, and nobody twice`;
  onEmbeddedChain(`${title}${size === WHOLE ? AT_LENGTH : ''}`, 'it kills processes, and moves time', (t) =>
    play(t, size),
  );
}
