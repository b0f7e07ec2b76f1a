/** What the commands of the embedded chain share: who has one, and how a tip is shown. */
import { z } from 'zod';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import type { ViewBlock } from '../../operation/define.js';
import type { LocalChainPort, Tip } from '../../operation/ports/chain.js';

/** The embedded chain. @throws local_only */
export const embeddedChain = (
  { localChain, network }: Pick<Context, 'localChain' | 'network'>,
  verb: string,
): LocalChainPort => {
  if (localChain !== null) return localChain;
  throw new TreasuryError('local_only', { command: `treasury chain ${verb}`, network });
};

export const TipReply = z.object({
  height: z.number(),
  hash: z.string(),
  time: z.number().describe('Of the tip, unix seconds'),
  medianTimePast: z.number().describe('Median of the last 11 block times, unix seconds'),
});

const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** A tip for people. */
export const tipFacts = ({ height, hash, time, medianTimePast }: Tip): ViewBlock => ({
  kind: 'facts',
  rows: [
    ['Height', String(height)],
    ['Block', hash],
    ['Time', dateOf(time)],
    ['Median time past', dateOf(medianTimePast)],
  ],
});
