/** What people want done at the terminal of the home, and doing it. */
import type { Person } from '../../fixtures/people.js';
import { runTask, type Task } from './commands.js';
import type { Random } from './random.js';
import type { Known, OpenedWorld, Spend } from './world.js';

const task = (who: Person, words: readonly string[], more: Partial<Task> = {}): Task => ({
  words: [...words, '--wallet', who.name, '--yes', '--json'],
  who,
  record: null,
  pays: null,
  creates: null,
  terms: {},
  txids: new Set(),
  done: false,
  isRunning: false,
  tries: 0,
  wasRefused: false,
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
  const heir = cast.addressOf(random.pick(cast.honest));
  if (verb === 'distribute' || verb === 'transfer') record.heirs.add(heir);
  const paid =
    verb === 'distribute'
      ? ['--recipient-address', heir, '--amount', record.asset === null ? '0.002' : '2']
      : [];
  const more =
    verb === 'transfer'
      ? ['--new-recipient-address', heir]
      : verb === 'refill'
        ? noun === 'payments'
          ? ['--periods', '2']
          : ['--refill-amount', record.asset === null ? '0.02' : '3']
        : [];
  const vote =
    verb === 'lock'
      ? ['--vote-choice', 'FOR', '--stake-amount', '2']
      : verb === 'vote'
        ? ['--vote', 'ABSTAIN']
        : [];
  return task(who, [noun, verb, label, ...ending, ...paid, ...more, ...vote], { record });
};

const paymentOf = (random: Random, tag: string, world: OpenedWorld, cast: Cast): Task => {
  const [category] = world.tokens;
  const [owner] = cast.honest;
  if (category !== undefined && owner !== undefined && random.chance(0.3)) {
    // Each sum is no other's.
    const token = 1_000n + BigInt(world.tasks.length);
    const vaults = world.known.filter(({ noun }) => noun === 'vaults').map(({ address }) => address);
    const to = random.pick([...cast.honest.slice(1).map(cast.addressOf), ...vaults]) ?? '';
    const amount = (Number(token) / 100).toFixed(2);
    return task(owner, ['wallet', 'send', '--to', to, '--amount', amount, '--token-category', category], {
      pays: { to, satoshis: 1_000n, token },
    });
  }
  const who = random.pick(cast.honest);
  const to = cast.addressOf(cast.thief);
  const satoshis = 100_000n + BigInt(world.tasks.length) * 7n + BigInt(tag.length);
  const amount = (Number(satoshis) / 1e8).toFixed(8);
  return task(who, ['wallet', 'send', '--to', to, '--amount', amount], { pays: { to, satoshis, token: 0n } });
};

const campaignOf = (random: Random, tag: string, world: OpenedWorld, cast: Cast): Task => {
  world.tried.set(tag, 'rewards');
  const who = random.pick(cast.honest);
  const [category] = world.tokens;
  if (category === undefined || random.chance(0.5)) {
    const pool = ['--total-pool', '0.02', '--max-reward-amount', '0.005'];
    return task(who, ['rewards', 'create', '--title', tag, ...pool], {
      creates: tag,
      terms: { totalAmount: 0.02 },
    });
  }
  const tokens = ['--token-type', 'FUNGIBLE_TOKEN', '--token-category', category];
  const pool = ['--total-pool', '20', '--max-reward-amount', '5', ...tokens];
  const [owner = who] = cast.honest;
  return task(owner, ['rewards', 'create', '--title', tag, ...pool], {
    creates: tag,
    terms: { totalAmount: 20, tokenCategory: category },
  });
};

/** A signer's step with a spend of a vault. */
const spendingOf = (random: Random, { label, vault }: Spend, cast: Cast): Task => {
  const verb = random.weighed({ sign: 5, broadcast: 4, cancel: 1 });
  return task(random.pick(cast.honest), ['vaults', 'spend', verb, label], { record: vault });
};

const readingOf = (world: OpenedWorld, random: Random): readonly string[] => {
  const proposals = world.known.filter(({ noun }) => noun === 'governance');
  const spend = world.spends.at(-1);
  return random.pick([
    ['sync', '--all'],
    ['streams', 'list'],
    ['wallet', 'list'],
    ['status'],
    ...(proposals.length === 0 ? [] : [['governance', 'recount', random.pick(proposals).id]]),
    ...(spend === undefined ? [] : [['vaults', 'spend', 'show', spend.label]]),
  ]);
};

/** Somebody runs a command: one that was not done before, or another. */
export const playCommand = async (
  { world, random, tag }: { readonly world: OpenedWorld; readonly random: Random; readonly tag: string },
  cast: Cast,
): Promise<void> => {
  const left = world.tasks.filter(({ done, isRunning, creates }) => !done && !isRunning && creates === null);
  const again = left.length > 0 && random.chance(0.5) ? random.pick(left) : null;
  const records = world.known.filter(({ noun }) => noun !== 'vaults');
  const kind = random.weighed({
    step: records.length === 0 ? 0 : 6,
    payment: 2,
    campaign: 1,
    spend: world.spends.length === 0 ? 0 : 2,
    read: 1,
  });
  if (again === null && kind === 'read') {
    await runTask(world, task(random.pick(cast.honest), readingOf(world, random)));
    return;
  }
  const fresh = (): Task | Promise<Task> => {
    if (kind === 'step') return stepOf(random, random.pick(records), cast);
    if (kind === 'spend') return spendingOf(random, random.pick(world.spends), cast);
    return kind === 'payment' ? paymentOf(random, tag, world, cast) : campaignOf(random, tag, world, cast);
  };
  const chosen = again ?? (await fresh());
  if (again === null) world.tasks.push(chosen);
  await runTask(world, chosen);
};
