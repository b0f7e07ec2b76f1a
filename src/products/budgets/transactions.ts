/**
 * The transactions of a budget plan: coins and state in, an unsigned transaction and the outputs it promises out.
 * `observe.ts` reads the same promises back.
 */
import { parseAddress, type Address } from '../../bch/address.js';
import type { Output } from '../../bch/coins.js';
import type { Network } from '../../bch/network.js';
import { signedCall, witnessedCall } from '../../covenant/call.js';
import type { GenesisMember } from '../../covenant/genesis.js';
import {
  buildPoolSpend,
  continuingOutputs,
  payoutOutput,
  poolGenesis,
  restated,
  shareOut,
  type Pool,
  type PoolSpend,
  type RecordSpend,
} from '../../covenant/pool.js';
import { buildPush } from '../../covenant/push.js';
import type { UnsignedTransaction } from '../../covenant/spend.js';
import type { Witness } from '../../covenant/ticket.js';
import { planContract } from './contract.js';
import type { PlanRecord } from './plan.js';
import { amountBetween, dueAt, releasableAt, remainingPool } from './rules.js';
import { CHAIN_FLAGS, CHAIN_STATUS, planState, readState, type PlanState } from './state.js';

/** What every spend of a plan starts from. */
export type PlanSpend = RecordSpend<PlanRecord>;

/** A plan's pool. */
export const planPool = (plan: PlanRecord, network: Network): Pool => ({
  network,
  contract: planContract(plan, network),
  threadCategory: plan.thread?.category ?? '',
  tokenCategory: plan.tokenCategory,
});

/** The state that funding mints. */
export const initialState = (plan: PlanRecord): string =>
  planState.encode({
    status: CHAIN_STATUS.active,
    current: 0,
    anchor: plan.startDate,
    pausedAt: 0,
    recipient: parseAddress(plan.recipient).hash,
    flags: plan.cancelable ? CHAIN_FLAGS.cancelable : 0,
  });

/** The one thread that funding mints, with its pool. */
export const planGenesis = (plan: PlanRecord, network: Network): GenesisMember =>
  poolGenesis(planPool(plan, network), initialState(plan), plan.total_amount);

const stateOf = ({ thread }: PlanRecord) => readState(thread?.commitment ?? '');

const spendPlan = (
  { record: plan, network, ...gathered }: PlanSpend,
  spend: Omit<PoolSpend, keyof typeof gathered> & Partial<PoolSpend>,
): UnsignedTransaction => buildPoolSpend(planPool(plan, network), { ...gathered, ...spend });

/** The part of a spend that gives the plan another state. */
const restate = (
  { record: plan, coins }: PlanSpend,
  change: Partial<PlanState>,
  witness?: Witness,
): ReturnType<typeof restated> => {
  const commitment = planState.encode({ ...stateOf(plan), ...change });
  return restated(coins, plan.thread?.category ?? '', commitment, witness);
};

/**
 * What a release up to a milestone promises: the thread and its reserve, or nothing of them after the last one. The
 * payout follows: tokens as an output, BCH as the recipient's change, so that its fee comes out of it.
 */
export const releaseOutputs = (plan: PlanRecord, network: Network, upTo: number): readonly Output[] => {
  const amount = amountBetween(plan, plan.current_milestone, upTo);
  const remaining = remainingPool(plan) - amount;
  const commitment = planState.encode({ ...stateOf(plan), current: upTo, anchor: dueAt(plan, upTo) });
  const isLast = upTo === plan.milestones.length;
  const { outputs } = continuingOutputs(planPool(plan, network), commitment, remaining);
  const { lockingBytecode } = parseAddress(plan.recipient);
  const payout = payoutOutput(plan.tokenCategory, lockingBytecode, amount);
  return [...(isLast ? [] : outputs), ...(plan.tokenCategory === null ? [] : [payout])];
};

/**
 * Releases the milestones up to `upTo`, for the recipient's wallet to sign. In BCH the fee comes out of the payout
 * where that suffices, else out of the recipient's own coins.
 *
 * @throws insufficient_funds
 */
export const buildRelease = (spend: PlanSpend, upTo: number): UnsignedTransaction => {
  const { record: plan, network } = spend;
  return spendPlan(spend, {
    payer: parseAddress(plan.recipient),
    call: signedCall('release', BigInt(upTo)),
    outputs: releaseOutputs(plan, network, upTo),
  });
};

/** Pushes: all milestones elapsed go to the recipient, and the payer pays the fee. @throws insufficient_funds */
export const buildPlanPush = (spend: PlanSpend, payer: Address): UnsignedTransaction => {
  const { record: plan, network, coins, payerCoins, locktime } = spend;
  const { upTo, amount } = releasableAt(plan, locktime);
  const isLast = upTo === plan.milestones.length;
  return buildPush(
    planPool(plan, network),
    { coins, payerCoins, payer, locktime },
    {
      args: [BigInt(upTo)],
      next: isLast ? null : planState.encode({ ...stateOf(plan), current: upTo, anchor: dueAt(plan, upTo) }),
      remaining: remainingPool(plan) - amount,
      amount,
      recipient: parseAddress(plan.recipient).lockingBytecode,
    },
  );
};

/** Pauses at the locktime, co-signed by the authority as time witness. @throws insufficient_funds */
export const buildPause = (spend: PlanSpend, witness: Witness): UnsignedTransaction =>
  spendPlan(spend, {
    ...restate(spend, { status: CHAIN_STATUS.paused, pausedAt: spend.locktime }, witness),
    payer: parseAddress(spend.record.creator),
    call: witnessedCall('pause', witness),
  });

/** Resumes: what has not elapsed falls due later by the time of the pause. @throws insufficient_funds */
export const buildResume = (spend: PlanSpend): UnsignedTransaction => {
  const { anchor, pausedAt } = stateOf(spend.record);
  const later = anchor + spend.locktime - pausedAt;
  return spendPlan(spend, {
    ...restate(spend, { status: CHAIN_STATUS.active, anchor: later, pausedAt: 0 }),
    payer: parseAddress(spend.record.creator),
    call: signedCall('resume'),
  });
};

/**
 * Cancels: exactly what has elapsed goes to the recipient, the rest to the controller (BCH as change, so that the fee
 * comes out of it), and the thread is burned. Co-signed by the authority as time witness.
 *
 * @throws insufficient_funds
 */
export const buildCancel = (spend: PlanSpend, witness: Witness): UnsignedTransaction => {
  const { record: plan, locktime } = spend;
  const { upTo, amount } = releasableAt(plan, locktime);
  const owed = { to: parseAddress(plan.recipient), amount };
  const rest = { to: parseAddress(plan.creator), amount: remainingPool(plan) - amount };
  return spendPlan(spend, {
    ...shareOut(plan.tokenCategory, owed, rest, witness),
    call: witnessedCall('cancel', witness, BigInt(upTo)),
  });
};
