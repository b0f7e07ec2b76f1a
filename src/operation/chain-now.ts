/** The time that covenants go by. */
import type { Context } from './context.js';

/** Chain now: the latest locktime that is final. Source: docs/design/covenants.md, Vocabulary (median time past, minus 1). */
export const chainNow = async (context: Pick<Context, 'chain'>): Promise<number> =>
  (await context.chain.tip()).medianTimePast - 1;
