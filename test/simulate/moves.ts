/** What people do: honest ones, and one who is not. */
import type { Person } from '../../fixtures/people.js';
import { actions, addressOf, ask, askPatiently, confirm, send, signReply } from './client.js';
import { NETWORK, type Json } from './processes.js';
import type { Random } from './random.js';
import { playCommand } from './commands.js';
import { runAs } from './timeline.js';
import type { Known, OpenedWorld } from './world.js';

/** One move of a plan, with choices of its own. */
export type Play = { readonly world: OpenedWorld; readonly random: Random; readonly tag: string };

const DAY = 86_400;

const seconds = ({ world }: Play): number => Math.floor(world.timeline.wall() / 1_000);

/** The honest: the last of the people is a thief. */
const honest = ({ world }: Play): readonly Person[] => world.people.slice(0, -1);
const thief = ({ world }: Play): Person => world.people.at(-1) as Person;

const others = (play: Play, who: Person): readonly Person[] => honest(play).filter((one) => one !== who);

/** Half of what is made is in tokens, where there are some. */
const assetOf = ({ world, random }: Play, who: Person): string | null => {
  const [category] = world.tokens;
  return category !== undefined && who.name === 'alice' && random.chance(0.6) ? category : null;
};

const assetFields = (category: string | null): Json =>
  category === null ? {} : { tokenType: 'FUNGIBLE_TOKEN', tokenCategory: category };

const scheduleOf = (play: Play): Json => {
  const { random } = play;
  const now = seconds(play);
  const startTime = now - random.pick([0, 3_600, 5 * DAY]);
  const base = { startTime, endTime: now + random.pick([100, 30 * DAY, 100 * DAY]) };
  switch (random.whole(0, 4)) {
    case 0:
      return { streamType: 'LINEAR', ...base };
    case 1:
      return {
        streamType: 'LINEAR',
        ...base,
        endTime: startTime + 100 * DAY,
        cliffTimestamp: startTime + 10 * DAY,
      };
    case 2:
      return { streamType: 'STEP', ...base, endTime: startTime + 100 * DAY, intervalSeconds: 10 * DAY };
    case 3:
      return { streamType: 'RECURRING', ...base, endTime: startTime + 100 * DAY, intervalSeconds: 10 * DAY };
    default:
      return {
        streamType: 'HYBRID',
        ...base,
        endTime: startTime + 100 * DAY,
        hybridUnlockTimestamp: startTime + 5 * DAY,
        hybridUpfrontPercentage: 25,
      };
  }
};

type Creation = {
  readonly id: string;
  readonly input: Json;
  readonly noun: string;
  readonly recipient: Person | null;
  readonly asset: string | null;
};

