/** Which records the monitor watches: all that live, and those whose last transactions are not safe yet. */
import { parseAddress } from '../../bch/address.js';
import { atOnce } from '../../operation/at-once.js';
import type { Context } from '../../operation/context.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import { EVERY_RECORD, eventCollection } from '../../record/events.js';

type Watched = { readonly deployable: Deployable; readonly record: CovenantRecord };

export type WatchList = {
  /** Begins to watch what has come into the store since the last call; returns the ids. */
  readonly discover: () => Promise<readonly string[]>;
  /** The record of an id and the product that knows it, watched or not; null when it is gone. */
  readonly find: (id: string) => Promise<Watched | null>;
  /** Watches a record, or lets go of it, as it is now. */
  readonly review: (id: string) => Promise<void>;
  /** The ids of the records whose events are not safe yet. */
  readonly unsettled: () => Promise<readonly string[]>;
  /** The ids of the records with an event above a height. */
  readonly above: (height: number) => Promise<readonly string[]>;
  readonly size: () => number;
  readonly close: () => void;
};

export type WatchListOptions = {
  readonly context: Context;
  readonly deployables: readonly Deployable[];
  /** Told the id of a record at whose address something has happened. */
  readonly onChange: (id: string) => void;
};

const PAGE = 500;
/** Addresses that are subscribed at once. */
const AT_ONCE = 100;

/** What is known of the records of the store, those that ended long ago included. */
const createCatalogue = ({ context: { store }, deployables }: WatchListOptions) => {
  const products = new Map<string, Deployable>();
  const byEvents = new Map<string, Set<string>>();

  const add = (deployable: Deployable, record: CovenantRecord): void => {
    products.set(record.id, deployable);
    const eventsId = deployable.eventsId(record);
    byEvents.set(eventsId, (byEvents.get(eventsId) ?? new Set()).add(record.id));
  };

  /** Adds the records that are not known yet. They stand last, so the newest are walked down to one that is known. */
  const addNew = async (deployable: Deployable): Promise<readonly string[]> => {
    const { collection } = deployable;
    const page = async (offset: number, limit: number) =>
      (await store.find(collection, { offset, limit })).items as readonly CovenantRecord[];
    const isUnknown = ({ id }: CovenantRecord): boolean => !products.has(id);
    const found: string[] = [];
    if (!(await page(0, 1)).some(isUnknown)) return found;
    for (let offset = 0; ; offset += PAGE) {
      const unknown = (await page(offset, PAGE)).filter(isUnknown);
      for (const record of unknown) add(deployable, record);
      found.push(...unknown.map(({ id }) => id));
      if (unknown.length < PAGE) return found;
    }
  };

  return {
    products,
    addNew: async (): Promise<readonly string[]> => {
      const added: string[] = [];
      for (const deployable of deployables) added.push(...(await addNew(deployable)));
      return added;
    },
    /** The records whose events stand under these ids. */
    recordsOf: (eventsIds: Iterable<string>): readonly string[] =>
      [...new Set(eventsIds)].flatMap((eventsId) => [...(byEvents.get(eventsId) ?? [])]),
  };
};

/** The addresses that are subscribed, by the id of their record. */
const createSubscriptions = ({ context: { chain, log }, onChange }: WatchListOptions) => {
  const stops = new Map<string, () => void>();
  const remove = (id: string): void => {
    stops.get(id)?.();
    stops.delete(id);
  };
  return {
    has: (id: string): boolean => stops.has(id),
    size: () => stops.size,
    remove,
    clear: () => {
      for (const id of [...stops.keys()]) remove(id);
    },
    add: async (id: string, address: string): Promise<void> => {
      // Taken before it is subscribed, so that nobody else subscribes it too.
      stops.set(id, () => undefined);
      try {
        const lockingBytecodes = [parseAddress(address).lockingBytecode];
        const stop = await chain.watch({ lockingBytecodes }, () => {
          onChange(id);
        });
        if (stops.has(id)) stops.set(id, stop);
        else stop();
      } catch (error) {
        stops.delete(id);
        log.error({ err: error, address }, 'an address cannot be watched');
      }
    },
  };
};

/** Begins with nothing: the first `discover` finds every record of the store. */
export const createWatchList = (options: WatchListOptions): WatchList => {
  const { context } = options;
  const { store } = context;
  const catalogue = createCatalogue(options);
  const subscriptions = createSubscriptions(options);

  const find: WatchList['find'] = async (id) => {
    const deployable = catalogue.products.get(id);
    const record =
      deployable === undefined ? null : ((await store.get(deployable.collection, id)) as CovenantRecord);
    return deployable === undefined || record === null ? null : { deployable, record };
  };
  const isDue = async ({ deployable, record }: Watched): Promise<boolean> => {
    const unsettled = deployable.eventsId(record);
    return (
      deployable.isLive(record, context) ||
      (await store.find(eventCollection, { where: { unsettled }, limit: 1 })).total > 0
    );
  };
  const review: WatchList['review'] = async (id) => {
    const found = await find(id);
    const isWanted = found !== null && (await isDue(found));
    if (isWanted === subscriptions.has(id)) return;
    if (isWanted) await subscriptions.add(id, found.record.contract_address);
    else subscriptions.remove(id);
  };

  return {
    find,
    review,
    discover: async () => {
      const added = await catalogue.addNew();
      await atOnce(AT_ONCE, added, review);
      return added.filter(subscriptions.has);
    },
    unsettled: async () => {
      const { items } = await store.find(eventCollection, { where: { unsettled: EVERY_RECORD } });
      return catalogue.recordsOf(items.map(({ entity_id }) => entity_id));
    },
    above: async (height) => {
      const filter = (event: { readonly height: number | null }): boolean => (event.height ?? -1) > height;
      const { items } = await store.find(eventCollection, { filter });
      return catalogue.recordsOf(items.map(({ entity_id }) => entity_id));
    },
    size: subscriptions.size,
    close: subscriptions.clear,
  };
};
