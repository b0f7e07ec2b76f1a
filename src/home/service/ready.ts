/** Whether the service can do its work. */
import { z } from 'zod';
import { TreasuryError } from '../../errors.js';
import { CHAIN_ERRORS, defineOperation } from '../../operation/define.js';

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const ready = defineOperation({
  id: 'service.ready',
  summary: 'Whether the service can do its work: its store can be written to, and its chain answers',
  description: 'The node behind an indexer is asked too: without it nothing can be sent.',
  http: { method: 'GET', path: '/api/health/ready' },
  cli: false,
  auth: 'none',
  input: z.object({}),
  output: z.object({
    status: z.literal('ready'),
    height: z.number(),
    medianTimePast: z.number().describe('Unix seconds'),
  }),
  errors: CHAIN_ERRORS,
  run: async (_, { store, chain }) => {
    await store.refresh();
    await store.probe();
    try {
      // An indexer tells the tip from what it has, though its node is dead and takes nothing.
      const [{ height, medianTimePast }] = await Promise.all([chain.tip(), chain.askNode()]);
      return { status: 'ready' as const, height, medianTimePast };
    } catch (error) {
      if (error instanceof TreasuryError) throw error;
      throw new TreasuryError('chain_unavailable', { reason: reasonOf(error) }, { cause: error });
    }
  },
});
