/** Which records the monitor watches: all that live, and those whose last transactions are not safe yet. */
import { setImmediate as breathe } from 'node:timers/promises';
import { parseAddress } from '../../bch/address.js';
import type { Context } from '../../operation/context.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import { EVERY_RECORD, eventCollection, type EventRecord } from '../../record/events.js';
import { LIVE } from '../../record/pool-record.js';
import { shardOf } from '../../record/works.js';
import type { Share } from '../sharing/share.js';
import { knownStatus } from './known-status.js';

type Watched = { readonly deployable: Deployable; readonly record: CovenantRecord };

export type WatchList = {
  /**
   * Begins to watch what has come into the store since the last call; of many, a part. Whoever is watched of whom the
   * chain tells more than the record knows is told as a change.
   */
  readonly discover: () => Promise<void>;
  /** Lets go of the records of shards that are another's now, and discovers anew: some may have come. */
  readonly reshare: () => void;
  /** False while there is more to discover. */
  readonly isComplete: () => boolean;
  /** Some of the records that are watched and were not looked at, since the chain has nothing new of them; each once. */
  readonly unseen: () => readonly string[];
  /** The record of an id and the product that knows it, watched or not; null when it is gone. */
  readonly find: (id: string) => Promise<Watched | null>;
  /** Watches a record, or lets go of it, as it is now. */
  readonly review: (id: string) => Promise<void>;
  /** The ids of the records whose events are not safe yet. */
  readonly unsettled: () => Promise<readonly string[]>;
  /** The ids of the records with an event above a height, up to another. */
  readonly above: (height: number, upTo: number) => Promise<readonly string[]>;
  readonly size: () => number;
  readonly close: () => void;
};

export type WatchListOptions = {
  readonly context: Context;
  readonly deployables: readonly Deployable[];
  /** Whose records are watched: those of its shards. */
  readonly share: Share;
  /** Told the id of a record at whose address something has happened. */
  readonly onChange: (id: string) => void;
};

/** Records that are read in one go: between two pages the service answers. */
const PAGE = 100;
/** How long records are discovered in one go, milliseconds: what happens meanwhile is not to wait for all of them. */
const GO_MS = 2_000;
/** Records of {@link WatchList.unseen} in one go. */
const UNSEEN = 20;
/** Blocks of which events are looked up one by one. */
const EXACT_BLOCKS = 1_000;

/** Records of a page that were in the page before: so many may end between the two. */
const OVERLAP = 10;

/** All records of a product that live, page by page; some of them twice. None that ended is read. */
async function* liveRecords(
  deployable: Deployable,
  { store }: Pick<Context, 'store'>,
): AsyncGenerator<readonly Watched[]> {
  let next = 0;
  let last: string | null = null;
  for (;;) {
    const offset = Math.max(0, next - OVERLAP);
    const query = { where: { live: LIVE }, order: 'oldest', offset, limit: PAGE } as const;
    const records = (await store.find(deployable.collection, query)).items as readonly CovenantRecord[];
    const isMoved: boolean = last !== null && !records.some(({ id }) => id === last);
    if (!isMoved) yield records.map((record) => ({ deployable, record }));
    if (!isMoved && records.length < PAGE) return;
    next = isMoved ? 0 : offset + records.length;
    last = isMoved ? null : (records.at(-1)?.id ?? null);
  }
}

/** The ids of the records that live as far as the list knows, by product. */
type Living = ReadonlyMap<Deployable, ReadonlySet<string>>;

/** What has come into the store, product by product: first all that live, and from then on all that is new. */
const createNews = ({ context, deployables }: WatchListOptions, living: Living) => {
  const { store } = context;
  const totals = new Map<Deployable, number>();
  const totalOf = async ({ collection }: Deployable, where = {}): Promise<number> =>
    (await store.find(collection, { where, limit: 0 })).total;

  const sizeOf = (deployable: Deployable): number => living.get(deployable)?.size ?? 0;

  /** The newest come first. */
  async function* newRecords(deployable: Deployable, count: number): AsyncGenerator<readonly Watched[]> {
    for (let offset = 0; offset < count; offset += PAGE) {
      const query = { offset, limit: Math.min(PAGE, count - offset) };
      const records = (await store.find(deployable.collection, query)).items as readonly CovenantRecord[];
      yield records.map((record) => ({ deployable, record }));
    }
  }
  async function* news(): AsyncGenerator<readonly Watched[]> {
    for (const deployable of deployables) {
      const before = totals.get(deployable);
      const total = await totalOf(deployable);
      if (before === undefined) yield* liveRecords(deployable, context);
      else yield* newRecords(deployable, total - before);
      totals.set(deployable, total);
      // Where one was put before others, or lives again, it is found among all.
      const alive = await totalOf(deployable, { live: LIVE });
      if (before !== undefined && alive > sizeOf(deployable)) yield* liveRecords(deployable, context);
    }
  }
  return {
    news,
    /** All that live are new again. */
    forget: (): void => {
      totals.clear();
    },
  };
};

