/**
 * The chain monitor: it watches the address of every live record and takes in what happens there, without anybody
 * confirming it; it follows transactions until they are safe; and when the chain takes blocks back, it folds anew what
 * stood on them. Records are written by the same functions that confirm and rebuild them.
 */
import type { Context } from '../../operation/context.js';
import type { Deployable } from '../../record/deployable.js';
import { tellAllUntold } from '../../record/untold.js';
import { withOneLook } from '../../operation/one-look.js';
import type { Worker } from '../start-daemon.js';
import { openSeenBlocks } from './seen-blocks.js';
import { createReorgTeller } from './told-reorgs.js';
import { createFollower, createQueue, isAway, type Queue } from './follower.js';
import { createWatchList, type WatchList } from './watch-list.js';

export type MonitorOptions = {
  readonly context: Context;
  readonly deployables: readonly Deployable[];
  /** How often the store is looked at for new records, milliseconds; default a second. */
  readonly tickMs?: number;
  /** How often the tip is read at least, milliseconds; default 15 seconds. */
  readonly tipMs?: number;
};

export type ChainMonitor = Worker & {
  readonly figures: Awaited<ReturnType<typeof createPass>>['figures'];
  /** Resolves when nothing is left to do, or when the chain does not answer; for tests. */
  readonly idle: () => Promise<void>;
};

const TICK_MS = 1_000;
const TIP_MS = 15_000;
/** Reads the tip, notices reorganisations, and says what must be looked at again. */
const createTipWatch = async (own: Pick<Context, 'store' | 'clock'>, list: WatchList, queue: Queue) => {
  const blocks = await openSeenBlocks(own.store);
  const teller = createReorgTeller(own);
  let reorgs = 0;
  let last: { readonly hash: string; readonly height: number } | null = null;
  return {
    reorgs: () => reorgs,
    height: () => last?.height ?? null,
    save: blocks.save,
    /** @throws chain_unavailable */
    look: async (context: Context): Promise<void> => {
      const tip = await context.chain.tip();
      context.probes.beat('blockchain_monitor');
      await teller.tell();
      if (tip.hash === last?.hash) return;
      const reorg = await blocks.take(tip, context);
      last = tip;
      if (reorg !== null) {
        const { depth, forkHeight, from } = reorg;
        reorgs += 1;
        context.meters.count('chain_reorgs');
        const branches = { from: `${from.height} ${from.hash}`, to: `${tip.height} ${tip.hash}` };
        context.log.warn({ event: 'chain.reorg', depth, forkHeight, ...branches }, 'chain.reorg');
        const highest = Math.max(from.height, tip.height);
        for (const id of await list.above(forkHeight, highest)) queue.addRebuild(id);
        teller.add(reorg, tip);
        await teller.tell();
      }
      for (const id of await list.unsettled()) queue.add(id);
    },
  };
};

/** Says once that the chain is away, and once that it is back. */
const createAwayLog = ({ log }: Pick<Context, 'log'>) => {
  let wasAnswered = true;
  return (isAnswered: boolean): void => {
    if (isAnswered === wasAnswered) return;
    wasAnswered = isAnswered;
    if (isAnswered) log.info({}, 'the chain answers again');
    else log.warn({}, 'the chain does not answer: records wait until it does');
  };
};

/** Tells the event log, once, what an earlier version has written down: it comes before what happens now. */
const createEarlier = (context: Context, deployables: readonly Deployable[]) => {
  let isTold = false;
  return async (): Promise<void> => {
    if (!isTold) await tellAllUntold(context, deployables);
    isTold = true;
  };
};

type PassParts = {
  readonly queue: Queue;
  readonly list: WatchList;
  /** Told that there is more to do than one look does. */
  readonly onMore: () => void;
};

/**
 * One look at everything: new records, the tip, and what waits. A record of which the chain has nothing new is followed
 * all the same once, some of them at a time: one server's word is enough for nothing.
 */
