/** Lists while no chain server answers: they stand on the store, say so, and are no reason to stop. */
import { z } from 'zod';
import { TreasuryError } from '../errors.js';
import type { Context } from './context.js';
import { chainNow } from './chain-now.js';
import { CHAIN_ERRORS } from './declared-errors.js';

/** Output field of a list that asks the chain. */
export const StaleReply = {
  chain_stale: z
    .literal(true)
    .optional()
    .describe(
      'Present while no chain server answers: the records are as they were last known, and what has accrued is by the clock',
    ),
};

/** What a list says of itself: nothing, or that it is stale. */
export type Stale = { readonly chain_stale?: true };

/**
 * What `ask` finds, or what `fall` has without the chain while that is away.
 *
 * @throws what `ask` throws but {@link CHAIN_ERRORS}
 */
export const orStale = async <T>(
  ask: () => Promise<T>,
  fall: () => T | Promise<T>,
): Promise<{ readonly found: T; readonly stale: Stale }> => {
  try {
    return { found: await ask(), stale: {} };
  } catch (error) {
    const isAway = error instanceof TreasuryError && CHAIN_ERRORS.some((code) => code === error.code);
    if (!isAway) throw error;
    return { found: await fall(), stale: { chain_stale: true } };
  }
};

/** Chain now as it was last told, where that is fresh. */
const nowOfLate = async ({ chain }: Pick<Context, 'chain'>): Promise<number> => {
  const recent = (await chain.recentTip?.()) ?? null;
  return recent === null ? chainNow({ chain }) : recent.medianTimePast - 1;
};

/** Chain now for a list, unix seconds: as it was last told; the clock's while the chain is away. */
export const listNow = async (
  context: Pick<Context, 'chain' | 'clock'>,
): Promise<{ readonly now: number; readonly stale: Stale }> => {
  const { found, stale } = await orStale(
    () => nowOfLate(context),
    () => context.clock.now(),
  );
  return { now: found, stale };
};
