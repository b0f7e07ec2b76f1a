/**
 * Reorganisations: told in the event log, each once, and what is to be rebuilt for them, until it is.
 *
 * One daemon notices them, and each folds anew the records of its own shards. What is still to be done stands in the
 * store, shard by shard: whoever takes a shard over goes on there.
 */
import { z } from 'zod';
import { Hex32 } from '../../bch/fields.js';
import type { Context } from '../../operation/context.js';
import type { Tip } from '../../operation/ports/chain.js';
import { defineCollection, type StorePort } from '../../operation/ports/store.js';
import { tellEvent } from '../../record/event-log.js';
import { toldTimeCollection } from '../../record/timetable.js';
import { shardOf, shards as allShards } from '../../record/works.js';
import type { Share } from '../sharing/share.js';
import type { Queue } from './follower.js';
import type { Reorg } from './seen-blocks.js';
import type { WatchList } from './watch-list.js';

const TYPE = 'chain.reorg';
const OUTSTANDING = 'outstanding';

export const ReorgWork = z.object({
  id: z.literal(OUTSTANDING),
  /** What stood above it, up to `highest`, is folded anew. */
  fork_height: z.int(),
  highest: z.int(),
  /** The end of the branch that is no more: who still sees it waits. */
  from: z.object({ height: z.int(), hash: Hex32 }),
  /** Those whose records are still to be folded anew. */
  shards: z.array(z.string()),
});
export type ReorgWork = z.output<typeof ReorgWork>;

/** Of all reorganisations together; nothing once it is done. */
export const reorgWorkCollection = defineCollection({ name: 'reorg_work', schema: ReorgWork, indexes: {} });

const tellOnce = (
  { depth, forkHeight, from }: Reorg,
  { height, hash }: Tip,
  { store, clock }: Pick<Context, 'store' | 'clock'>,
): Promise<void> => {
  const time = clock.now();
  const mark = `${forkHeight} ${from.height} ${from.hash}`;
  return store.transaction(async (writer) => {
    // Who was stopped before the new branch was written down notices the same one again.
    if ((await writer.get(toldTimeCollection, TYPE))?.told[TYPE] === mark) return;
    writer.put(toldTimeCollection, { id: TYPE, told: { [TYPE]: mark } });
    const before = await writer.get(reorgWorkCollection, OUTSTANDING);
    writer.put(reorgWorkCollection, {
      id: OUTSTANDING,
      fork_height: Math.min(forkHeight, before?.fork_height ?? forkHeight),
      highest: Math.max(from.height, height, before?.highest ?? 0),
      from: { height: from.height, hash: from.hash },
      shards: [...allShards],
    });
    const data = { depth, forkHeight, from: { height: from.height, hash: from.hash }, to: { height, hash } };
    await tellEvent(writer, { type: TYPE, time, subject: null, data });
  });
};

/** Reorganisations that are yet to be told. */
export const createReorgTeller = ({ clock }: Pick<Context, 'clock'>) => {
  const waiting: (readonly [reorg: Reorg, tip: Tip])[] = [];
  return {
    add: (reorg: Reorg, tip: Tip): void => {
      waiting.push([reorg, tip]);
    },
    /** What the disk does not take waits for the next look. @throws as `transaction` of the store */
    tell: async (store: StorePort): Promise<void> => {
      for (let [first] = waiting; first !== undefined; [first] = waiting) {
        await tellOnce(...first, { store, clock });
        waiting.shift();
      }
    },
  };
};

type RebuildParts = { readonly list: WatchList; readonly queue: Queue; readonly share: Share };

/** What is under way of a {@link ReorgWork}: the records by shard. */
type UnderWay = { readonly work: ReorgWork; readonly ids: ReadonlyMap<string, readonly string[]> };

const isSame = (one: ReorgWork, other: ReorgWork): boolean =>
  one.from.hash === other.from.hash && one.fork_height === other.fork_height;

/** Folds anew what stood on blocks that are gone, for the shards of this daemon. */
export const createRebuilding = ({ list, queue, share }: RebuildParts) => {
  let underWay: UnderWay | null = null;

  /** Takes what is done out of what is outstanding. */
  const finish = async ({ work, ids }: UnderWay): Promise<void> => {
    const done = [...ids].flatMap(([shard, records]) => (records.some(queue.has) ? [] : [shard]));
    const own = done.filter(share.has);
    const store = share.storeFor(...own);
    if (own.length === 0 || store === null) return;
    await store.transaction(async (writer) => {
      const now = await writer.get(reorgWorkCollection, OUTSTANDING);
      if (now === null || !isSame(now, work)) return;
      const shards = now.shards.filter((shard) => !own.includes(shard));
      if (shards.length === 0) writer.remove(reorgWorkCollection, OUTSTANDING);
      else writer.put(reorgWorkCollection, { ...now, shards });
    });
  };

  return {
    /** Lets what is to be folded anew wait to be followed. @throws chain_unavailable */
    begin: async ({ store, chain }: Pick<Context, 'store' | 'chain'>): Promise<void> => {
      underWay = null;
      const work = await store.get(reorgWorkCollection, OUTSTANDING);
      const shards = work?.shards.filter(share.has) ?? [];
      if (work === null || shards.length === 0) return;
      if ((await chain.block(work.from.height))?.hash === work.from.hash) return;
      const ids = new Map<string, string[]>(shards.map((shard) => [shard, []]));
      for (const id of await list.above(work.fork_height, work.highest)) {
        const records = ids.get(shardOf(id));
        if (records === undefined) continue;
        records.push(id);
        queue.addRebuild(id);
      }
      underWay = { work, ids };
    },
    /** To be called when all that waited was followed. */
    end: async (): Promise<void> => {
      if (underWay !== null) await finish(underWay);
      underWay = null;
    },
  };
};
