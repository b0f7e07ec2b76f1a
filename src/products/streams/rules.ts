/** The rules of streams: pure, with time and amounts as arguments. */
import { formatUnits } from '../../bch/amount.js';
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

/** What has vested by a state of the covenant at `now`, and the segment that it asks for. A paused stream stands still. */
export const vestedInState = (
  schedule: string,
  { status, start, pausedAt }: Pick<StreamState, 'status' | 'start' | 'pausedAt'>,
  now: number,
): Vested => vestedAt(decodeSchedule(schedule), (status === CHAIN_STATUS.paused ? pausedAt : now) - start);

/** How far a vesting stream with a live thread is. */
export const vestingFigures = (stream: StreamRecord, commitment: string, now: number): Figures => {
  const state = readState(commitment);
  const { status, start, released } = state;
  const { amount: vested } = vestedInState(stream.schedule, state, now);
  const isPaused = status === CHAIN_STATUS.paused;
  const next = isPaused ? null : nextUnlock(decodeSchedule(stream.schedule), now - start);
  return { vested, claimable: vested - released, nextUnlock: next === null ? null : start + next };
};

/** The share of what was put in that has vested, in percent with two decimals, rounded down. */
export const progressOf = (stream: StreamRecord, vested: bigint): number =>
  Number((vested * 10_000n) / fundedTotal(stream)) / 100;

/**
 * The amount that a claim takes: all that is claimable, or the part that was asked for.
 *
 * @param asset what amounts are called
 * @throws nothing_claimable with `nextUnlock`, amount_exceeds_claimable
 */
export const claimAmount = (
  { stream_id: label, decimals }: Pick<StreamRecord, 'stream_id' | 'decimals'>,
  { claimable, nextUnlock }: Figures,
  asked: bigint | null,
  asset: string,
): bigint => {
  if (claimable === 0n) throw new TreasuryError('nothing_claimable', { label, nextUnlock });
  if (asked === null || asked <= claimable) return asked ?? claimable;
  throw new TreasuryError('amount_exceeds_claimable', {
    asset,
    amount: formatUnits(asked, decimals),
    claimable: formatUnits(claimable, decimals),
  });
};

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
