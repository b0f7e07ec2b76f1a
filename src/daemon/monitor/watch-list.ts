/** Which records the monitor watches: all that live, and those whose last transactions are not safe yet. */
import { setImmediate as breathe } from 'node:timers/promises';
import { parseAddress } from '../../bch/address.js';
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

/** Records that are read in one go: between two pages the service answers. */
const PAGE = 100;

/** What is known of the records of the store, those that ended long ago included. */
const createCatalogue = ({ context: { store }, deployables }: WatchListOptions) => {
  const products = new Map<string, Deployable>();
  const byEvents = new Map<string, Set<string>>();

  const counts = new Map<Deployable, number>();

  const add = (deployable: Deployable, record: CovenantRecord): void => {
    products.set(record.id, deployable);
    counts.set(deployable, (counts.get(deployable) ?? 0) + 1);
    const eventsId = deployable.eventsId(record);
    byEvents.set(eventsId, (byEvents.get(eventsId) ?? new Set()).add(record.id));
  };

  /**
   * Adds the records of a product that are not known yet, page by page. None is ever removed, so all are known when
   * there are no more than are known; the newest, which most new ones are, come first.
   */
  async function* addNew(deployable: Deployable): AsyncGenerator<readonly Watched[]> {
    const { collection } = deployable;
    const isMissing = (total: number): boolean => total > (counts.get(deployable) ?? 0);
    if (!isMissing((await store.find(collection, { limit: 0 })).total)) return;
    for (let offset = 0; ; offset += PAGE) {
      const { items, total } = await store.find(collection, { offset, limit: PAGE });
      const unknown = (items as readonly CovenantRecord[]).filter(({ id }) => !products.has(id));
      for (const record of unknown) add(deployable, record);
      yield unknown.map((record) => ({ deployable, record }));
      if (items.length === 0 || !isMissing(total)) return;
      await breathe();
    }
  }

  return {
    products,
    /** Adds the records that are not known yet, and gives them page by page. */
    addNew: async function* (): AsyncGenerator<readonly Watched[]> {
      for (const deployable of deployables) yield* addNew(deployable);
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
  const reviewFound = async (id: string, found: Watched | null): Promise<void> => {
    const isWanted = found !== null && (await isDue(found));
    if (isWanted === subscriptions.has(id)) return;
    if (isWanted) await subscriptions.add(id, found.record.contract_address);
    else subscriptions.remove(id);
  };

  return {
    find,
    review: async (id) => reviewFound(id, await find(id)),
    discover: async () => {
      const added: string[] = [];
      for await (const page of catalogue.addNew()) {
        await Promise.all(page.map((found) => reviewFound(found.record.id, found)));
        added.push(...page.map(({ record }) => record.id).filter(subscriptions.has));
      }
      return added;
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
