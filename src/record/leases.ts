/**
 * Leases: which process does which part of the work that one does for all.
 *
 * Whoever works on a store is a holder, with one record that it renews; a lease names a work, its holder, and a number
 * that rises whenever another takes it. A lease is free when its holder gave it back or has no record any more; whoever
 * finds a holder over its time removes that record, and with it all of its leases. So renewing is one small commit, however
 * much is held.
 *
 * What is written under a lease is written by `fenced`: its change reads the lease first, and is refused where another has
 * taken it. A holder that stood still and wakes up writes nothing, whatever it believes, so no clock has to be right.
 */
import { z } from 'zod';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import {
  defineCollection,
  type StorePort,
  type StoreReader,
  type StoreWriter,
} from '../operation/ports/store.js';

export const LeaseHolder = z.object({
  /** Drawn by it. */
  id: z.string(),
  process: z.object({ pid: z.int(), startTicks: z.string().nullable(), bootId: z.string().nullable() }),
  /** True for a daemon: it takes a share of the work. */
  is_daemon: z.boolean(),
  /** Until when it is taken to be alive: milliseconds since 1970, by the store's time. */
  until: z.int(),
});
export type LeaseHolder = z.output<typeof LeaseHolder>;

export const leaseHolderCollection = defineCollection({
  name: 'lease_holders',
  schema: LeaseHolder,
  indexes: {},
});

export const Lease = z.object({
  /** The name of the work. */
  id: z.string(),
  /** The id of its {@link LeaseHolder}; null: it was given back. */
  holder: z.string().nullable(),
  /** Rises with each that takes it: what was begun under a lower one is refused. */
  fence: z.int(),
});
export type Lease = z.output<typeof Lease>;

export const leaseCollection = defineCollection({ name: 'leases', schema: Lease, indexes: {} });

/** A lease as its holder knows it. */
export type Held = { readonly work: string; readonly holder: string; readonly fence: number };

/** How long a holder is believed without being heard of, milliseconds: it renews when a third of it has passed. */
export const LEASE_MS = 15_000;
/**
 * The same where the store is one machine's and nobody else works on it: who ends there is seen to have ended, and nothing is
 * written all the time for nobody.
 */
const ALONE_MS = 600_000;

type Watching = Pick<Context, 'store' | 'processes'>;

/** True for one that is gone, or of another time: also of one that is to come, on a clock that was set back. */
const isOver = (
  { process, until }: LeaseHolder,
  now: number,
  { store: { isShared }, processes }: Watching,
): boolean => until <= now || until > now + 2 * ALONE_MS || (!isShared && processes.isGone(process));

/** Who works on a store, and on what. */
export type LeaseTable = {
  /** By the store's time, milliseconds. */
  readonly now: number;
  readonly alive: readonly LeaseHolder[];
  /** They have records and are taken to be gone. */
  readonly gone: readonly LeaseHolder[];
  readonly leases: readonly Lease[];
};

/** Reads who works on what. A holder is alive to itself. @param own its id */
export const readLeaseTable = async (context: Watching, own?: string): Promise<LeaseTable> => {
  const { store } = context;
  const [now, holders, leases] = await Promise.all([
    store.time(),
    store.find(leaseHolderCollection),
    store.find(leaseCollection, { order: 'oldest' }),
  ]);
  const isGone = (holder: LeaseHolder): boolean => holder.id !== own && isOver(holder, now, context);
  return {
    now,
    alive: holders.items.filter((holder) => !isGone(holder)),
    gone: holders.items.filter(isGone),
    leases: leases.items,
  };
};

/** Who works on a store now, for people: `a daemon (process 12)`. */
export const holdersAlive = async (context: Watching): Promise<readonly string[]> => {
  const { alive } = await readLeaseTable(context);
  return alive.map(
    ({ is_daemon: isDaemon, process: { pid } }) => `${isDaemon ? 'a daemon' : 'a command'} (process ${pid})`,
  );
};

/** The one that holds a work and is alive; null: none. */
export const holderOf = ({ alive, leases }: LeaseTable, work: string): LeaseHolder | null => {
  const lease = leases.find(({ id }) => id === work);
  return alive.find(({ id }) => id === lease?.holder) ?? null;
};

/** Checks inside a commit that a lease is its holder's still. @throws lease_lost */
export const requireHeld = async (reader: StoreReader, { work, holder, fence }: Held): Promise<void> => {
  const lease = await reader.get(leaseCollection, work);
  if (lease?.holder !== holder || lease.fence !== fence) throw new TreasuryError('lease_lost', { work });
};

/** The store for what is done under leases: its changes are refused once another has one of them. */
export const fenced = (store: StorePort, ...leases: readonly Held[]): StorePort => ({
  ...store,
  transaction: (change) =>
    store.transaction(async (writer) => {
      for (const held of leases) await requireHeld(writer, held);
      return change(writer);
    }),
});

