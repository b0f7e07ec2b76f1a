/** What people create, and asking for it. */
import type { Person } from '../../fixtures/people.js';
import { assetFields, assetOf, DAY, honest, others, seconds, type Play } from './cast.js';
import { addressOf, askPatiently, labelIn, madeOf } from './client.js';
import { CLOCKS_SECONDS } from './entitlement.js';
import type { Json } from './processes.js';
import type { Known } from './world.js';

/** A schedule of any type, as it is asked for. */
export const scheduleOf = (play: Play): Json => {
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

const vaultOf = (play: Play, who: Person): Creation => {
  const signers = [who, ...others(play, who)].slice(0, 3);
  const input = {
    name: play.tag,
    signers: signers.map(addressOf),
    signerPubkeys: signers.map(({ publicKey }) => Buffer.from(publicKey).toString('hex')),
    totalDeposit: 0.05,
    isPublic: play.random.chance(0.7),
  };
  return { id: 'vaults.create', input, noun: 'vaults', recipient: null, asset: null };
};

/** The least that is pushed of most records: so little that it is nearly always pushed, or a part of it. */
const pushedFrom = ({ random }: Play, asset: string | null, amount: number): Json => {
  if (random.chance(0.3)) return {};
  const least = asset === null ? 0.00002 : 0.02;
  return { pushMinimum: random.pick([least, least, amount / 2]) };
};

const creationOf = (play: Play, who: Person): Creation => {
  const { random, tag, world } = play;
  const recipient = random.pick(others(play, who));
  const asset = assetOf(play, who);
  const amount = asset === null ? random.pick([0.001, 0.02, 0.05]) : random.pick([5, 20]);
  const vaults = world.known.filter(({ noun, creator }) => noun === 'vaults' && creator === who);
  const vault = vaults.length > 0 && random.chance(0.3) ? random.pick(vaults) : null;
  const inVault = vault === null ? {} : { vaultId: vault.id };
  const common = {
    recipient: addressOf(recipient),
    ...assetFields(asset),
    ...inVault,
  };
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
        ...pushedFrom(play, asset, amount),
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
        ...pushedFrom(play, asset, asset === null ? 0.002 : 2),
        interval: random.pick(['DAILY', 'WEEKLY', 'MONTHLY']),
        startDate: seconds(play),
        endDate: seconds(play) + 200 * DAY,
        cancelable: random.chance(0.8),
      });
    case 'budgets':
      return made('budgets.create', {
        ...common,
        ...pushedFrom(play, asset, amount),
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
    default:
      return vaultOf(play, who);
  }
};

/** A record of which somebody was told. */
export const knownFrom = (
  made: Json,
  facts: Pick<Known, 'noun' | 'creator' | 'recipient' | 'tag' | 'asset' | 'terms'>,
): Known => ({
  ...facts,
  id: String(made['id']),
  label: labelIn(made) ?? String(made['id']),
  address: addressIn(made),
  vaultId: typeof facts.terms['vaultId'] === 'string' ? facts.terms['vaultId'] : null,
  heirs: new Set(facts.recipient === null ? [] : [addressOf(facts.recipient)]),
});

const addressIn = (made: Json): string | null => {
  const found = made['contract_address'] ?? made['contractAddress'];
  return typeof found === 'string' ? found : null;
};

/**
 * Looks at a refusal for what was asked: people here ask for what can be, unless its time has gone by until the question
 * arrived.
 *
 * @throws when it could have been
 */
export const checkRefusal = (play: Play, id: string, body: Json, terms: readonly Json[]): void => {
  const now = seconds(play) + CLOCKS_SECONDS;
  const isLate = terms.some(({ endTime, endDate }) => Number(endTime ?? endDate ?? Infinity) <= now);
  if (!isLate) throw new Error(`${id}: ${JSON.stringify(body)}`);
  play.world.count('fault: what is asked for ends before the question arrives');
};

/** Somebody creates a record, and asks again under the same key while no answer comes. */
export const create = async (play: Play): Promise<void> => {
  // One has more to do than the others, so that much of it is at once.
  const who = play.random.chance(0.5) ? (honest(play)[0] as Person) : play.random.pick(honest(play));
  await askFor(play, who, creationOf(play, who));
};

/** Somebody asks for a record of any kind; null when they were not told of one. */
export const createBy = (play: Play, who: Person): Promise<Known | null> =>
  askFor(play, who, creationOf(play, who));

/** Somebody asks for a vault; null when they were not told of one. */
export const createVault = (play: Play, who: Person): Promise<Known | null> =>
  askFor(play, who, vaultOf(play, who));

const askFor = async (play: Play, who: Person, creation: Creation): Promise<Known | null> => {
  const { world, tag } = play;
  const { id, input, noun, recipient, asset } = creation;
  world.tell(`${who.name} asks for ${id} ${tag}`);
  world.tried.set(tag, noun);
  const askedAt = seconds(play);
  const got = await askPatiently(world, who, id, input, { key: `key-${tag}` });
  if (got === null || got.status >= 300) {
    world.tell(
      `${who.name}: ${tag} ${got === null ? 'no answer' : `${got.status} ${String(got.body['code'])}`}`,
    );
    if (got?.status === 400) checkRefusal(play, id, got.body, [input]);
    return null;
  }
  const made = { ...got.body, ...madeOf(got.body) };
  const record = knownFrom(made, { noun, creator: who, recipient, tag, asset, terms: { ...input, askedAt } });
  world.known.push(record);
  world.tell(`${who.name} has ${record.noun} ${record.id} (${tag})`);
  return record;
};
