/** What a spend of a plan starts from. */
import { parseAddress } from '../../bch/address.js';
import type { Context } from '../../operation/context.js';
import { gatherSpend } from '../../offer/gather-spend.js';
import type { PlanRecord } from './plan.js';
import { remainingPool } from './rules.js';
import type { PlanSpend } from './transactions.js';

/**
 * The pinned thread, its reserve and the coins of who signs, as they are now.
 *
 * @throws store_conflict when the thread moved while this was read, chain_unavailable
 */
export const spendOf = async (
  plan: PlanRecord,
  signer: 'creator' | 'recipient',
  context: Context,
): Promise<PlanSpend> => ({
  plan,
  network: context.network,
  ...(await gatherSpend(
    {
      label: plan.budget_id,
      lockingBytecode: parseAddress(plan.contract_address).lockingBytecode,
      thread: plan.thread,
      tokenCategory: plan.tokenCategory,
      reserved: remainingPool(plan),
      payer: parseAddress(plan[signer]),
    },
    context,
  )),
});
