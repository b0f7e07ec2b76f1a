/** A treasury with rules for its keeper, and keepers of it that can be killed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { keeperActCollection, keeperFaultCollection } from '../../src/record/keeper.js';
import { runOn } from '../cli/real-environment.js';
import { advance, DAY, type fundPayment, type fundTokenPayment } from '../products/payments/payment.js';
import type { Treasury } from '../treasury.js';

export type RuleText = Readonly<Record<string, unknown>>;

/** Writes the rules of a treasury's home. */
export const writeRules = (
  { home, app }: Treasury,
  rules: readonly RuleText[],
  more: RuleText = {},
): string => {
  const file = join(home, app.context.network, 'keeper.json');
  writeFileSync(file, JSON.stringify({ ...more, rules }));
  return file;
};

/** A rule that takes what bob is paid. */
export const CLAIMS: RuleText = { do: 'payments claim', wallet: 'bob', minimum: '0.0001 BCH' };

/** The same for a token that the home knows. */
export const TOKEN_CLAIMS: RuleText = { ...CLAIMS, minimum: ['0.0001 BCH', '1 GEMS'] };

export type Result = {
  readonly result: 'done' | 'left' | 'failed';
  readonly task: string;
  readonly label: string;
  readonly message: string;
  readonly txHash: string | null;
  readonly fee: number | null;
};

/** What became of which record. */
export const outcomesOf = (results: readonly Result[]): (readonly [Result['result'], string])[] =>
  results.map(({ result, label }) => [result, label]);

export type Once = {
  readonly exit: number;
  readonly results: readonly Result[];
  readonly stderr: string;
  /** Of an error. */
  readonly code: string | null;
};

/** `keeper once --json`. */
export const once = async (treasury: Treasury): Promise<Once> => {
  const { exit, stdout, stderr } = await runOn(treasury, ['keeper', 'once', '--json']);
  const document = (stdout === '' ? {} : JSON.parse(stdout)) as { results?: Result[]; code?: string };
  return { exit, results: document.results ?? [], code: document.code ?? null, stderr };
};

export type Planned = {
  readonly verdict: string;
  readonly task: string;
  readonly label: string;
  readonly at: number | null;
  readonly fee: number | null;
  readonly reason: string | null;
};

/** `keeper plan --json`. */
export const plan = async (
  treasury: Treasury,
): Promise<{ readonly exit: number; readonly plan: readonly Planned[]; readonly feesPaid: number }> => {
  const { exit, stdout, stderr } = await runOn(treasury, ['keeper', 'plan', '--json']);
  if (stdout === '') throw new Error(stderr);
  const document = JSON.parse(stdout) as { plan: Planned[]; feesPaid: number };
  return { exit, ...document };
};

/** What the store remembers of acts and faults. */
export const remembered = async ({ app: { context } }: Treasury) => {
  await context.store.refresh();
  return {
    acts: (await context.store.find(keeperActCollection)).items,
    faults: (await context.store.find(keeperFaultCollection)).items,
  };
};

type Context = Treasury['app']['context'];

/** The same home, with other ports. */
export const withPorts = (treasury: Treasury, ports: (context: Context) => Partial<Context>): Treasury => {
  const { context } = treasury.app;
  return { ...treasury, app: { ...treasury.app, context: { ...context, ...ports(context) } } };
};

/** What ends a process between two lines of it. */
class Killed extends Error {}

/**
 * A process of its own on the home of a treasury, which is killed at a moment: every call that leaves a mark outside has one
 * before it and one after it. From then on nothing of it happens any more.
 *
 * @param moment counted from 0; one that is never reached kills nothing
 */
export const killedAt = (treasury: Treasury, moment: number, pid: number) => {
  let passed = 0;
  const said: string[] = [];
  const at = (name: string): void => {
    if (passed > moment) throw new Killed(`killed before: ${name}`);
    said.push(name);
    if (passed === moment) {
      passed += 1;
      throw new Killed(`killed at: ${name}`);
    }
    passed += 1;
  };
  const around =
    <Args extends readonly unknown[], Reply>(name: string, call: (...args: Args) => Promise<Reply>) =>
    async (...args: Args): Promise<Reply> => {
      at(`before ${name}`);
      const reply = await call(...args);
      at(`after ${name}`);
      return reply;
    };
  const killed = withPorts(treasury, ({ store, chain, keys, processes }) => ({
    store: {
      ...store,
      find: (...args) => (passed > moment ? Promise.reject(new Killed('gone')) : store.find(...args)),
      transaction: around('a commit', store.transaction),
    },
    chain: { ...chain, broadcast: around('the broadcast', chain.broadcast) },
    keys: {
      ...keys,
      unlock: around('the key', keys.unlock),
      signTransaction: around('the signature', keys.signTransaction),
    },
    processes: processOf(pid, processes),
  }));
  return { killed, wasKilled: () => passed > moment, moments: () => said };
};

/** A process with a number of its own: those of lower numbers are gone. */
export const processOf = (pid: number, processes: Context['processes']): Context['processes'] => ({
  self: () => ({ ...processes.self(), pid, startTicks: null }),
  isGone: (name) => name.pid < pid,
});

/** A keeper in a process of that number. */
export const inProcess = (treasury: Treasury, pid: number): Treasury =>
  withPorts(treasury, ({ processes }) => ({ processes: processOf(pid, processes) }));

type Payment = Awaited<ReturnType<typeof fundPayment | typeof fundTokenPayment>>;
type Acts = Awaited<ReturnType<typeof remembered>>['acts'];

/**
 * A keeper of a payment that is paid each day is killed, each day one moment later, until none is left to kill it at: by the
 * next keeper each day is paid, once.
 *
 * @param look at what is left behind each day
 * @returns how many moments there were
 */
export const killedAtEach = async (
  t: ExecutionContext,
  { treasury, payment }: { readonly treasury: Treasury; readonly payment: Payment },
  look: (acts: Acts, killed: string) => Promise<void> = () => Promise.resolve(),
): Promise<number> => {
  let rounds = 0;
  for (let isKilled = true; isKilled; rounds += 1) {
    // The payment is funded for twelve.
    if (rounds % 6 === 5) await payment.move('refill', { periods: 6 });
    await advance(treasury, DAY + 60);
    const { killed, wasKilled, moments } = killedAt(treasury, rounds, 2 * rounds + 1);
    await once(killed);
    isKilled = wasKilled();
    const at = `killed ${moments().at(-1) ?? ''}`;
    const after = inProcess(treasury, 2 * rounds + 2);
    // What failed as it died may wait a minute.
    await advance(treasury, 600);
    await once(after);
    await once(after);
    t.is((await payment.executions()).length, rounds + 1, at);
    const { acts } = await remembered(treasury);
    t.true(
      acts.every(({ state }) => state === 'done'),
      at,
    );
    await look(acts, at);
  }
  return rounds;
};
