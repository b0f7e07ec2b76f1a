/** Funding a campaign: mints its thread and puts the whole pool in. */
import { z } from 'zod';
import { displayNumber } from '../../../bch/amount.js';
import { spentOutputs } from '../../../covenant/follow.js';
import { mismatch } from '../../../offer/confirm.js';
import { defineFunding } from '../../../offer/fund.js';
import { campaigns } from '../product.js';

export const fund = defineFunding(campaigns, {
  step: 'Put the pool into a campaign',
  funding: 'mint its thread with the whole pool from the creator’s coins',
  fields: { totalPool: z.number() },
  info: (together) => ({
    totalPool: together.reduce((sum, one) => sum + displayNumber(one.total_pool, one.decimals), 0),
  }),
  confirm: {
    auth: 'bearer',
    answer: async (_campaign, transaction, { caller, chain }) => {
      // Check: the caller's wallet paid.
      const spent = await spentOutputs(transaction, chain);
      if (spent.some((coin) => coin?.lockingBytecode === caller?.lockingBytecode)) return {};
      const { txid } = transaction.transaction;
      throw mismatch(txid, `an input spent from the wallet of ${caller?.text ?? 'nobody'}`, 'none');
    },
  },
});