const creationOf = (play: Play, who: Person): Creation => {
  const { random, tag, world } = play;
  const recipient = random.pick(others(play, who));
  const asset = assetOf(play, who);
  const amount = asset === null ? random.pick([0.001, 0.02, 0.05]) : random.pick([5, 20]);
  const vaults = world.known.filter(({ noun, creator }) => noun === 'vaults' && creator === who);
  const vault = vaults.length > 0 && random.chance(0.3) ? random.pick(vaults) : null;
  const inVault = vault === null ? {} : { vaultId: vault.id };
  const common = { recipient: addressOf(recipient), ...assetFields(asset), ...inVault };
  const kinds = {
    streams: 5,
    payments: 4,
    vaults: vaults.length === 0 ? 6 : 1,
    budgets: vaults.length === 0 ? 0 : 4,
    governance: vaults.length === 0 ? 0 : 2,
  };
  const noun = random.weighed(kinds);
  const made = (id: string, input: Json): Creation => ({ id, input, noun, recipient, asset });
  switch (noun) {
    case 'streams': {
      const schedule = scheduleOf(play);
      const isRefillable = schedule['streamType'] === 'RECURRING' && random.chance(0.5);
      return made('streams.create', {
        ...common,
        sender: addressOf(who),
        totalAmount: amount,
        description: tag,
        ...schedule,
        refillable: isRefillable,
        // What can be refilled has no end, but for being cancelled.
        cancelable: isRefillable || random.chance(0.8),
        transferable: schedule['streamType'] !== 'RECURRING' && random.chance(0.5),
      });
    }
    case 'payments':
      return made('payments.create', {
        ...common,
        sender: addressOf(who),
        recipientName: tag,
        amountPerPeriod: asset === null ? 0.002 : 2,
        interval: random.pick(['DAILY', 'WEEKLY', 'MONTHLY']),
        startDate: seconds(play),
        endDate: seconds(play) + 200 * DAY,
        cancelable: random.chance(0.8),
      });
    case 'budgets':
      return made('budgets.create', {
        ...common,
        vaultId: (vault ?? random.pick(vaults)).id,
        recipientName: tag,
        cancelable: random.chance(0.8),
        milestones: [1, 2, 3].map((step) => ({ amount, durationSeconds: step * 5 * DAY, description: tag })),
      });
    case 'governance':
      return made('governance.propose', {
        vaultId: (vault ?? random.pick(vaults)).id,
        title: tag,
        quorum: 5,
        votingDurationDays: 2,
        ...(world.tokens[0] === undefined ? {} : { tokenCategory: world.tokens[0] }),
      });
    default: {
      const signers = [who, ...others(play, who)].slice(0, 3);
      return made('vaults.create', {
        name: tag,
        signers: signers.map(addressOf),
        signerPubkeys: signers.map(({ publicKey }) => Buffer.from(publicKey).toString('hex')),
        totalDeposit: 0.05,
        isPublic: random.chance(0.7),
      });
    }
  }
};

/** The part of a reply that says what was made. */
const madeOf = (reply: Json): Json => {
  for (const name of ['stream', 'payment', 'plan', 'proposal', 'campaign', 'vault']) {
    const found = reply[name];
    if (typeof found === 'object' && found !== null) return found as Json;
  }
  return reply;
};

