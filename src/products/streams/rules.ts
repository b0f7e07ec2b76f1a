/** The rules of streams: pure, with time and amounts as arguments. */
import { BCH_DECIMALS, formatUnits } from '../../bch/amount.js';
import { PAYOUT_DUST } from '../../bch/transaction.js';
import { TreasuryError } from '../../errors.js';
import { decodeSchedule, nextUnlock, vestedAt, type Vested } from './schedule.js';
import { CHAIN_STATUS, readState, type StreamState } from './state.js';
import type { StreamRecord } from './stream.js';

/** What is or was put in, smallest unit. */
export const fundedTotal = ({
  total_amount,
  refilled_amount,
}: Pick<StreamRecord, 'total_amount' | 'refilled_amount'>): bigint => total_amount + refilled_amount;

/** What the covenant still holds, smallest unit; 0 before funding and after the end. */
export const remainingPool = (stream: StreamRecord): bigint =>
  stream.thread === null ? 0n : fundedTotal(stream) - stream.withdrawn_amount - stream.returned_amount;

/** How far a stream is at a time. Amounts in the smallest unit. */
export type Figures = {
  readonly vested: bigint;
  /** Vested and not yet paid: what a claim can take now. */
  readonly claimable: bigint;
  /** Unix seconds at which more will have vested; null when nothing more will, or not while it is PAUSED. */
  readonly nextUnlock: number | null;
};

/** The time that counts for a state: a paused stream stands still. */
const countedTime = ({ status, pausedAt }: StreamState, now: number): number =>
  status === CHAIN_STATUS.paused ? pausedAt : now;

/** What has vested by a state of the covenant at `now`, and the segment that the covenant asks for. */
export const vestedInState = (schedule: string, state: StreamState, now: number): Vested =>
  vestedAt(decodeSchedule(schedule), countedTime(state, now) - state.start);

/** How far a vesting stream with a live thread is. */
export const vestingFigures = (stream: StreamRecord, commitment: string, now: number): Figures => {
  const state = readState(commitment);
  const { amount } = vestedInState(stream.schedule, state, now);
  const next =
    state.status === CHAIN_STATUS.paused
      ? null
      : nextUnlock(decodeSchedule(stream.schedule), now - state.start);
  return {
    vested: amount,
    claimable: amount - state.released,
    nextUnlock: next === null ? null : state.start + next,
  };
};

/** How far a stream without a thread is: it waits for its funding, or has ended. */
export const endedFigures = (stream: StreamRecord): Figures => ({
  vested: stream.withdrawn_amount,
  claimable: 0n,
  nextUnlock: null,
});

/** The share of what was put in that has vested, in percent with two decimals, rounded down. */
export const progressOf = (stream: StreamRecord, vested: bigint): number =>
  Number((vested * 10_000n) / fundedTotal(stream)) / 100;

/**
 * The amount that a claim takes: all that is claimable, or the part that was asked for.
 *
 * @throws nothing_claimable with `nextUnlock`, amount_exceeds_claimable
 */
export const claimAmount = (
  { stream_id: label, decimals }: Pick<StreamRecord, 'stream_id' | 'decimals'>,
  { claimable, nextUnlock }: Figures,
  asked: bigint | null,
): bigint => {
  if (claimable === 0n) {
    throw new TreasuryError('nothing_claimable', { label, nextUnlock });
  }
  if (asked === null || asked <= claimable) return asked ?? claimable;
  throw new TreasuryError('amount_exceeds_claimable', {
    amount: formatUnits(asked, decimals),
    claimable: formatUnits(claimable, decimals),
  });
};

/** `amount_below_dust`: an amount of BCH is too small for an output of its own. Source: covenants rule 13. */
export const belowDust = (field: string, amount: bigint): TreasuryError =>
  new TreasuryError('amount_below_dust', {
    field,
    amount: formatUnits(amount, BCH_DECIMALS),
    minimum: formatUnits(PAYOUT_DUST, BCH_DECIMALS),
  });

/** Checks that an amount is a whole number of intervals, where a stream pays by intervals. @throws invalid_amount */
export const checkWholeIntervals = (
  { amount_per_interval: perInterval, decimals }: Pick<StreamRecord, 'amount_per_interval' | 'decimals'>,
  amount: bigint,
  field: string,
): void => {
  if (perInterval === null || amount % perInterval === 0n) return;
  throw new TreasuryError('invalid_amount', {
    field,
    value: formatUnits(amount, decimals),
    expected: `a whole number of intervals of ${formatUnits(perInterval, decimals)}`,
  });
};
