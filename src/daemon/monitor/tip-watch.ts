/** The tip of the chain: what of it is news to the records of this daemon, and what one daemon notices for all. */
import type { Context } from '../../operation/context.js';
import type { Tip } from '../../operation/ports/chain.js';
import type { StorePort } from '../../operation/ports/store.js';
import { WORKERS } from '../../record/works.js';
import type { Share } from '../sharing/share.js';
import type { Queue } from './follower.js';
import { openSeenBlocks } from './seen-blocks.js';
import { createReorgTeller } from './told-reorgs.js';
import type { WatchList } from './watch-list.js';

type TipParts = { readonly list: WatchList; readonly queue: Queue; readonly share: Share };

/** The blocks that were seen, and what is to be told of them: of the one daemon that notices what is taken back. */
const createBlockWatch = async (context: Context, store: StorePort) => {
  const blocks = await openSeenBlocks(store);
  const teller = createReorgTeller(context);
  return {
    tell: teller.tell,
    save: blocks.save,
    /** @returns true when blocks were taken back. @throws chain_unavailable */
    take: async (tip: Tip, looking: Context): Promise<boolean> => {
      const reorg = await blocks.take(tip, looking);
      if (reorg === null) return false;
      const { depth, forkHeight, from } = reorg;
      context.meters.count('chain_reorgs');
      const branches = { from: `${from.height} ${from.hash}`, to: `${tip.height} ${tip.hash}` };
      context.log.warn({ event: 'chain.reorg', depth, forkHeight, ...branches }, 'chain.reorg');
      teller.add(reorg, tip);
      return true;
    },
  };
};

/** Reads the tip, notices reorganisations, and says what must be looked at again. */
export const createTipWatch = (own: Context, { list, queue, share }: TipParts) => {
  let watching: Awaited<ReturnType<typeof createBlockWatch>> | null = null;
  let reorgs = 0;
  let last: { readonly hash: string; readonly height: number } | null = null;
  return {
    reorgs: () => reorgs,
    height: () => last?.height ?? null,
    /** The tip is news at the next look: there are other records to look at. */
    forget: (): void => {
      last = null;
    },
    save: async (): Promise<void> => {
      const store = share.storeFor(WORKERS.blocks);
      if (store !== null) await watching?.save(store);
    },
    /** @throws chain_unavailable */
    look: async (context: Context): Promise<void> => {
      const tip = await context.chain.tip();
      context.probes.beat('blockchain_monitor');
      const store = share.storeFor(WORKERS.blocks);
      // Whoever had it since has written down what it saw.
      watching = store === null ? null : (watching ?? (await createBlockWatch(own, store)));
      if (store !== null) await watching?.tell(store);
      if (tip.hash === last?.hash) return;
      const isReorg = (await watching?.take(tip, context)) === true;
      last = tip;
      if (isReorg) reorgs += 1;
      if (store !== null) await watching?.tell(store);
      for (const id of await list.unsettled()) queue.add(id);
    },
  };
};