/** What people call a record. */
export const labelIn = (made: Json): string | null => {
  const texts = Object.values(made).filter((value) => typeof value === 'string');
  return texts.find((text) => /^#?[A-Z]+-\d{4,}$/.test(text))?.replace('#', '') ?? null;
};

const addressIn = (made: Json): string | null => {
  const found = made['contract_address'] ?? made['contractAddress'];
  return typeof found === 'string' ? found : null;
};

/** Somebody creates a record, and asks again under the same key while no answer comes. */
export const create = async (play: Play): Promise<void> => {
  const { world, random, tag } = play;
  // One has more to do than the others, so that much of it is at once.
  const who = random.chance(0.5) ? (honest(play)[0] as Person) : random.pick(honest(play));
  const { id, input, noun, recipient, asset } = creationOf(play, who);
  world.tell(`${who.name} asks for ${id} ${tag}`);
  world.tried.set(tag, noun);
  const got = await askPatiently(world, who, id, input, { key: `key-${tag}` });
  if (got === null || got.status >= 300) {
    world.tell(
      `${who.name}: ${tag} ${got === null ? 'no answer' : `${got.status} ${String(got.body['code'])}`}`,
    );
    if (got?.status === 400) throw new Error(`${id}: ${JSON.stringify(got.body)}`);
    return;
  }
  const made = madeOf(got.body);
  const record: Known = {
    noun,
    id: String(made['id'] ?? got.body['id']),
    label: labelIn(made) ?? String(made['id']),
    creator: who,
    recipient,
    address: addressIn(made) ?? addressIn(got.body),
    vaultId: null,
    tag,
    asset,
  };
  world.known.push(record);
  world.count(`created: ${noun}${asset === null ? '' : ' in tokens'}`);
  world.tell(`${who.name} has ${record.noun} ${record.id} (${tag})`);
};

/** Ids of what builds the funding of a noun's record. */
const FUNDING: Readonly<Record<string, string>> = {
  streams: 'streams.funding-info',
  payments: 'payments.funding-info',
  budgets: 'budgets.funding-info',
  vaults: 'vaults.deposit',
};

const knownOf = ({ world, random }: Play, nouns: readonly string[]): Known | null => {
  const found = world.known.filter(({ noun }) => nouns.includes(noun));
  return found.length === 0 ? null : random.pick(found);
};

/** Builds, signs and keeps; then sends and confirms it, or does not, or does so later. */
const carryOut = async (
  play: Play,
  who: Person,
  build: string,
  input: Json,
  record: Known | null,
): Promise<void> => {
  const { world, random } = play;
  const got = await ask(world, who, build, input);
  world.count(`built: ${build}: ${got === null ? 'no answer' : got.status}`);
  if (got === null || got.status !== 200) {
    world.tell(
      `${who.name}: ${build} ${record?.tag ?? ''} ${got === null ? 'no answer' : String(got.body['code'])}`,
    );
    // A refill is of whole intervals: what people ask for need not be.
    const isUneven = build.endsWith('.refill') && got?.body['code'] === 'invalid_amount';
    if (got?.status === 400 && !isUneven) throw new Error(`${build}: ${JSON.stringify(got.body)}`);
    return;
  }
  const isStranger = record !== null && who !== record.creator && who !== record.recipient;
  if (isStranger && GUARDED.test(build) && !(build === 'governance.lock' || build === 'governance.unlock'))
    world.find('others', `${who.name} is given ${build} of ${record.tag}, which is none of theirs`);
  const signed = signReply(world, who, { build, record, input }, got.body);
  if (signed === null) return;
  world.tell(`${who.name} signs ${signed.build} of ${record?.tag ?? 'nothing'}: ${signed.txid.slice(0, 8)}`);
  if (random.chance(0.15)) return;
  if (random.chance(0.2)) await world.timeline.sleep(random.next() * 30_000);
  const isSent = await send(world, signed, random.chance(0.7) ? 'daemon' : 'node');
  world.tell(`${who.name} sends ${signed.txid.slice(0, 8)}: ${isSent ? 'taken' : 'not taken'}`);
  if (signed.build === 'preparation' || !isSent || random.chance(0.25)) return;
  const confirmed = await confirm(world, who, signed);
  world.count(`confirmed: ${signed.confirm ?? ''}: ${confirmed === null ? 'no answer' : confirmed.status}`);
  if (confirmed?.status === 400)
    throw new Error(`${signed.confirm ?? ''}: ${JSON.stringify(confirmed.body)}`);
};

/** What nobody may be given who has no part in a record. */
const GUARDED = /\.(?:claim|release|pause|resume|cancel|transfer|distribute|recover|deposit)$/;

export const fund = async (play: Play): Promise<void> => {
  const record = knownOf(play, Object.keys(FUNDING));
  if (record === null) return;
  const who = play.random.chance(0.95) ? record.creator : thief(play);
  await carryOut(play, who, FUNDING[record.noun] ?? '', { id: record.id }, record);
};

/** What makes sense, by the noun and status of a record. */
const SENSE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  streams: {
    PENDING: ['fund'],
    ACTIVE: ['claim', 'claim', 'claim', 'pause', 'cancel', 'refill', 'transfer', 'recover'],
    PAUSED: ['resume', 'resume', 'cancel', 'claim'],
  },
  payments: {
    PENDING: ['fund'],
    ACTIVE: ['claim', 'claim', 'claim', 'pause', 'cancel', 'refill', 'recover'],
    PAUSED: ['resume', 'resume', 'cancel', 'refill'],
  },
  budgets: {
    PENDING: ['fund'],
    ACTIVE: ['release', 'release', 'release', 'pause', 'cancel', 'recover'],
    PAUSED: ['resume', 'resume', 'cancel'],
  },
  rewards: {
    PENDING: ['fund'],
    ACTIVE: ['distribute', 'distribute', 'distribute', 'pause', 'cancel'],
    PAUSED: ['cancel'],
  },
  governance: { ACTIVE: ['lock', 'lock'], PASSED: ['unlock'], REJECTED: ['unlock'], EXPIRED: ['unlock'] },
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
    const stake = { voteChoice: random.pick(['FOR', 'AGAINST']), stakeAmount: random.whole(1, 9) };
    const token = world.tokens[0] === undefined ? {} : { tokenCategory: world.tokens[0] };
    return { proposalId: record.id, voterAddress: by, ...(verb === 'lock' ? { ...stake, ...token } : {}) };
  }
  const id = { id: record.id };
  if (verb === 'claim' || verb === 'release') return { ...id, recipientAddress: by };
  if (verb === 'transfer') return { ...id, newRecipientAddress: addressOf(random.pick(honest(play))) };
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
  const isRecipients = ['claim', 'release', 'transfer'].includes(verb);
  const rightful = isRecipients ? (record.recipient ?? record.creator) : record.creator;
  const who = random.chance(0.12)
    ? thief(play)
    : record.noun === 'governance'
      ? (honest(play)[0] as Person)
      : rightful;
  await carryOut(play, who, `${record.noun}.${verb}`, inputOf(play, who, verb, record), record);
};

