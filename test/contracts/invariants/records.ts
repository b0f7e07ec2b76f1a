/** The products' records of the model's terms, as they are before their funding. */
import { binToHex } from '@bitauth/libauth';
import { addressOfPublicKey } from '../../../src/bch/keys.js';
import type { PlanRecord } from '../../../src/products/budgets/plan.js';
import { planContract } from '../../../src/products/budgets/contract.js';
import type { PaymentRecord } from '../../../src/products/payments/payment.js';
import { INTERVAL_SECONDS, INTERVALS } from '../../../src/products/payments/payment.js';
import { recurringContract } from '../../../src/covenant/recurring/contract.js';
import { firstDueOf, termsOf } from '../../../src/products/payments/terms.js';
import type { CampaignRecord } from '../../../src/products/rewards/campaign.js';
import { campaignContract } from '../../../src/products/rewards/contract.js';
import { vestingContract } from '../../../src/products/streams/contract.js';
import type { StreamRecord } from '../../../src/products/streams/stream.js';
import { newestFingerprint } from '../../../src/covenant/artifact.js';
import { TOKEN, type Asset } from '../harness/coins.js';
import { authority, owner, recipient, type Party } from '../harness/parties.js';
import type { BudgetTerms } from './budget-model.js';
import type { CampaignTerms } from './campaign-model.js';
import type { PaymentTerms } from './payment-model.js';
import { encodeSegments, type StreamTerms } from './stream-model.js';

/** A person's address on the local network. */
export const addressOf = ({ publicKey }: Party): string => addressOfPublicKey(publicKey, 'local').text;

const CREATED = 1_700_000_000;

const typeOf = (asset: Asset): 'BCH' | 'FUNGIBLE_TOKEN' => (asset === 'BCH' ? 'BCH' : 'FUNGIBLE_TOKEN');
const categoryOf = (asset: Asset): string | null => (asset === 'BCH' ? null : TOKEN);

const unfunded = { tx_hash: null, last_tx_hash: null, thread: null } as const;
const common = {
  id: 'record-1',
  authority_pubkey: binToHex(authority.publicKey),
  contract_address: '',
  decimals: 0,
  created_at: CREATED,
  updated_at: CREATED,
  own_label: null,
  own_note: null,
  status: 'PENDING',
  ...unfunded,
} as const;

export const campaignRecord = (terms: CampaignTerms): CampaignRecord => {
  const record: CampaignRecord = {
    ...common,
    artifact_fingerprint: newestFingerprint('reward-campaign'),
    constructor_params: [],
    campaign_id: '#REWARD-0001',
    on_chain_campaign_id: binToHex(terms.id),
    creator: addressOf(owner),
    title: '',
    description: '',
    reward_category: 'CUSTOM',
    token_type: typeOf(terms.asset),
    token_category: categoryOf(terms.asset),
    total_pool: terms.total,
    max_reward_amount: terms.maximum,
    start_date: terms.start,
    end_date: null,
    vault_id: null,
    refund_address: addressOf(recipient),
    distributed_count: 0,
    distributed_total: 0n,
    deprecated: false,
  };
  return { ...record, contract_address: campaignContract(record, 'local').address.text };
};

export const planRecord = ({ milestones, ...terms }: BudgetTerms): PlanRecord => {
  const record: PlanRecord = {
    ...common,
    artifact_fingerprint: newestFingerprint('budget-plan'),
    constructor_params: [],
    budget_id: '#BUDGET-0001',
    on_chain_budget_id: binToHex(terms.id),
    vault_id: 'vault-1',
    creator: addressOf(owner),
    recipient: addressOf(recipient),
    recipientName: null,
    tokenType: typeOf(terms.asset),
    tokenCategory: categoryOf(terms.asset),
    cancelable: (terms.flags & 1) === 1,
    push_minimum: terms.least,
    milestones: milestones.map(({ seconds, amount }, index) => ({
      durationSeconds: seconds - (milestones[index - 1]?.seconds ?? 0),
      amount: amount - (milestones[index - 1]?.amount ?? 0n),
      description: '',
    })),
    total_amount: milestones.at(-1)?.amount ?? 0n,
    startDate: terms.start,
    current_milestone: 0,
    released_amount: 0n,
    anchor: terms.start,
    paused_at: null,
  };
  return { ...record, contract_address: planContract(record, 'local').address.text };
};

export const streamRecord = ({ segments, ...terms }: StreamTerms): StreamRecord => {
  const record: StreamRecord = {
    ...common,
    artifact_fingerprint: newestFingerprint('stream'),
    constructor_params: [],
    stream_id: '#STREAM-0001',
    on_chain_stream_id: binToHex(terms.id),
    vault_id: null,
    is_private: false,
    batch_id: null,
    sender: addressOf(owner),
    first_recipient: addressOf(recipient),
    recipient: addressOf(recipient),
    token_type: typeOf(terms.asset),
    token_category: categoryOf(terms.asset),
    total_amount: segments.at(-1)?.cumulative ?? 0n,
    stream_type: 'LINEAR',
    start_time: terms.start,
    end_time: null,
    cliff_timestamp: null,
    interval_seconds: null,
    amount_per_interval: null,
    hybrid_unlock_time: null,
    hybrid_upfront_percentage: null,
    tranche_schedule: null,
    schedule_template: null,
    refillable: false,
    cancelable: (terms.flags & 1) === 1,
    transferable: (terms.flags & 2) === 2,
    push_minimum: terms.least,
    launch_context: null,
    description: '',
    schedule: binToHex(encodeSegments(segments)),
    withdrawn_amount: 0n,
    returned_amount: 0n,
    refilled_amount: 0n,
    shift_seconds: 0,
    paused_at: null,
  };
  return { ...record, contract_address: vestingContract(record, 'local').address.text };
};

/** Terms that a payment's record can say: its interval has a name. */
export const paymentRecord = (terms: PaymentTerms): PaymentRecord => {
  const interval = INTERVALS.find((name) => INTERVAL_SECONDS[name] === terms.interval);
  if (interval === undefined) throw new Error(`no payment has an interval of ${terms.interval} seconds`);
  const record: PaymentRecord = {
    ...common,
    artifact_fingerprint: newestFingerprint('recurring-payment'),
    constructor_params: [],
    payment_id: '#PAY-0001',
    on_chain_payment_id: binToHex(terms.id),
    vault_id: null,
    sender: addressOf(owner),
    recipient: addressOf(recipient),
    recipient_name: null,
    token_type: typeOf(terms.asset),
    token_category: categoryOf(terms.asset),
    amount_per_period: terms.amount,
    interval,
    start_date: terms.firstDue - terms.interval,
    end_date: null,
    periods: terms.periods,
    cancelable: (terms.flags & 1) === 1,
    push_minimum: terms.least,
    next_payment_date: terms.firstDue,
    total_paid: 0n,
    payment_count: 0,
    pool: 0n,
  };
  if (firstDueOf(record) !== terms.firstDue) throw new Error('it begins at another second');
  return { ...record, contract_address: recurringContract(termsOf(record), 'local').address.text };
};
