/** The last blocks that were seen, kept in the store: a reorganisation is noticed also when nobody was looking. */
import { z } from 'zod';
import { Hex32 } from '../../bch/fields.js';
import type { Context } from '../../operation/context.js';
import type { Tip } from '../../operation/ports/chain.js';
import { defineCollection, type StorePort } from '../../operation/ports/store.js';

export const SeenBlock = z.object({
  /** The height, as text. */
  id: z.string(),
  height: z.int().min(0),
  hash: Hex32,
});
export type SeenBlock = z.output<typeof SeenBlock>;

export const seenBlockCollection = defineCollection({
  name: 'seen_blocks',
  schema: SeenBlock,
  indexes: {},
});

/** Blocks that are kept. Source: nodes finalise a block when ten have been mined on it; this is ample. */
const KEPT_BLOCKS = 100;
/** Blocks below a new tip that are looked at one by one, so that a fork is found to the block. */
const EXACT_BLOCKS = 10;

/** A reorganisation. */
export type Reorg = {
  /** Blocks that were taken back, as far as they had been seen. */
  readonly depth: number;
  /** Height of the last block that both branches have; -1 when there is none among those that are kept. */
  readonly forkHeight: number;
  /** The block that was the last one before. */
  readonly from: Block;
};

export type SeenBlocks = {
  /**
   * Takes the tip in, with the blocks below it that are new.
   * @returns the reorganisation since the last look, or null
   * @throws chain_unavailable
   */
  readonly take: (tip: Tip, context: Pick<Context, 'chain'>) => Promise<Reorg | null>;
  /** Writes down what was taken in. To be called when what follows from it is written down too. */
  readonly save: (store: StorePort) => Promise<void>;
};

type Block = Pick<SeenBlock, 'height' | 'hash'>;

/** Highest first. */
const loadBlocks = async ({ store }: Pick<Context, 'store'>): Promise<readonly Block[]> =>
  [...(await store.find(seenBlockCollection, { limit: 2 * KEPT_BLOCKS })).items].sort(
    (a, b) => b.height - a.height,
  );

const saveBlocks = (blocks: readonly Block[], { store }: Pick<Context, 'store'>): Promise<void> =>
  store.transaction(async (writer) => {
    const kept = new Map(blocks.map(({ height, hash }) => [String(height), hash]));
    for (const { id } of (await writer.find(seenBlockCollection, { limit: 2 * KEPT_BLOCKS })).items)
      if (!kept.has(id)) writer.remove(seenBlockCollection, id);
    for (const [id, hash] of kept)
      if ((await writer.get(seenBlockCollection, id))?.hash !== hash)
        writer.put(seenBlockCollection, { id, height: Number(id), hash });
  });

const findReorg = async (
  seen: readonly Block[],
  tip: Tip,
  { chain }: Pick<Context, 'chain'>,
): Promise<Reorg | null> => {
  const [from] = seen;
  if (from === undefined) return null;
  for (const { height, hash } of seen) {
    const block = height === tip.height ? tip : await chain.block(height);
    if (block?.hash !== hash) continue;
    const depth = from.height - height;
    return depth === 0 ? null : { depth, forkHeight: height, from };
  }
  return { depth: from.height + 1, forkHeight: -1, from };
};

/** The blocks between the highest that is known and the tip, the tip included, highest first. */
const readNewBlocks = async (
  above: number,
  tip: Tip,
  { chain }: Pick<Context, 'chain'>,
): Promise<readonly Block[]> => {
  const blocks: Block[] = [tip];
  for (let height = tip.height - 1; height > Math.max(above, tip.height - EXACT_BLOCKS); height -= 1) {
    const block = await chain.block(height);
    if (block !== null) blocks.push(block);
  }
  return blocks;
};

/** The blocks that the store knows. */
export const openSeenBlocks = async (store: StorePort): Promise<SeenBlocks> => {
  let seen = await loadBlocks({ store });
  let isSaved = true;
  return {
    take: async (tip, context) => {
      if (seen[0]?.hash === tip.hash) return null;
      const reorg = await findReorg(seen, tip, context);
      const top = reorg === null ? (seen[0]?.height ?? -1) : reorg.forkHeight;
      const added = await readNewBlocks(top, tip, context);
      seen = [...added, ...seen.filter(({ height }) => height <= top)].slice(0, KEPT_BLOCKS);
      isSaved = false;
      return reorg;
    },
    save: async (store) => {
      if (isSaved) return;
      await saveBlocks(seen, { store });
      isSaved = true;
    },
  };
};
