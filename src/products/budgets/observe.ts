/** The one place that reads a plan's moves back from the chain. */
import { z } from 'zod';
import { parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { ChainTransaction, Transaction } from '../../bch/transaction.js';
import { calledFunction } from '../../covenant/called-function.js';
import { moved, type Observed } from '../../covenant/follow.js';
import { pushedBy, pusherOf } from '../../covenant/push.js';
import { continuedThread } from '../../covenant/thread.js';
import { planContract } from './contract.js';
import { Cancelled, type PaidMilestones, type PlanRecord } from './plan.js';
import { amountBetween, dueAt, elapsedMilestone, remainingPool } from './rules.js';
import { CHAIN_STATUS, readState } from './state.js';

const lockOf = (address: string): string => parseAddress(address).lockingBytecode;

/** Milestones that a move paid, as its event tells them and as the release rows are made. */
const paidMilestones = (plan: PlanRecord, upTo: number): PaidMilestones => ({
  firstMilestone: plan.current_milestone + 1,
  lastMilestone: upTo,
});

const called = ({ inputs }: Transaction, { artifact_fingerprint: pinned }: PlanRecord): string | null =>
  calledFunction({ name: 'budget-plan', pinned }, inputs[0]?.unlockingBytecode ?? '');

const release = (plan: PlanRecord, upTo: number, { transaction }: ChainTransaction, network: Network) => {
  const { recipient } = plan;
  const isPush = called(transaction, plan) === 'push';
  const pusher = isPush ? (pusherOf(transaction, network) ?? parseAddress(recipient)) : null;
  return {
    type: 'released',
    actorLock: pusher?.lockingBytecode ?? lockOf(recipient),
    amount: amountBetween(plan, plan.current_milestone, upTo),
    details: { ...paidMilestones(plan, upTo), ...pushedBy(pusher) },
  };
};

/** The end: the last release, or a cancellation, which pays what had elapsed at its locktime. */
const observeEnd = (plan: PlanRecord, chain: ChainTransaction, network: Network): Observed<PlanRecord> => {
  const ended = (upTo: number) => ({
    thread: null,
    paused_at: null,
    current_milestone: upTo,
    released_amount: amountBetween(plan, 0, upTo),
    anchor: dueAt(plan, upTo),
  });
  if (called(chain.transaction, plan) !== 'cancel') {
    const last = plan.milestones.length;
    return moved(plan, chain, { ...ended(last), status: 'COMPLETED' }, [
      release(plan, last, chain, network),
      { type: 'completed', actorLock: lockOf(plan.recipient), amount: 0n },
    ]);
  }
  const upTo = elapsedMilestone(plan, chain.transaction.locktime);
  const vested = amountBetween(plan, plan.current_milestone, upTo);
  const details = z.encode(Cancelled, { vestedAmount: vested, ...paidMilestones(plan, upTo) });
  return moved(plan, chain, { ...ended(upTo), status: 'CANCELLED' }, [
    { type: 'cancelled', actorLock: lockOf(plan.creator), amount: remainingPool(plan) - vested, details },
  ]);
};

/** What a transaction that spends the thread did. */
export const observePlan = (
  plan: PlanRecord,
  chain: ChainTransaction,
  network: Network,
): Observed<PlanRecord> => {
  const { lockingBytecode } = planContract(plan, network);
  const thread = continuedThread(chain.transaction, lockingBytecode, plan.thread?.category ?? '');
  if (thread === null) return observeEnd(plan, chain, network);
  // The thread goes on: milestones were released, or the plan was paused or resumed.
  const state = readState(thread.commitment);
  const isPaused = state.status === CHAIN_STATUS.paused;
  const changes: Partial<PlanRecord> = {
    thread,
    status: isPaused ? 'PAUSED' : 'ACTIVE',
    current_milestone: state.current,
    released_amount: amountBetween(plan, 0, state.current),
    anchor: state.anchor,
    paused_at: isPaused ? state.pausedAt : null,
  };
  const move =
    state.current > plan.current_milestone
      ? release(plan, state.current, chain, network)
      : { type: isPaused ? 'paused' : 'resumed', actorLock: lockOf(plan.creator), amount: 0n };
  return moved(plan, chain, changes, [move]);
};
