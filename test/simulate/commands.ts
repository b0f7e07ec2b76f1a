/** Commands at the terminal of the home: whole steps, which are run again when something has ended them. */
import type { Person } from '../../fixtures/people.js';
import { parseAddress } from '../../src/bch/address.js';
import { EXIT } from '../../src/errors.js';
import { decodeTransaction } from '../../src/bch/transaction.js';
import { madeOf } from './client.js';
import { knownFrom } from './creations.js';
import { asError } from './host.js';
import { NETWORK, startCommand, type Json, type Outcome } from './processes.js';
import { runAs } from './timeline.js';
import type { Known, OpenedWorld } from './world.js';

/** A command that somebody wants done, and what it is about. */
export type Task = {
  readonly words: readonly string[];
  readonly who: Person;
  readonly record: Known | null;
  /** A payment that must be made once at most: its sum is no other's. */
  readonly pays: { readonly to: string; readonly satoshis: bigint; readonly token: bigint } | null;
  /** The tag of what it creates. */
  readonly creates: string | null;
  /** What is asked for with it. */
  readonly terms: Json;
  /** Ids of what it has said to have done. */
  readonly txids: Set<string>;
  done: boolean;
  /** True while a server refuses what it has signed. */
  wasRefused: boolean;
  /** Nobody runs it twice at once. */
  isRunning: boolean;
  tries: number;
};

/** Null: the process was killed. */
type Ended = Outcome | null;

const LONGEST_RUN_MS = 400_000;

/** The words that say what a command does. */
const nameOf = (words: readonly string[]): string => words.slice(0, words[1] === 'spend' ? 3 : 2).join(' ');

