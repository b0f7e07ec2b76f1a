/** Says once of each coin that lies unexpected at a record's address: to whoever reads the log, and in the event log. */
import { z } from 'zod';
import { outpointText } from '../../bch/coins.js';
import { unexpectedFunding, type UnexpectedFunding } from '../../offer/unexpected-funding.js';
import type { Context } from '../../operation/context.js';
import { defineCollection } from '../../operation/ports/store.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import { tellEvent } from '../../record/event-log.js';

/** A coin that was told of; its id is its outpoint. */
export const toldStrayCollection = defineCollection({
  name: 'told_strays',
  schema: z.object({ id: z.string(), record_id: z.string() }),
  indexes: {},
});

/** @returns whether it was told now, and not before */
const tellOnce = (
  stray: UnexpectedFunding,
  { told }: Deployable,
  record: CovenantRecord,
  { store, clock }: Context,
): Promise<boolean> => {
  const time = clock.now();
  const id = outpointText(stray);
  return store.transaction(async (writer) => {
    if ((await writer.get(toldStrayCollection, id)) !== null) return false;
    writer.put(toldStrayCollection, { id, record_id: record.id });
    const { subject, parties, category } = told.topic(record);
    const { txid, vout, amountOnChain, satoshis, recoverable, detail } = stray;
    const data = { vout, amountOnChain, asset: category ?? 'BCH', satoshis, recoverable, detail };
    await tellEvent(writer, {
      type: 'unexpected.funding',
      time,
      certainty: 'seen',
      subject,
      parties: [...parties],
      data,
      txHash: txid,
    });
    return true;
  });
};

/** Remembers what it has looked at as long as the service runs; what it has told, the store remembers. */
export const createStrayWatch = () => {
  const known = new Set<string>();
  return {
    /** @throws chain_unavailable, and as `transaction` of the store */
    look: async (deployable: Deployable, record: CovenantRecord, context: Context): Promise<void> => {
      for (const stray of await unexpectedFunding(deployable, record, context)) {
        const outpoint = outpointText(stray);
        if (known.has(outpoint)) continue;
        const isNew = await tellOnce(stray, deployable, record, context);
        known.add(outpoint);
        if (!isNew) continue;
        const { txid, vout, amountOnChain, satoshis, recoverable, detail } = stray;
        const fields = { label: deployable.label(record), txid, vout, amountOnChain, satoshis, recoverable };
        context.meters.count('unexpected_fundings');
        context.log.warn({ event: 'unexpected_funding', ...fields, detail }, 'unexpected_funding');
      }
    },
  };
};
