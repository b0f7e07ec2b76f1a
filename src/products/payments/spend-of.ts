/** What a spend of a payment's covenant starts from. */
import { parseAddress, type Address } from '../../bch/address.js';
import type { Context } from '../../operation/context.js';
import { gatherSpend } from '../../offer/gather-spend.js';
import { TreasuryError } from '../../errors.js';
import type { PaymentRecord } from './payment.js';
import { termsOf } from './terms.js';
import type { RecurringSpend } from '../../covenant/recurring/transactions.js';

/**
 * The pinned thread, its reserve and the coins of who signs, as they are now.
 *
 * @throws store_conflict when the thread moved while this was read, chain_unavailable
 */
export const spendOf = async (
  payment: PaymentRecord,
  payer: Address,
  context: Context,
): Promise<RecurringSpend> => {
  const { payment_id: label, thread } = payment;
  if (thread === null) throw new TreasuryError('store_conflict', { label });
  const gathered = await gatherSpend(
    {
      label,
      lockingBytecode: parseAddress(payment.contract_address).lockingBytecode,
      thread,
      tokenCategory: payment.token_category,
      reserved: payment.pool,
      payer,
    },
    context,
  );
  return { terms: termsOf(payment), network: context.network, thread, ...gathered };
};