/** Runs a command to its end, whatever that is. */
export const runCommand = async (world: OpenedWorld, words: readonly string[]): Promise<Ended> => {
  const { process, ended, said } = startCommand(words, world.site);
  world.tell(`treasury ${words.join(' ')}`);
  if (world.armNext !== null) {
    process.fate = world.armNext;
    world.armNext = null;
  }
  const outcome = await new Promise<Ended>((resolve, reject) => {
    process.onEnd.add(() => {
      // Its outcome, when it has one, is there in this turn.
      world.timeline.after(
        0,
        () => {
          resolve(null);
        },
        null,
      );
    });
    ended.then(resolve, (error: unknown) => {
      if (process.isAlive()) reject(asError(error));
    });
    world.timeline.after(
      LONGEST_RUN_MS,
      () => {
        if (!process.isAlive()) return;
        world.find('hangs', `treasury ${words.join(' ')} has not ended after ${LONGEST_RUN_MS / 1_000} s`);
        process.kill();
      },
      null,
    );
  });
  // Who reads that it is done does not do it again, whatever ends the process then.
  const name = `move: treasury ${nameOf(words)}`;
  if (outcome === null && said().endsWith('}\n')) {
    world.count(`${name}: done`);
    world.count('fault: killed when all was said');
    return { exit: EXIT.done, stdout: said(), stderr: '' };
  }
  world.count(
    `${name}: ${outcome === null ? 'unanswered' : outcome.exit === EXIT.done ? 'done' : outcome.exit === EXIT.unexpected ? 'failed' : 'refused'}`,
  );
  world.count(`exit: ${outcome === null ? 'killed' : outcome.exit}`);
  world.tell(
    `  treasury ${words.slice(0, 3).join(' ')} ${outcome === null ? 'was killed' : `ends with ${outcome.exit} ${codeOf(outcome)}`}`,
  );
  return outcome;
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const jsonOf = ({ stdout }: Outcome): Json => {
  try {
    return JSON.parse(stdout) as Json;
  } catch {
    return {};
  }
};

const codeOf = (outcome: Outcome): string => textOf(jsonOf(outcome)['code']);

/** True when a transaction pays or spends something at an address. */
const touches = async (world: OpenedWorld, txid: string, address: string): Promise<boolean> => {
  const { lockingBytecode } = parseAddress(address, NETWORK);
  const history = await runAs(null, () => world.node.history(lockingBytecode));
  return history.some((entry) => entry.txid === txid);
};

/** Exit codes of what was refused, and so did nothing. */
const REFUSED: ReadonlySet<number> = new Set([EXIT.invalid, EXIT.notFound, EXIT.notAllowed, EXIT.rule]);

/** What a command has said is true. */
const checkOutcome = async (world: OpenedWorld, task: Task, outcome: Outcome): Promise<void> => {
  const { words, record } = task;
  const line = `treasury ${words.join(' ')}`;
  const isTrouble = world.timeline.now() < world.diskTroubleUntil;
  if (outcome.exit === EXIT.unexpected && !isTrouble)
    world.find('exit', `${line} ends with ${outcome.exit}: ${outcome.stdout} ${outcome.stderr}`);
  if (task.pays !== null && task.tries === 1 && REFUSED.has(outcome.exit)) {
    const times = await timesPaid(world, task);
    if (times > 0) world.find('exit', `${line} ends with ${outcome.exit}, and has paid`);
  }
  if (outcome.exit !== EXIT.done) return;
  const { txHash } = jsonOf(outcome);
  if (typeof txHash !== 'string') return;
  task.txids.add(txHash);
  const found = await runAs(null, () => world.node.transaction(txHash));
  if (found === null) {
    if (!world.forgotten.has(txHash))
      world.find('exit', `${line} is done with ${txHash}, and no node has it`);
    return;
  }
  if (
    record?.address !== null &&
    record?.address !== undefined &&
    !(await touches(world, txHash, record.address))
  )
    world.find('exit', `${line} is done with ${txHash}, which has nothing to do with ${record.tag}`);
};

/** Runs a task once more, with more words or none. */
export const runTask = async (
  world: OpenedWorld,
  task: Task,
  more: readonly string[] = [],
): Promise<void> => {
  task.tries += 1;
  task.isRunning = true;
  // A creation at the terminal has no key: done again, it is another one.
  if (task.creates !== null) task.done = true;
  const outcome = await runCommand(world, [...task.words, ...more]).finally(() => {
    task.isRunning = false;
  });
  if (outcome === null) return;
  await checkOutcome(world, task, outcome);
  // What a rule forbids is not tried again; what was in the way may pass, and a payment that a server refused may be taken.
  task.wasRefused = outcome.exit === EXIT.refused;
  const mayHelp =
    [EXIT.network, EXIT.pending, EXIT.unexpected].includes(outcome.exit as 7) ||
    (task.wasRefused && task.pays !== null);
  if (!mayHelp) task.done = true;
  if (outcome.exit === EXIT.done && task.creates !== null) takeCreated(world, task, jsonOf(outcome));
};

const takeCreated = (world: OpenedWorld, { creates, who, terms }: Task, reply: Json): void => {
  const made = { ...reply, ...madeOf(reply) };
  if (made['id'] === undefined) throw new Error(`what was made: ${JSON.stringify(reply)}`);
  const asset = terms['tokenCategory'];
  world.known.push(
    knownFrom(made, {
      noun: 'rewards',
      creator: who,
      recipient: null,
      tag: creates ?? '',
      asset: typeof asset === 'string' ? asset : null,
      terms,
    }),
  );
};

/** How often a payment of a task is on chain. */
export const timesPaid = async (world: OpenedWorld, { who, pays }: Task): Promise<number> => {
  if (pays === null) return 0;
  const { lockingBytecode } = parseAddress(pays.to, NETWORK);
  const own = who.address(NETWORK).lockingBytecode;
  const history = await runAs(null, () => world.node.history(own));
  let times = 0;
  for (const { txid } of history) {
    const raw = await runAs(null, () => world.node.rawTransaction(txid));
    if (raw === null) continue;
    const { outputs } = decodeTransaction(raw);
    if (
      outputs.some(
        ({ lockingBytecode: lock, satoshis, token }) =>
          lock === lockingBytecode &&
          (token?.amount ?? 0n) === pays.token &&
          (pays.token > 0n || satoshis === pays.satoshis),
      )
    )
      times += 1;
  }
  return times;
};
