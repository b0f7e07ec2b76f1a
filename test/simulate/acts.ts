/** What people do with records that are there. */
import type { Person } from '../../fixtures/people.js';
import { carryOut, FUNDING } from './carry-out.js';
import { honest, knownOf, thief, type Play } from './cast.js';
import { addressOf, ask, madeOf, signReply } from './client.js';
import { playCommand } from './tasks.js';
import type { Json } from './processes.js';
import type { Known } from './world.js';

/** What makes sense, by the noun and status of a record. */
const SENSE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  streams: {
    PENDING: ['fund'],
    ACTIVE: [
      ...['claim', 'claim', 'claim', 'push', 'push', 'pause', 'cancel'],
      ...['refill', 'refill', 'transfer', 'recover'],
    ],
    PAUSED: ['resume', 'resume', 'cancel', 'claim'],
  },
  payments: {
    PENDING: ['fund'],
    ACTIVE: ['claim', 'claim', 'claim', 'push', 'push', 'pause', 'cancel', 'refill', 'recover'],
    PAUSED: ['resume', 'resume', 'cancel', 'refill'],
  },
  budgets: {
    PENDING: ['fund'],
    ACTIVE: ['release', 'release', 'release', 'push', 'push', 'pause', 'cancel', 'recover'],
    PAUSED: ['resume', 'resume', 'cancel'],
  },
  rewards: {
    PENDING: ['fund'],
    ACTIVE: ['distribute', 'distribute', 'distribute', 'pause', 'cancel'],
    PAUSED: ['cancel'],
  },
  governance: {
    ACTIVE: ['lock', 'lock', 'vote'],
    PASSED: ['unlock'],
    REJECTED: ['unlock'],
    EXPIRED: ['unlock'],
  },
};

/** The status of a record, as its creator is told it; null when no answer comes. */
export const statusOf = async ({ world }: Play, record: Known): Promise<string | null> => {
  const input = record.noun === 'governance' ? { proposalId: record.id } : { id: record.id };
  const got = await ask(world, record.creator, `${record.noun}.show`, input);
  if (got?.status === 404)
    world.find('lost', `${record.noun} ${record.id} (${record.tag}) was answered, and is not there`);
  const status = got === null ? undefined : madeOf(got.body)['status'];
  return typeof status === 'string' ? status : null;
};

/** A verb for a record: one that makes sense, most of the time. */
export const verbFor = async (play: Play, record: Known): Promise<string> => {
  const byStatus = SENSE[record.noun] ?? {};
  const status = play.random.chance(0.85) ? await statusOf(play, record) : null;
  return play.random.pick(byStatus[status ?? ''] ?? Object.values(byStatus).flat());
};

const inputOf = (play: Play, who: Person, verb: string, record: Known): Json => {
  const { random, world } = play;
  const by = addressOf(who);
  if (record.noun === 'governance') {
    const stake = { voteChoice: random.pick(['FOR', 'AGAINST', 'ABSTAIN']), stakeAmount: random.whole(1, 9) };
    const token = world.tokens[0] === undefined ? {} : { tokenCategory: world.tokens[0] };
    return { proposalId: record.id, voterAddress: by, ...(verb === 'lock' ? { ...stake, ...token } : {}) };
  }
  const id = { id: record.id };
  if (verb === 'claim' || verb === 'release') return { ...id, recipientAddress: by };
  if (verb === 'transfer') {
    const heir = addressOf(random.pick(honest(play)));
    record.heirs.add(heir);
    return { ...id, newRecipientAddress: heir };
  }
  if (verb === 'refill')
    return record.noun === 'payments'
      ? { ...id, periods: 2 }
      : { ...id, refillAmount: record.asset === null ? 0.02 : 3 };
  return id;
};

/** Somebody moves a record: who may, and now and then who may not. */
export const act = async (play: Play): Promise<void> => {
  const { random } = play;
  const record = knownOf(play, ['streams', 'payments', 'budgets', 'governance']);
  if (record === null) return;
  const verb = await verbFor(play, record);
  if (verb === 'fund') {
    await carryOut(play, record.creator, FUNDING[record.noun] ?? '', { id: record.id }, record);
    return;
  }
  if (verb === 'vote') {
    const vote = random.pick(['FOR', 'AGAINST', 'ABSTAIN']);
    await ask(
      play.world,
      random.pick(play.world.people),
      'governance.vote',
      { proposalId: record.id, vote },
      play.tag,
    );
    return;
  }
  const isRecipients = ['claim', 'release', 'transfer'].includes(verb);
  const rightful = isRecipients ? (record.recipient ?? record.creator) : record.creator;
  // Whoever pushes pays the fee, and nobody else is paid: anybody may.
  const isAnybodys = verb === 'push' && random.chance(0.5);
  const who = random.chance(0.12)
    ? thief(play)
    : isAnybodys
      ? random.pick(honest(play))
      : record.noun === 'governance'
        ? (honest(play)[0] as Person)
        : rightful;
  await carryOut(play, who, `${record.noun}.${verb}`, inputOf(play, who, verb, record), record);
};

/** Who has signed it keeps it, and does not send it. */
export const keep = async (play: Play): Promise<void> => {
  const { world, random } = play;
  const record = knownOf(play, ['streams', 'payments', 'budgets']);
  if (record === null) return;
  const build = `${record.noun}.${random.pick(['pause', 'cancel'])}`;
  const input = { id: record.id };
  const got = await ask(world, record.creator, build, input);
  if (got?.status !== 200) return;
  const signed = signReply(world, record.creator, { build, record, input }, got.body);
  world.tell(`${record.creator.name} keeps ${build} of ${record.tag}: ${signed?.txid.slice(0, 8) ?? ''}`);
};

/** Somebody looks at what they made: it has to be there. */
export const look = async (play: Play): Promise<void> => {
  const record = knownOf(play, ['streams', 'payments', 'budgets', 'vaults', 'governance']);
  if (record === null) return;
  const status = await statusOf(play, record);
  play.world.count(`looked at: ${record.noun} ${(status ?? 'no answer').toLowerCase()}`);
};

/** Somebody works at the terminal of the home. */
export const command = async (play: Play): Promise<void> => {
  await playCommand(play, {
    honest: honest(play),
    thief: thief(play),
    addressOf,
    verbFor: (record) => verbFor(play, record),
  });
};
