/**
 * What the store remembers of a keeper: who it is (its lease), what it has done and paid in fees (its acts), and what it
 * could not do, until when that is left alone (its faults).
 */
import { z } from 'zod';
import { Hex32, Units } from '../bch/fields.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import {
  defineCollection,
  type StorePort,
  type StoreReader,
  type StoreWriter,
} from '../operation/ports/store.js';

const LEASE_ID = 'keeper';

export const KeeperLease = z.object({
  id: z.literal(LEASE_ID),
  /** Drawn by its holder; null: nobody holds it. */
  owner: z.string().nullable(),
  holder: z.object({ pid: z.int(), startTicks: z.string().nullable(), bootId: z.string().nullable() }),
  /** Rises whenever another takes it: what was begun under a lower one is refused by the commit that it needs. */
  fence: z.int(),
  /** Unix seconds of the wall clock. */
  heard_at: z.int(),
});
export type KeeperLease = z.output<typeof KeeperLease>;

export const keeperLeaseCollection = defineCollection({
  name: 'keeper_leases',
  schema: KeeperLease,
  indexes: {},
});

/** An amount of an asset, smallest unit. */
export const MovedAmount = z.object({
  /** Null: BCH. */
  category: Hex32.nullable(),
  units: Units,
});
export type MovedAmount = z.output<typeof MovedAmount>;

export const KeeperAct = z.object({
  /** Id of the transaction, or of the spend that was sent. */
  id: z.string(),
  /** What it was done to: {@link itemKey}. */
  item: z.string(),
  /** The name of its rule. */
  rule: z.string(),
  /** `payments claim`. */
  task: z.string(),
  label: z.string(),
  wallet: z.string(),
  /** Raw input of the operation that builds it. */
  input: z.record(z.string(), z.unknown()),
  /** Satoshis; of a vault's spend the vault pays it. */
  fee: Units,
  moved: z.array(MovedAmount),
  /** `signed`: written down, and not known to be confirmed. */
  state: z.enum(['signed', 'done']),
  /** Unix seconds of the service's clock. */
  booked_at: z.int(),
});
export type KeeperAct = z.output<typeof KeeperAct>;

export const keeperActCollection = defineCollection({
  name: 'keeper_acts',
  schema: KeeperAct,
  indexes: { state: ({ state }) => state },
});

export const KeeperFault = z.object({
  /** {@link itemKey}. */
  id: z.string(),
  task: z.string(),
  label: z.string(),
  /** Cash addresses of those whom it concerns. */
  parties: z.array(z.string()),
  code: z.string(),
  message: z.string(),
  /** In a row. */
  failures: z.int().min(1),
  /** Unix seconds of the service's clock. */
  first_at: z.int(),
  last_at: z.int(),
  /** Not tried again before. */
  next_at: z.int(),
});
export type KeeperFault = z.output<typeof KeeperFault>;

export const keeperFaultCollection = defineCollection({
  name: 'keeper_faults',
  schema: KeeperFault,
  indexes: {},
});

/** A day, seconds: limits of a day are those of the last 24 hours. */
const DAY = 86_400;

/** Fees and amounts of the last 24 hours, those of a clock that was ahead included. */
export const actsOfDay = async (reader: StoreReader, now: number): Promise<readonly KeeperAct[]> =>
  (await reader.find(keeperActCollection)).items.filter(({ booked_at: at }) => at > now - DAY);

/** Forgets acts that no limit counts any more: the events tell of them. */
export const forgetOldActs = async (writer: StoreWriter, now: number): Promise<void> => {
  for (const { id, state, booked_at: at } of (await writer.find(keeperActCollection)).items)
    if (state === 'done' && at <= now - 2 * DAY) writer.remove(keeperActCollection, id);
};

/** A holder that was not heard of for so long is taken to be gone, seconds. */
const LONGEST_SILENCE = 600;

/** A lease is written anew once it is as old, seconds. */
const RENEWED_AFTER = 60;

type Watching = Pick<Context, 'store' | 'processes' | 'clock'>;

const isAtWork = (
  lease: KeeperLease | null,
  { processes, clock }: Pick<Context, 'processes' | 'clock'>,
): lease is KeeperLease =>
  lease !== null &&
  lease.owner !== null &&
  !processes.isGone(lease.holder) &&
  Math.abs(clock.wall() - lease.heard_at) < LONGEST_SILENCE;

/** The keeper of this home, as far as the store knows; null: none is at work. */
export const keeperAtWork = async (context: Watching): Promise<KeeperLease | null> => {
  const lease = await context.store.get(keeperLeaseCollection, LEASE_ID);
  return isAtWork(lease, context) ? lease : null;
};

/**
 * Takes the lease, or renews it.
 *
 * @param owner drawn by whoever asks
 * @returns its fencing number
 * @throws keeper_busy
 */
export const takeKeeperLease = async (owner: string, context: Watching): Promise<number> => {
  const { store, processes, clock } = context;
  await store.refresh();
  const seen = await store.get(keeperLeaseCollection, LEASE_ID);
  if (isAtWork(seen, context) && seen.owner !== owner)
    throw new TreasuryError('keeper_busy', { pid: seen.holder.pid });
  const [holder, at] = [processes.self(), clock.wall()];
  if (seen?.owner === owner && Math.abs(at - seen.heard_at) < RENEWED_AFTER) return seen.fence;
  return store.transaction(async (writer) => {
    const lease = await writer.get(keeperLeaseCollection, LEASE_ID);
    // Another was quicker since it was looked at.
    if (lease !== null && (lease.fence !== seen?.fence || lease.owner !== seen.owner))
      throw new TreasuryError('keeper_busy', { pid: lease.holder.pid });
    const fence = lease?.owner === owner ? lease.fence : (lease?.fence ?? 0) + 1;
    writer.put(keeperLeaseCollection, { id: LEASE_ID, owner, holder, fence, heard_at: at });
    return fence;
  });
};

/** Checks inside a commit that no other keeper has taken over. @throws keeper_busy */
export const requireFence = async (reader: StoreReader, fence: number): Promise<void> => {
  const lease = await reader.get(keeperLeaseCollection, LEASE_ID);
  if (lease?.fence !== fence || lease.owner === null)
    throw new TreasuryError('keeper_busy', { pid: lease?.holder.pid ?? 0 });
};

/** Gives the lease back; its number stays, so that the next one's is higher. */
export const giveKeeperLeaseBack = (store: StorePort, owner: string): Promise<void> =>
  store.transaction(async (writer) => {
    const lease = await writer.get(keeperLeaseCollection, LEASE_ID);
    if (lease?.owner === owner) writer.put(keeperLeaseCollection, { ...lease, owner: null });
  });