/** Somebody sends again, or at last, what they have kept. */
export const resend = async (play: Play): Promise<void> => {
  const { world, random } = play;
  if (world.drawer.length === 0) return;
  const signed = random.pick(world.drawer.slice(-30));
  const isSent = await send(world, signed, random.chance(0.5) ? 'daemon' : 'node');
  world.tell(
    `${signed.who.name} sends ${signed.build} ${signed.txid.slice(0, 8)} that was kept: ${isSent ? 'taken' : 'not taken'}`,
  );
  world.count('sent what was kept');
};

/** Anybody confirms what anybody has sent, for its record or for another one. */
export const confirmAgain = async (play: Play): Promise<void> => {
  const { world, random } = play;
  const sent = world.drawer.filter((signed) => signed.confirm !== null);
  if (sent.length === 0) return;
  const signed = random.pick(sent.slice(-30));
  const who = random.chance(0.3) ? thief(play) : signed.who;
  const other = random.chance(0.15) ? knownOf(play, [signed.record?.noun ?? '']) : null;
  const input = other === null || signed.confirmInput['id'] === undefined ? {} : { id: other.id };
  const got = await ask(world, who, signed.confirm ?? '', {
    ...signed.confirmInput,
    ...input,
    txHash: signed.txid,
  });
  world.count(`confirmed again: ${got === null ? 'no answer' : got.status}`);
};

/** Somebody looks at what they made: it has to be there. */
export const look = async (play: Play): Promise<void> => {
  const record = knownOf(play, ['streams', 'payments', 'budgets', 'vaults', 'governance']);
  if (record === null) return;
  const status = await statusOf(play, record);
  play.world.count(`looked at: ${record.noun} ${status ?? 'no answer'}`);
};

/** Coins that nobody asked for come to the address of a record. */
export const stray = async (play: Play): Promise<void> => {
  const { world } = play;
  const record = knownOf(play, ['streams', 'payments', 'budgets', 'vaults']);
  if (record === null) return;
  const got = await ask(
    world,
    thief(play),
    `${record.noun}.funding-info`.replace('vaults.funding-info', 'vaults.deposit'),
    { id: record.id },
  );
  if (got === null || got.status !== 200) return;
  const signed = signReply(world, thief(play), { build: 'a stray funding', record, input: {} }, got.body);
  if (signed !== null) await send(world, signed, 'node');
  world.count('stray fundings');
};

/** Somebody is paid by the outside world: their coins are others than before. */
export const receive = async ({ world, random }: Play): Promise<void> => {
  const who = random.pick(world.people);
  await runAs(null, () =>
    world.node.faucet(who.address(NETWORK).lockingBytecode, BigInt(random.whole(1, 90)) * 1_000_000n),
  );
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

export const isAction = (id: string): boolean => actions.has(id);