const createPass = async (
  { context, deployables, tickMs = TICK_MS, tipMs = TIP_MS }: MonitorOptions,
  { queue, list, onMore }: PassParts,
) => {
  const follower = createFollower(list, queue);
  const tipWatch = await createTipWatch(context, list, queue);
  const sayAway = createAwayLog(context);
  const tellEarlier = createEarlier(context, deployables);
  let tipDueAt = 0;
  let unseenDueAt = 0;
  let hasCaughtUp = false;

  const run = async (): Promise<boolean> => {
    await context.store.refresh();
    await tellEarlier();
    await list.discover();
    if (!list.isComplete()) onMore();
    else if (performance.now() >= unseenDueAt) {
      for (const id of list.unseen()) queue.add(id);
      unseenDueAt = performance.now() + tickMs;
    }
    const looking = withOneLook(context);
    if (performance.now() >= tipDueAt) {
      await tipWatch.look(looking);
      tipDueAt = performance.now() + tipMs;
    }
    const isAnswered = await follower.followAll(looking);
    context.meters.set('records_watched', list.size());
    context.meters.set('records_waiting', queue.size());
    context.meters.set('chain_height', tipWatch.height() ?? 0);
    // Kept only now: whoever is stopped before this notices the same reorganisation again.
    if (isAnswered) await tipWatch.save();
    if (isAnswered && list.isComplete() && !hasCaughtUp) {
      hasCaughtUp = true;
      context.log.info({ watched: list.size(), height: tipWatch.height() }, 'watching the chain');
    }
    return isAnswered;
  };

  return {
    figures: () => ({
      /** Records whose addresses are watched. */
      watched: list.size(),
      /** Records that wait to be followed. */
      waiting: queue.size(),
      /** Reorganisations that were noticed. */
      reorgs: tipWatch.reorgs(),
      /** Attempts to follow a record that failed for another reason than a chain that is away. */
      failures: follower.failures(),
      /** Height of the tip when it was last read; null before. */
      height: tipWatch.height(),
    }),
    tipMoved: (): void => {
      tipDueAt = 0;
    },
    /** @returns false when it could not be done: the chain is away */
    once: async (): Promise<boolean> => {
      try {
        const isAnswered = await run();
        sayAway(isAnswered);
        return isAnswered;
      } catch (error) {
        if (isAway(error)) sayAway(false);
        else context.log.error({ err: error }, 'the chain monitor failed; it tries again');
        return false;
      }
    },
  };
};

/** Does `once` again whenever it is woken, one at a time. What could not be done waits until it is woken again. */
const createLoop = (once: () => Promise<boolean>) => {
  let isStopped = false;
  let isWoken = false;
  let running: Promise<void> | null = null;

  const work = async (): Promise<void> => {
    while (isWoken && !isStopped) {
      isWoken = false;
      if (!(await once())) return;
    }
  };
  const wake = (): void => {
    isWoken = true;
    running ??= work().finally(() => {
      running = null;
      if (isWoken && !isStopped) wake();
    });
  };
  return {
    wake,
    stop: async (): Promise<void> => {
      isStopped = true;
      await running;
    },
    isStopped: () => isStopped,
    idle: async (): Promise<void> => {
      do {
        await running;
        // What was told just now has its turn first.
        await new Promise(setImmediate);
      } while (running !== null);
    },
  };
};

/** The monitor of a service. `start` returns at once: what there is to catch up is caught up beside the service. */
export const chainMonitor = async (options: MonitorOptions): Promise<ChainMonitor> => {
  const { context, tickMs = TICK_MS } = options;
  const queue = createQueue();
  const list = createWatchList({
    ...options,
    onChange: (id) => {
      queue.add(id);
      loop.wake();
    },
  });
  const onMore = (): void => {
    loop.wake();
  };
  const pass = await createPass(options, { queue, list, onMore });
  const loop = createLoop(pass.once);
  let timer: NodeJS.Timeout | undefined;
  let unwatchTip: () => void = () => undefined;

  /** A chain that is away is subscribed as soon as it answers: nobody waits for it. */
  const watchTip = async (): Promise<void> => {
    const stop = await context.chain.watch({ headers: true }, () => {
      pass.tipMoved();
      loop.wake();
    });
    if (loop.isStopped()) stop();
    else unwatchTip = stop;
  };

  return {
    name: 'chain monitor',
    start: () => {
      timer = setInterval(loop.wake, tickMs).unref();
      loop.wake();
      watchTip().catch((error: unknown) => {
        context.log.error({ err: error }, 'the tip cannot be watched; it is read now and then');
      });
      return Promise.resolve();
    },
    stop: async () => {
      clearInterval(timer);
      await loop.stop();
      unwatchTip();
      list.close();
    },
    figures: pass.figures,
    idle: loop.idle,
  };
};
