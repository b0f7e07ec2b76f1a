/** What the oracle watches of a trace: the covenant and its sibling, as they stand on a chain. */
import { reserveOf } from '../harness/coins.js';
import type { BudgetTerms } from './budget-model.js';
import type { CampaignTerms } from './campaign-model.js';
import { coinsAt, type Chain } from './chain.js';
import type { Covenant } from './covenant.js';
import type { Watched } from './oracle.js';
import type { Rows } from './oracle-rows.js';
import { budgetRows } from './oracle-budget.js';
import { campaignRows } from './oracle-campaign.js';
import { paymentRows } from './oracle-payment.js';
import { streamRows } from './oracle-stream.js';
import type { PaymentTerms } from './payment-model.js';
import type { StreamTerms } from './stream-model.js';

const ROWS = {
  'reward-campaign': (terms: unknown) => campaignRows(terms as CampaignTerms),
  'budget-plan': (terms: unknown) => budgetRows(terms as BudgetTerms),
  stream: (terms: unknown) => streamRows(terms as StreamTerms),
  'recurring-payment': (terms: unknown) => paymentRows(terms as PaymentTerms),
} as const;

/** The table of a contract with these terms. */
export const rowsOf = (name: keyof typeof ROWS, terms: unknown): Rows => ROWS[name](terms);

/** A covenant as the oracle watches it, before a transaction. */
export const watch = (
  { asset, contract }: Pick<Covenant<unknown>, 'asset' | 'contract'>,
  { name, category, rows, chain }: { name: string; category: string; rows: Rows; chain: Chain },
): Watched => {
  const reserve = reserveOf(contract, category);
  return {
    name,
    asset,
    lock: contract.lock,
    category,
    reserveLock: reserve.lock,
    rows,
    reserve: new Map(
      coinsAt(chain, reserve.lock).map(({ txid, vout, coin }) => [
        `${txid}:${vout}`,
        coin.token?.amount ?? 0n,
      ]),
    ),
  };
};
