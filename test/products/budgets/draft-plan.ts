/** Plans that stand in no store: for the pure parts, and for the VM. */
import { binToHex } from '@bitauth/libauth';
import { newestFingerprint } from '../../../src/covenant/artifact.js';
import { alice, authority, bob } from '../../../fixtures/people.js';
import type { Coin, Output } from '../../../src/bch/coins.js';
import { preflight } from '../../../src/bch/wallet-transaction.js';
import { reserveContract, reserveOutput } from '../../../src/covenant/reserve.js';
import type { UnsignedTransaction } from '../../../src/covenant/spend.js';
import { TICKET_SATOSHIS, witnessOf, type Witness } from '../../../src/covenant/ticket.js';
import { threadOutput } from '../../../src/covenant/thread.js';
import { TreasuryError } from '../../../src/errors.js';
import { planContract } from '../../../src/products/budgets/contract.js';
import type { Milestone, PlanRecord } from '../../../src/products/budgets/plan.js';
import { reachedAt, remainingPool } from '../../../src/products/budgets/rules.js';
import { CHAIN_STATUS, planState } from '../../../src/products/budgets/state.js';
import type { PlanSpend } from '../../../src/products/budgets/transactions.js';

export const START = 1_780_000_000;
const THREAD_CATEGORY = 'aa'.repeat(32);
export const TOKEN = 'bb'.repeat(32);

/** Rows of amount and duration. */
export const rowsOf = (...rows: readonly (readonly [bigint, number])[]): Milestone[] =>
  rows.map(([amount, durationSeconds]) => ({ amount, durationSeconds, description: '' }));

/** A plan as its fold would have it after `current` milestones, PAUSED when `pausedAt` is given. */
export const planWith = (
  milestones: Milestone[],
  {
    current = 0,
    pausedAt = null,
    tokenCategory = null,
    cancelable = true,
  }: {
    readonly current?: number;
    readonly pausedAt?: number | null;
    readonly tokenCategory?: string | null;
    readonly cancelable?: boolean;
  } = {},
): PlanRecord => {
  const list = reachedAt(milestones);
  const anchor = START + (list[current]?.seconds ?? 0);
  const commitment = planState.encode({
    status: pausedAt === null ? CHAIN_STATUS.active : CHAIN_STATUS.paused,
    current,
    anchor,
    pausedAt: pausedAt ?? 0,
    recipient: bob.address('local').hash,
    flags: cancelable ? 1 : 0,
  });
  const plan: PlanRecord = {
    id: 'plan',
    budget_id: '#BUDGET-0001',
    on_chain_budget_id: '11'.repeat(32),
    vault_id: 'vault',
    creator: alice.address('local').text,
    recipient: bob.address('local').text,
    recipientName: null,
    tokenType: tokenCategory === null ? 'BCH' : 'FUNGIBLE_TOKEN',
    tokenCategory,
    decimals: 8,
    cancelable,
    push_minimum: 0n,
    milestones,
    total_amount: list.at(-1)?.amount ?? 0n,
    startDate: START,
    contract_address: '',
    artifact_fingerprint: newestFingerprint('budget-plan'),
    constructor_params: [],
    authority_pubkey: binToHex(authority.publicKey),
    status: pausedAt === null ? 'ACTIVE' : 'PAUSED',
    current_milestone: current,
    released_amount: list[current]?.amount ?? 0n,
    anchor,
    paused_at: pausedAt,
    tx_hash: THREAD_CATEGORY,
    last_tx_hash: THREAD_CATEGORY,
    thread: { category: THREAD_CATEGORY, txid: 'cc'.repeat(32), vout: 0, commitment },
    created_at: START,
    updated_at: START,
    own_label: null,
    own_note: null,
  };
  const { address, constructorParams } = planContract(plan, 'local');
  return { ...plan, contract_address: address.text, constructor_params: [...constructorParams] };
};

const coinOf = (output: Output, txid: string, vout = 0): Coin => ({ ...output, txid, vout, height: 1 });

/** What a spend of the plan at a time would gather. */
export const spendAt = (plan: PlanRecord, signer: typeof alice, locktime: number): PlanSpend => {
  const { lockingBytecode } = planContract(plan, 'local');
  const remaining = remainingPool(plan);
  const isBch = plan.tokenCategory === null;
  const commitment = plan.thread?.commitment ?? '';
  const thread = threadOutput(lockingBytecode, THREAD_CATEGORY, commitment, isBch ? remaining : 0n);
  const reserve = reserveContract(THREAD_CATEGORY, lockingBytecode, 'local');
  const own: Output = { lockingBytecode: signer.address('local').lockingBytecode, satoshis: 100_000n };
  return {
    record: plan,
    network: 'local',
    locktime,
    payerCoins: [coinOf(own, 'dd'.repeat(32))],
    coins: {
      thread: coinOf(thread, 'cc'.repeat(32)),
      reserve: isBch
        ? []
        : [coinOf(reserveOutput(reserve, plan.tokenCategory ?? '', remaining), 'cc'.repeat(32), 1)],
    },
  };
};

/** The authority's word, with a ticket. */
export const witness: Witness = witnessOf(
  coinOf(
    { lockingBytecode: authority.address('local').lockingBytecode, satoshis: TICKET_SATOSHIS },
    'ee'.repeat(32),
  ),
  { ...authority, address: authority.address('local') },
);

/** True when the VM accepts it, signed by that party and, if it may be, by the authority. */
export const isAccepted = (build: () => UnsignedTransaction, signer: typeof alice): boolean => {
  const { transaction, sourceOutputs } = build();
  try {
    preflight(
      { transaction, sourceOutputs: [...sourceOutputs] },
      { lockingBytecode: signer.address('local').lockingBytecode },
      { medianTimePast: transaction.locktime + 1 },
    );
    return true;
  } catch (error) {
    // Refused by the script, and for no other reason.
    if (error instanceof TreasuryError && error.code === 'tx_script_failed') return false;
    throw error;
  }
};
