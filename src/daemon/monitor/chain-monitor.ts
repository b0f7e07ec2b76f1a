/**
 * The chain monitor: it watches the address of every live record and takes in what happens there, without anybody
 * confirming it; it follows transactions until they are safe; and when the chain takes blocks back, it folds anew what
 * stood on them. Records are written by the same functions that confirm and rebuild them.
 */
import type { Context } from '../../operation/context.js';
import type { Deployable } from '../../record/deployable.js';
import { isLeaseLost } from '../../record/leases.js';
import { tellAllUntold } from '../../record/untold.js';
import { withOneLook } from '../../operation/one-look.js';
import { allOfIt, type Share } from '../sharing/share.js';
import type { Worker } from '../start-daemon.js';
import { createTipWatch } from './tip-watch.js';
import { createRebuilding } from './told-reorgs.js';
import { createFollower, createQueue, isAway, type Queue } from './follower.js';
import { createWatchList, type WatchList } from './watch-list.js';

export type MonitorOptions = {
  readonly context: Context;
  readonly deployables: readonly Deployable[];
  /** Default: all of the work. */
  readonly share?: Share;
  /** How often the store is looked at for new records, milliseconds; default a second. */
  readonly tickMs?: number;
  /** How often the tip is read at least, milliseconds; default 15 seconds. */
  readonly tipMs?: number;
};

export type ChainMonitor = Worker & {
  readonly figures: ReturnType<typeof createPass>['figures'];
  /** Resolves when nothing is left to do, or when the chain does not answer; for tests. */
  readonly idle: () => Promise<void>;
};

const TICK_MS = 1_000;
const TIP_MS = 15_000;

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

/** Does something that answers whether the chain did. @returns what does it: false when it could not be done */
const tried = (run: () => Promise<boolean>, { log }: Pick<Context, 'log'>) => {
  const sayAway = createAwayLog({ log });
  return async (): Promise<boolean> => {
    try {
      const isAnswered = await run();
      sayAway(isAnswered);
      return isAnswered;
    } catch (error) {
      if (isAway(error)) sayAway(false);
      else if (!isLeaseLost(error)) log.error({ err: error }, 'the chain monitor failed; it tries again');
      return false;
    }
  };
};

/** Says once that everything is watched. */
const createCaughtUpLog = ({ log }: Pick<Context, 'log'>) => {
  let isSaid = false;
  return (fields: { readonly watched: number; readonly height: number | null }): void => {
    if (!isSaid) log.info(fields, 'watching the chain');
    isSaid = true;
  };
};

/** True when some records became another daemon's, or this one's, since it was last asked. */
const createShareWatch = (share: Share) => {
  let version = share.version();
  return (): boolean => {
    const before = version;
    version = share.version();
    return version !== before;
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
  readonly share: Share;
  /** Told that there is more to do than one look does. */
  readonly onMore: () => void;
};

/**
 * One look at everything: new records, the tip, and what waits. A record of which the chain has nothing new is followed
 * all the same once, some of them at a time: one server's word is enough for nothing.
 */
const createPass = (
  { context, deployables, tickMs = TICK_MS, tipMs = TIP_MS }: MonitorOptions,
  { queue, list, share, onMore }: PassParts,
) => {
  const follower = createFollower(list, queue, share);
  const tipWatch = createTipWatch(context, { list, queue, share });
  const rebuilding = createRebuilding({ list, queue, share });
  const tellEarlier = createEarlier(context, deployables);
  let tipDueAt = 0;
  let unseenDueAt = 0;
  const sayCaughtUp = createCaughtUpLog(context);
  const isReshared = createShareWatch(share);

  const run = async (): Promise<boolean> => {
    await context.store.refresh();
    await tellEarlier();
    if (isReshared()) {
      list.reshare();
      tipWatch.forget();
      tipDueAt = 0;
    }
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
    await rebuilding.begin(looking);
    const isAnswered = await follower.followAll(looking);
    context.meters.set('records_watched', list.size());
    context.meters.set('records_waiting', queue.size());
    context.meters.set('chain_height', tipWatch.height() ?? 0);
    // Kept only now: whoever is stopped before this notices the same reorganisation again.
    if (isAnswered) await rebuilding.end();
    if (isAnswered) await tipWatch.save();
    if (isAnswered && list.isComplete()) sayCaughtUp({ watched: list.size(), height: tipWatch.height() });
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
    once: tried(run, context),
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
export const chainMonitor = (options: MonitorOptions): ChainMonitor => {
  const { context, tickMs = TICK_MS, share = allOfIt(context.store) } = options;
  const queue = createQueue();
  const list = createWatchList({
    ...options,
    share,
    onChange: (id) => {
      queue.add(id);
      loop.wake();
    },
  });
  const onMore = (): void => {
    loop.wake();
  };
  const pass = createPass(options, { queue, list, share, onMore });
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
