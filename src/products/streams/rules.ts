/** The rules of streams: pure, with time and amounts as arguments. */
import { BCH_DECIMALS, formatUnits } from '../../bch/amount.js';
import { PAYOUT_DUST } from '../../bch/transaction.js';
import { TreasuryError } from '../../errors.js';
import { decodeSchedule, nextUnlock, vestedAt, type Vested } from './schedule.js';
import { CHAIN_STATUS, readState, type StreamState } from './state.js';
import { STREAM_MOVES, type StreamMove, type StreamRecord } from './stream.js';

type Labelled = Pick<StreamRecord, 'stream_id'>;

/** Checks that a move may start. @throws wrong_state */
export const checkStatus = (stream: Labelled & Pick<StreamRecord, 'status'>, move: StreamMove): void => {
  const allowed: readonly string[] = STREAM_MOVES[move];
  if (allowed.includes(stream.status)) return;
  throw new TreasuryError('wrong_state', { label: stream.stream_id, status: stream.status, allowed });
};

/**
 * Checks that somebody is the sender. Nobody named passes: only where what is built changes nothing until the sender has
 * signed it (a refill), never where the authority signs.
 *
 * @throws not_sender
 */
export const checkSender = ({ sender }: Pick<StreamRecord, 'sender'>, caller: string | null): void => {
  if (caller !== null && sender !== caller) throw new TreasuryError('not_sender', { sender, caller });
};

/** Checks that somebody is the present recipient, as {@link checkSender} does. @throws not_recipient */
export const checkRecipient = (
  { recipient }: Pick<StreamRecord, 'recipient'>,
  caller: string | null,
): void => {
  if (caller !== null && recipient !== caller)
    throw new TreasuryError('not_recipient', { recipient, caller });
};

/** Pause and cancel both need the flag: whoever may not take money back may not stop it. @throws not_cancelable (covenants rule 15) */
export const checkCancelable = ({
  stream_id,
  cancelable,
}: Labelled & Pick<StreamRecord, 'cancelable'>): void => {
  if (!cancelable) throw new TreasuryError('not_cancelable', { label: stream_id });
};

/** @throws not_transferable */
export const checkTransferable = ({
  stream_id,
  transferable,
}: Labelled & Pick<StreamRecord, 'transferable'>): void => {
  if (!transferable) throw new TreasuryError('not_transferable', { label: stream_id });
};

/** @throws not_refillable */
export const checkRefillable = ({
  stream_id,
  refillable,
}: Labelled & Pick<StreamRecord, 'refillable'>): void => {
  if (!refillable) throw new TreasuryError('not_refillable', { label: stream_id });
};

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
  { stream_id: label, decimals }: Labelled & Pick<StreamRecord, 'decimals'>,
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
