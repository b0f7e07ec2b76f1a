/** What a thread of a plan allows that its record does not follow, by its own state. */
import { hexToBin } from '@bitauth/libauth';
import { addressOfHash } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { StrayThread } from '../../covenant/stray.js';
import { checkReserve, notRecoverable, type StrayTerms } from '../../covenant/stray-terms.js';
import type { PlanRecord } from './plan.js';
import { amountBetween, checkReleasable, releasableAt } from './rules.js';
import { CHAIN_FLAGS, CHAIN_STATUS, readState } from './state.js';
import { buildCancel, buildRelease } from './transactions.js';

/** The plan as if it stood on a stray thread with `remaining` left in its pool. */
const standingOn = (
  plan: PlanRecord,
  { thread }: StrayThread,
  remaining: bigint,
  network: Network,
): PlanRecord => {
  const { status, current, anchor, pausedAt, recipient } = readState(thread.commitment);
  const isPaused = status === CHAIN_STATUS.paused;
  return {
    ...plan,
    thread,
    status: isPaused ? 'PAUSED' : 'ACTIVE',
    current_milestone: current,
    anchor,
    paused_at: isPaused ? pausedAt : null,
    recipient: addressOfHash(hexToBin(recipient), network).text,
    released_amount: plan.total_amount - remaining,
  };
};

/** The last milestone that can be released from a pool in BCH, whose sum may be a wrong one; the last one takes all. */
const affordable = (plan: PlanRecord, upTo: number, held: bigint): number => {
  const { current_milestone: current, milestones } = plan;
  let last = upTo;
  while (last > current && last < milestones.length && amountBetween(plan, current, last) > held) last -= 1;
  return last;
};

/** The terms of a stray thread of a plan. */
export const planStray = (plan: PlanRecord, stray: StrayThread, network: Network): StrayTerms => {
  const { budget_id: label, decimals, tokenCategory } = plan;
  const { held, thread } = stray;
  const { current, flags } = readState(thread.commitment);
  const twin = standingOn(plan, stray, held, network);
  return {
    label,
    decimals,
    sender: plan.creator,
    recipient: twin.recipient,
    isCancelable: (flags & CHAIN_FLAGS.cancelable) !== 0,
    owedAt: (now) => releasableAt(twin, now).amount,
    buildCancel: (spend, witness) => buildCancel({ ...spend, record: twin, network }, witness),
    buildClaim: (spend) => {
      const remaining = amountBetween(plan, current, plan.milestones.length);
      const { upTo } = checkReleasable(twin, spend.locktime);
      if (tokenCategory !== null) checkReserve(stray, { label, decimals }, remaining, network);
      const last = tokenCategory === null ? affordable(twin, upTo, held) : upTo;
      if (last === current)
        throw notRecoverable(label, stray, 'it holds less than the first milestone that is due');
      const standing = tokenCategory === null ? twin : standingOn(plan, stray, remaining, network);
      return {
        unsigned: buildRelease({ ...spend, record: standing, network }, last),
        amount: amountBetween(plan, current, last),
      };
    },
  };
};
