/** Says once of each coin that lies unexpected at a record's address: `unexpected_funding`, with amount and txid. */
import { outpointText } from '../../bch/coins.js';
import type { Context } from '../../operation/context.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import { unexpectedFunding } from '../../offer/unexpected-funding.js';

/** Remembers what it has said as long as the service runs. */
export const createStrayWatch = () => {
  const said = new Set<string>();
  return {
    /** @throws chain_unavailable */
    look: async (deployable: Deployable, record: CovenantRecord, context: Context): Promise<void> => {
      const { strays } = deployable;
      if (strays === null) return;
      const { followed } = deployable.following(context);
      for (const stray of await unexpectedFunding(record, strays, followed, context)) {
        const outpoint = outpointText(stray);
        if (said.has(outpoint)) continue;
        said.add(outpoint);
        const { txid, vout, amountOnChain, satoshis, recoverable, detail } = stray;
        const fields = { label: deployable.label(record), txid, vout, amountOnChain, satoshis, recoverable };
        context.meters.count('unexpected_fundings');
        context.log.warn({ event: 'unexpected_funding', ...fields, detail }, 'unexpected_funding');
      }
    },
  };
};
