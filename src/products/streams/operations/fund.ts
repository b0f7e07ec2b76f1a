/** Funding a stream: mints its thread and puts the whole pool in. A stream of a batch is funded with all of it. */
import { z } from 'zod';
import { defineFunding } from '../../../offer/fund.js';
import { fundBatch } from '../batches.js';
import { fundedTogether, pinSubject, streams } from '../product.js';

export const fund = defineFunding(streams, {
  description: 'A stream of a batch is funded together with all streams of the batch.',
  step: 'Put the money into a stream',
  funding: 'mint its thread with the whole pool from the sender’s coins',
  fields: { streams: z.number().describe('How many streams this transaction funds') },
  info: (together) => ({ streams: together.length }),
  subject: pinSubject,
  finds: async (store, id) => {
    const stream = await streams.find(store, id);
    return { id: stream.batch_id ?? stream.id };
  },
  confirm: {
    // Record: what is funded together becomes active together.
    answer: async (stream, transaction, context) => {
      if (stream.batch_id !== null)
        await fundBatch(await fundedTogether(stream, context), transaction, context);
      return {};
    },
  },
});
