/**
 * What the store remembers of a keeper: that it is one (its lease), what it has done and paid in fees (its acts), and what it
 * could not do, until when that is left alone (its faults).
 */
import { z } from 'zod';
import { Hex32, Units } from '../bch/fields.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import { defineCollection, type StoreReader, type StoreWriter } from '../operation/ports/store.js';
import { holderOf, readLeaseTable, type Held, type LeaseHolder, type Leases } from './leases.js';

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

/** The lease that makes a keeper single. */
const KEEPER = 'keeper';

/** The keeper of this home, as far as the store knows; null: none is at work. */
export const keeperAtWork = async (
  context: Pick<Context, 'store' | 'processes'>,
): Promise<LeaseHolder | null> => holderOf(await readLeaseTable(context), KEEPER);

/** Takes the lease, or keeps it. @throws keeper_busy */
export const takeKeeperLease = async (leases: Leases): Promise<Held> => {
  const table = await leases.look();
  const other = holderOf(table, KEEPER);
  if (other !== null && other.id !== leases.holder())
    throw new TreasuryError('keeper_busy', { pid: other.process.pid });
  const isHeld = leases.held(KEEPER) !== null;
  await leases.change(table, { take: isHeld ? [] : [KEEPER] });
  const held = leases.held(KEEPER);
  if (held !== null) return held;
  // Another was quicker since it was looked at.
  throw new TreasuryError('keeper_busy', { pid: holderOf(await leases.look(), KEEPER)?.process.pid ?? 0 });
};

/** Gives the lease back, and nothing else that is held. */
export const giveKeeperLeaseBack = async (leases: Leases): Promise<void> => {
  if (leases.works().includes(KEEPER)) await leases.change(await leases.look(), { give: [KEEPER] });
};