/** True for what `fenced` throws when another has taken over. */
export const isLeaseLost = (error: unknown): boolean =>
  error instanceof TreasuryError && error.code === 'lease_lost';

/** What a holder wants changed. */
type Wish = { readonly take: readonly string[]; readonly give: readonly string[] };

const takeFree = async (writer: StoreWriter, work: string, holder: string): Promise<Held | null> => {
  const lease = await writer.get(leaseCollection, work);
  if (lease?.holder === holder) return { work, holder, fence: lease.fence };
  const other = lease?.holder ?? null;
  if (other !== null && (await writer.get(leaseHolderCollection, other)) !== null) return null;
  const fence = (lease?.fence ?? 0) + 1;
  writer.put(leaseCollection, { id: work, holder, fence });
  return { work, holder, fence };
};

/**
 * Renews a holder, removes those that are gone, gives back, and takes what is free: in one commit.
 *
 * @returns what it has taken; null when it was taken to be gone itself, and holds nothing any more
 */
const changeLeases = (
  store: StorePort,
  own: LeaseHolder,
  { isNew, gone, take, give }: Wish & Pick<LeaseTable, 'gone'> & { readonly isNew: boolean },
): Promise<readonly Held[] | null> =>
  store.transaction(async (writer) => {
    if (!isNew && (await writer.get(leaseHolderCollection, own.id)) === null) return null;
    for (const { id, until } of gone)
      if ((await writer.get(leaseHolderCollection, id))?.until === until)
        writer.remove(leaseHolderCollection, id);
    writer.put(leaseHolderCollection, own);
    for (const work of give) {
      const lease = await writer.get(leaseCollection, work);
      if (lease?.holder === own.id) writer.put(leaseCollection, { ...lease, holder: null });
    }
    const taken: Held[] = [];
    for (const work of take) {
      const held = await takeFree(writer, work, own.id);
      if (held !== null) taken.push(held);
    }
    return taken;
  });

export type Leases = {
  /** Of its holder: another one once it was taken to be gone. */
  readonly holder: () => string;
  /** A lease that it holds, as far as it knows. */
  readonly held: (work: string) => Held | null;
  readonly works: () => readonly string[];
  /** Who works on what now. */
  readonly look: () => Promise<LeaseTable>;
  /**
   * Gives back, takes what is free of what is wished for, and renews, where one of these is due.
   * @returns false when it was taken to be gone: it holds nothing, and begins anew with the next call
   */
  readonly change: (table: LeaseTable, wish?: Partial<Wish>) => Promise<boolean>;
  /** Gives everything back. */
  readonly leave: () => Promise<void>;
};

/** The leases of a process of its own. Nothing is written before the first `change`. */
export const openLeases = (
  context: Watching & Pick<Context, 'uuid'>,
  { isDaemon }: { readonly isDaemon: boolean },
): Leases => {
  const { store, processes, uuid } = context;
  const held = new Map<string, Held>();
  let id = uuid();
  let until: number | null = null;
  /** What is held is believed so long, by this process's own time. */
  let goodUntil = Infinity;

  const spanOf = ({ alive }: LeaseTable): number =>
    store.isShared || alive.some((one) => one.id !== id) ? LEASE_MS : ALONE_MS;
  /** After a third of its time; and at once where that is shorter than it was, or the clock was set back. */
  const isDue = (now: number, span: number): boolean =>
    until === null || until - now < (2 / 3) * span || until - now > span;
  const beginAnew = (before: string): void => {
    if (id !== before) return;
    id = uuid();
    until = null;
    held.clear();
  };

  const change: Leases['change'] = async (table, { take = [], give = [] } = {}) => {
    const span = spanOf(table);
    if (take.length + give.length + table.gone.length === 0 && !isDue(table.now, span)) return true;
    const asked = performance.now();
    const own = { id, process: processes.self(), is_daemon: isDaemon, until: table.now + span };
    // First, so that nothing is begun that is given back.
    for (const work of give) held.delete(work);
    const taken = await changeLeases(store, own, { isNew: until === null, gone: table.gone, take, give });
    if (taken === null) beginAnew(own.id);
    if (taken === null || own.id !== id) return false;
    ({ until } = own);
    goodUntil = span === LEASE_MS ? asked + LEASE_MS : Infinity;
    for (const lease of taken) held.set(lease.work, lease);
    return true;
  };

  return {
    holder: () => id,
    held: (work) => (performance.now() < goodUntil ? (held.get(work) ?? null) : null),
    works: () => [...held.keys()],
    look: async () => {
      await store.refresh();
      return readLeaseTable(context, id);
    },
    change,
    leave: async () => {
      const [own, isThere] = [id, until !== null];
      beginAnew(own);
      if (!isThere) return;
      await store.transaction(async (writer) => {
        if ((await writer.get(leaseHolderCollection, own)) !== null)
          writer.remove(leaseHolderCollection, own);
      });
    },
  };
};
