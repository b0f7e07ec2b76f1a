/** Follows the records that wait to be looked at, and says of each coin that lies unexpected at their addresses. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Context } from '../../operation/context.js';
import { isStorageFailure } from '../../storage-failure.js';
import { createStrayWatch } from './told-strays.js';
import { isLeaseLost } from '../../record/leases.js';
import { shardOf } from '../../record/works.js';
import type { Share } from '../sharing/share.js';
import type { WatchList } from './watch-list.js';

/** Records that are followed at once: what they ask servers for in one turn is one request. */
const AT_ONCE = 100;

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code;

const AWAY: readonly unknown[] = ['chain_unavailable', 'server_disagrees'];
export const isAway = (error: unknown): boolean => AWAY.includes(codeOf(error));

type Waiting = { readonly id: string; readonly isRebuild: boolean };

/** What waits to be done. */
export const createQueue = () => {
  const rebuilds = new Map<string, boolean>();
  return {
    add: (id: string): void => {
      rebuilds.set(id, rebuilds.get(id) ?? false);
    },
    addRebuild: (id: string): void => {
      rebuilds.set(id, true);
    },
    /** Takes everything out. */
    take: (): readonly Waiting[] => {
      const taken = [...rebuilds].map(([id, isRebuild]) => ({ id, isRebuild }));
      rebuilds.clear();
      return taken;
    },
    /** True for what waits, or waits again. */
    has: (id: string): boolean => rebuilds.has(id),
    size: () => rebuilds.size,
  };
};
export type Queue = ReturnType<typeof createQueue>;

/** The same context, which tells of what the disk did not take: who only reads is not told. */
const tellingRefusals = (context: Context, onRefused: () => void): Context => ({
  ...context,
  store: {
    ...context.store,
    transaction: (change) =>
      context.store.transaction(change).catch((error: unknown) => {
        if (isStorageFailure(error)) onRefused();
        throw error;
      }),
  },
});

/** Follows what waits. What the chain was away for waits again, and so does what could not be written down. */
export const createFollower = (list: WatchList, queue: Queue, share: Share) => {
  const strayWatch = createStrayWatch();
  let failures = 0;

  /** @returns false when the chain is away */
  const followOne = async ({ id, isRebuild }: Waiting, unfenced: Context): Promise<boolean> => {
    const [found, store] = [await list.find(id), share.storeFor(shardOf(id))];
    // Another daemon follows it now.
    if (found === null || store === null) return true;
    const context = { ...unfenced, store };
    const { deployable, record } = found;
    const again = (): void => {
      if (isRebuild) queue.addRebuild(id);
      else queue.add(id);
    };
    try {
      const writing = tellingRefusals(context, again);
      const followed = await (isRebuild ? deployable.rebuild(id, writing) : deployable.follow(id, writing));
      context.meters.count('records_followed');
      if (followed !== record) context.meters.count('records_changed');
      await strayWatch.look(deployable, followed, context);
    } catch (error) {
      if (isLeaseLost(error)) return true;
      const isMadeUp = codeOf(error) === 'tx_invalid';
      if (isMadeUp || isAway(error)) again();
      if (isAway(error)) return false;
      failures += 1;
      context.meters.count('chain_follow_failures');
      // What a server makes up is in the log already, with its name; another one may be asked by the next look.
      if (isMadeUp) return true;
      context.log.error({ err: error, label: deployable.label(record) }, 'a record cannot be followed');
    }
    return true;
  };

  return {
    failures: () => failures,
    /** @returns false when the chain was away for one of them */
    followAll: async (context: Context): Promise<boolean> => {
      const work = queue.take();
      let isAnswered = true;
      for (let start = 0; start < work.length; start += AT_ONCE) {
        const part = work.slice(start, start + AT_ONCE);
        const answers = await Promise.all(part.map((one) => followOne(one, context)));
        isAnswered &&= answers.every((isThere) => isThere);
        await Promise.all(part.map(({ id }) => list.review(id)));
        // Between the parts too, since there may be thousands; and the service answers meanwhile.
        if (isAnswered) context.probes.beat('transaction_monitor');
        await breathe();
      }
      if (isAnswered) context.probes.beat('transaction_monitor');
      return isAnswered;
    },
  };
};