/** The addresses that are watched, by the id of their record. */
const createSubscriptions = ({ context, onChange }: WatchListOptions) => {
  const { chain, log } = context;
  const held = new Map<string, { readonly deployable: Deployable; stop: () => void }>();
  const unseen = new Set<string>();
  const remove = (id: string): void => {
    held.get(id)?.stop();
    held.delete(id);
    unseen.delete(id);
  };
  return {
    unseen,
    has: (id: string): boolean => held.has(id),
    productOf: (id: string): Deployable | null => held.get(id)?.deployable ?? null,
    size: () => held.size,
    ids: (): readonly string[] => [...held.keys()],
    remove,
    clear: () => {
      for (const id of [...held.keys()]) remove(id);
    },
    add: async ({ deployable, record }: Watched): Promise<void> => {
      const { id, contract_address: address } = record;
      // Taken before it is watched, so that nobody else watches it too.
      const own = { deployable, stop: () => undefined };
      held.set(id, own);
      try {
        const lockingBytecodes = [parseAddress(address).lockingBytecode];
        const known = await knownStatus(deployable, record, context);
        const target = known === undefined ? { lockingBytecodes } : { lockingBytecodes, known };
        if (known !== undefined) unseen.add(id);
        const stop = await chain.watch(target, () => {
          onChange(id);
        });
        if (held.get(id) === own) own.stop = stop as () => undefined;
        else stop();
        if (known === undefined) onChange(id);
      } catch (error) {
        if (held.get(id) === own) remove(id);
        log.error({ err: error, address }, 'an address cannot be watched');
        // It is followed all the same: what is wrong with it is said then.
        onChange(id);
      }
    },
  };
};

/** The ids of the records that events tell of. */
const recordsOf = async (
  events: readonly Pick<EventRecord, 'entity_type' | 'entity_id'>[],
  { context, deployables }: Pick<WatchListOptions, 'context' | 'deployables'>,
): Promise<readonly string[]> => {
  const told = new Map(events.map((event) => [`${event.entity_type} ${event.entity_id}`, event]));
  const ids = new Set<string>();
  for (const { entity_type, entity_id } of told.values())
    for (const { idsOfEvents } of deployables.filter(({ entityType }) => entityType === entity_type))
      for (const id of await idsOfEvents(entity_id, context.store)) ids.add(id);
  return [...ids];
};

/** The events above a height. */
const eventsAbove = async (
  height: number,
  upTo: number,
  { store }: Pick<Context, 'store'>,
): Promise<readonly EventRecord[]> => {
  const found: EventRecord[] = [];
  if (upTo - height <= EXACT_BLOCKS) {
    for (let at = height + 1; at <= upTo; at += 1)
      found.push(...(await store.find(eventCollection, { where: { height: String(at) } })).items);
    return found;
  }
  for (let [offset, total] = [0, 1]; offset < total; offset += PAGE) {
    const page = await store.find(eventCollection, { order: 'oldest', offset, limit: PAGE });
    ({ total } = page);
    found.push(...page.items.filter((event) => (event.height ?? -1) > height));
    await breathe();
  }
  return found;
};

/** Takes in what is new, a part at a time. */
const createDiscovery = (
  newsOf: () => AsyncGenerator<readonly Watched[]>,
  take: (found: Watched) => Promise<void>,
) => {
  let news: AsyncGenerator<readonly Watched[]> | null = null;
  return {
    isComplete: (): boolean => news === null,
    /** The next call begins at the beginning. */
    restart: (): void => {
      news = null;
    },
    discover: async (): Promise<void> => {
      const coming = (news ??= newsOf());
      const until = performance.now() + GO_MS;
      // What a server is asked of one page is on its way while the next is read.
      let asked: Promise<unknown> = Promise.resolve();
      while (performance.now() < until) {
        const next = await coming.next();
        if (next.done === true) {
          news = null;
          break;
        }
        const asking = Promise.all(next.value.map(take));
        await asked;
        asked = asking;
        await breathe();
      }
      await asked;
    },
  };
};

/** Begins with nothing: the first `discover` finds every record of the store. */
export const createWatchList = (options: WatchListOptions): WatchList => {
  const { context, deployables, share } = options;
  const { store } = context;
  const isMine = (id: string): boolean => share.has(shardOf(id));
  const living = new Map(deployables.map((deployable) => [deployable, new Set<string>()]));
  const subscriptions = createSubscriptions(options);

  const find: WatchList['find'] = async (id) => {
    const known = subscriptions.productOf(id);
    for (const deployable of known === null ? deployables : [known]) {
      const record = (await store.get(deployable.collection, id)) as CovenantRecord | null;
      if (record !== null) return { deployable, record };
    }
    return null;
  };
  const isDue = async ({ deployable, record }: Watched): Promise<boolean> => {
    const isAlive = deployable.isLive(record, context);
    if (isAlive) living.get(deployable)?.add(record.id);
    else living.get(deployable)?.delete(record.id);
    if (!isMine(record.id)) return false;
    const unsettled = deployable.eventsId(record);
    return isAlive || (await store.find(eventCollection, { where: { unsettled }, limit: 1 })).total > 0;
  };
  const reviewFound = async (id: string, found: Watched | null): Promise<void> => {
    const isWanted = found !== null && (await isDue(found));
    if (isWanted === subscriptions.has(id)) return;
    if (isWanted) await subscriptions.add(found);
    else subscriptions.remove(id);
  };
  const unsettled = async (): Promise<readonly EventRecord[]> =>
    (await store.find(eventCollection, { where: { unsettled: EVERY_RECORD } })).items;

  const { news, forget } = createNews(options, living);
  const { restart, ...discovery } = createDiscovery(news, (found) => reviewFound(found.record.id, found));

  return {
    find,
    review: async (id) => {
      subscriptions.unseen.delete(id);
      return reviewFound(id, await find(id));
    },
    ...discovery,
    reshare: () => {
      for (const id of subscriptions.ids()) if (!isMine(id)) subscriptions.remove(id);
      forget();
      restart();
    },
    unseen: () => [...subscriptions.unseen].slice(0, UNSEEN),
    unsettled: async () => (await recordsOf(await unsettled(), options)).filter(isMine),
    above: async (height, upTo) => {
      const young = (await unsettled()).filter((event) => (event.height ?? -1) > height);
      const ids = await recordsOf([...young, ...(await eventsAbove(height, upTo, context))], options);
      return ids.filter(isMine);
    },
    size: subscriptions.size,
    close: subscriptions.clear,
  };
};
