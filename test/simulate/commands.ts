/** Commands at the terminal of the home: whole steps, which are run again when something has ended them. */
import type { Person } from '../../fixtures/people.js';
import { parseAddress } from '../../src/bch/address.js';
import { EXIT } from '../../src/errors.js';
import { decodeTransaction } from '../../src/bch/transaction.js';
import { asError } from './host.js';
import { NETWORK, startCommand, type Json, type Outcome } from './processes.js';
import type { Random } from './random.js';
import { runAs } from './timeline.js';
import type { Known, OpenedWorld } from './world.js';

/** A command that somebody wants done, and what it is about. */
export type Task = {
  readonly words: readonly string[];
  readonly who: Person;
  readonly record: Known | null;
  /** A payment that must be made once at most: its sum is no other's. */
  readonly pays: { readonly to: string; readonly satoshis: bigint } | null;
  /** The tag of what it creates. */
  readonly creates: string | null;
  done: boolean;
  /** Nobody runs it twice at once. */
  isRunning: boolean;
  tries: number;
};

/** Null: the process was killed. */
type Ended = Outcome | null;

const LONGEST_RUN_MS = 400_000;

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
  if (outcome === null && said().endsWith('}\n')) {
    world.count(`command: ${words.slice(0, 2).join(' ')}: killed when all was said`);
    return { exit: EXIT.done, stdout: said(), stderr: '' };
  }
  world.count(
    `command: ${words.slice(0, 2).join(' ')}: ${outcome === null ? 'killed' : `exit ${outcome.exit}`}`,
  );
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

/** What a command has said is true. */
const checkOutcome = async (world: OpenedWorld, task: Task, outcome: Outcome): Promise<void> => {
  const { words, record } = task;
  const line = `treasury ${words.join(' ')}`;
  const isTrouble = world.timeline.now() < world.diskTroubleUntil;
  if (outcome.exit === EXIT.unexpected && !isTrouble)
    world.find('exit', `${line} ends with ${outcome.exit}: ${outcome.stdout} ${outcome.stderr}`);
  if (outcome.exit !== EXIT.done) return;
  const { txHash } = jsonOf(outcome);
  if (typeof txHash !== 'string') return;
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

/** Runs a task once more. */
export const runTask = async (world: OpenedWorld, task: Task): Promise<void> => {
  task.tries += 1;
  task.isRunning = true;
  // A creation at the terminal has no key: done again, it is another one.
  if (task.creates !== null) task.done = true;
  const outcome = await runCommand(world, task.words).finally(() => {
    task.isRunning = false;
  });
  if (outcome === null) return;
  await checkOutcome(world, task, outcome);
  // What is refused for good is not tried again; what was in the way may pass.
  const mayHelp = [EXIT.network, EXIT.pending, EXIT.unexpected].includes(outcome.exit as 7);
  if (!mayHelp) task.done = true;
  if (outcome.exit === EXIT.done && task.creates !== null) takeCreated(world, task, jsonOf(outcome));
};

const takeCreated = (world: OpenedWorld, { creates, who }: Task, reply: Json): void => {
  const campaign = (reply['campaign'] ?? reply) as Json;
  if (campaign['id'] === undefined) throw new Error(`what was made: ${JSON.stringify(reply)}`);
  world.known.push({
    noun: 'rewards',
    id: textOf(campaign['id']),
    label:
      (
        Object.values(campaign).find((value) => /^#?REWARD-\d{4,}$/.test(String(value))) as string | undefined
      )?.replace('#', '') ?? textOf(campaign['id']),
    creator: who,
    recipient: null,
    address: typeof campaign['contract_address'] === 'string' ? campaign['contract_address'] : null,
    vaultId: null,
    tag: creates ?? '',
    asset: null,
  });
};

const task = (who: Person, words: readonly string[], more: Partial<Task> = {}): Task => ({
  words: [...words, '--wallet', who.name, '--yes', '--json'],
  who,
  record: null,
  pays: null,
  creates: null,
  done: false,
  isRunning: false,
  tries: 0,
  ...more,
});

type Cast = {
  readonly honest: readonly Person[];
  readonly thief: Person;
  readonly addressOf: (who: Person) => string;
  readonly verbFor: (record: Known) => Promise<string>;
};

const stepOf = async (random: Random, record: Known, cast: Cast): Promise<Task> => {
  const { noun, label, creator, recipient } = record;
  const verb = await cast.verbFor(record);
  const isRecipients = ['claim', 'release', 'transfer'].includes(verb);
  const who = isRecipients && recipient !== null ? recipient : creator;
  const ending = verb === 'cancel' ? ['--confirm', label] : [];
  const paid =
    verb === 'distribute'
      ? ['--recipient-address', cast.addressOf(random.pick(cast.honest)), '--amount', '0.002']
      : [];
  const more =
    verb === 'transfer'
      ? ['--new-recipient-address', cast.addressOf(random.pick(cast.honest))]
      : verb === 'refill'
        ? noun === 'payments'
          ? ['--periods', '2']
          : ['--refill-amount', record.asset === null ? '0.02' : '3']
        : [];
  const vote = verb === 'lock' ? ['--vote-choice', 'FOR', '--stake-amount', '2'] : [];
  return task(who, [noun, verb, label, ...ending, ...paid, ...more, ...vote], { record });
};

const paymentOf = (random: Random, tag: string, world: OpenedWorld, cast: Cast): Task => {
  const who = random.pick(cast.honest);
  const to = cast.addressOf(cast.thief);
  const satoshis = 100_000n + BigInt(world.tasks.length) * 7n + BigInt(tag.length);
  const amount = (Number(satoshis) / 1e8).toFixed(8);
  return task(who, ['wallet', 'send', '--to', to, '--amount', amount], { pays: { to, satoshis } });
};

const campaignOf = (random: Random, tag: string, world: OpenedWorld, cast: Cast): Task => {
  world.tried.set(tag, 'rewards');
  const who = random.pick(cast.honest);
  const pool = ['--total-pool', '0.02', '--max-reward-amount', '0.005'];
  return task(who, ['rewards', 'create', '--title', tag, ...pool], { creates: tag });
};

/** Somebody runs a command: one that was not done before, or another. */
export const playCommand = async (
  { world, random, tag }: { readonly world: OpenedWorld; readonly random: Random; readonly tag: string },
  cast: Cast,
): Promise<void> => {
  const left = world.tasks.filter(({ done, isRunning, creates }) => !done && !isRunning && creates === null);
  const again = left.length > 0 && random.chance(0.5) ? random.pick(left) : null;
  const records = world.known.filter(({ noun }) => noun !== 'vaults');
  const kind = random.weighed({ step: records.length === 0 ? 0 : 6, payment: 2, campaign: 1, read: 1 });
  if (again === null && kind === 'read') {
    const words = random.pick([['sync', '--all'], ['streams', 'list'], ['wallet', 'list'], ['status']]);
    await runTask(world, task(random.pick(cast.honest), words));
    return;
  }
  const fresh = (): Task | Promise<Task> => {
    if (kind === 'step') return stepOf(random, random.pick(records), cast);
    return kind === 'payment' ? paymentOf(random, tag, world, cast) : campaignOf(random, tag, world, cast);
  };
  const chosen = again ?? (await fresh());
  if (again === null) world.tasks.push(chosen);
  await runTask(world, chosen);
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
        (output) => output.lockingBytecode === lockingBytecode && output.satoshis === pays.satoshis,
      )
    )
      times += 1;
  }
  return times;
};
