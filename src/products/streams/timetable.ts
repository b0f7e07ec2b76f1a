/** What time brings to streams. */
import { formatUnits, most } from '../../bch/amount.js';
import { PAYOUT_DUST } from '../../bch/transaction.js';
import { LIVE } from '../../record/pool-record.js';
import {
  defineTimetable,
  IDLE,
  runwayAgenda,
  tellAmount,
  together,
  type Agenda,
  type AskedTime,
} from '../../record/timetable.js';
import { figuresOf } from './kinds.js';
import { streams } from './product.js';
import { runwayOf } from './recurring.js';
import { remainingPool } from './rules.js';
import { decodeSchedule, scheduledTotal, vestedAt, type Segment } from './schedule.js';
import { CHAIN_STATUS, readState } from './state.js';
import { streamCollection, type StreamRecord } from './stream.js';

/** Of what vests all the time it is told when so many parts of the whole have vested: at every tenth. */
const SHARES = 10n;
/** What vests in shorter steps than this vests all the time, seconds. */
const SHORT_STEP = 3_600;

/**
 * Of what has vested after a time, as much as is worth telling: all of it, where it vests in steps; else what it was at
 * the last tenth of the whole, or at the begin of the segment. It never falls.
 */
export const toldStep = (segments: readonly Segment[], elapsed: number): bigint => {
  const { amount, segment } = vestedAt(segments, elapsed);
  const begun = segments[segment - 1];
  if (begun === undefined || begun.step === 0 || begun.step >= SHORT_STEP) return amount;
  const total = segments.at(-1)?.cumulative ?? 0n;
  const share = (amount * SHARES) / total;
  // The least that is so many tenths, rounded up as it is reached.
  return most(begun.cumulative, (share * total + SHARES - 1n) / SHARES);
};

/** The first second after the start, from one that is too early up to one that is not, at which so much was told. */
const firstAt = (segments: readonly Segment[], step: bigint, from: number, upTo: number): number => {
  let [early, late] = [from, upTo];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (toldStep(segments, middle) >= step) late = middle;
    else early = middle;
  }
  return late;
};

/** When, in seconds after the start, {@link toldStep} will first be more; null: never. */
export const nextToldStep = (segments: readonly Segment[], elapsed: number): number | null => {
  const now = toldStep(segments, elapsed);
  const end = segments.at(-1)?.offset ?? 0;
  return elapsed >= end || toldStep(segments, end) <= now ? null : firstAt(segments, now + 1n, elapsed, end);
};

/** So much was unlocked at last, then; and when more is. Unix seconds. */
type Steps = { readonly step: bigint; readonly at: number; readonly next: number | null };

const vestingSteps = (stream: StreamRecord, commitment: string, now: number): Steps => {
  const { status, start, pausedAt } = readState(commitment);
  const segments = decodeSchedule(stream.schedule);
  const isPaused = status === CHAIN_STATUS.paused;
  const elapsed = (isPaused ? pausedAt : now) - start;
  const next = isPaused ? null : nextToldStep(segments, elapsed);
  const step = toldStep(segments, elapsed);
  const at = step === 0n ? elapsed : firstAt(segments, step, -1, elapsed);
  return { step, at: start + at, next: next === null ? null : start + next };
};

/** Every interval that is funded is an unlock. */
const intervalSteps = (stream: StreamRecord, now: number): Steps => {
  const { vested: step, nextUnlock: next } = figuresOf(stream, now);
  const last = next === null ? runwayOf(stream) : next - (stream.interval_seconds ?? 0);
  return { step, at: Math.min(last ?? now, now), next };
};

const amountOf = ({ decimals, token_category }: StreamRecord, units: bigint) =>
  tellAmount(units, decimals, token_category);

/** Each unlock is told once, when there is something of it to be claimed. */
const unlocks = (stream: StreamRecord, { now, told }: AskedTime): Agenda => {
  const { thread, withdrawn_amount: withdrawn } = stream;
  if (thread === null) return IDLE;
  const { vested, claimable } = figuresOf(stream, now);
  const isByInterval = stream.stream_type === 'RECURRING';
  const { step, at, next } = isByInterval
    ? intervalSteps(stream, now)
    : vestingSteps(stream, thread.commitment, now);
  const type = 'stream.claimable';
  const before = most(BigInt(told[type] ?? 0), withdrawn);
  const least = stream.token_category === null ? PAYOUT_DUST : 1n;
  if (step <= before || claimable < least) return { moments: [], next };
  const total = isByInterval ? null : scheduledTotal(stream.schedule);
  const data = {
    ...amountOf(stream, claimable),
    vested: formatUnits(vested, stream.decimals),
    total: total === null ? null : formatUnits(total, stream.decimals),
  };
  return { moments: [{ type, at, mark: String(step), data }], next };
};

/** When what an open stream holds runs dry. */
const runway = (stream: StreamRecord, asked: AskedTime): Agenda => {
  const { refillable, status, thread, amount_per_interval: each } = stream;
  if (!refillable || status !== 'ACTIVE' || thread === null || each === null) return IDLE;
  return runwayAgenda(runwayOf(stream), asked, {
    ...amountOf(stream, remainingPool(stream)),
    perPeriod: formatUnits(each, stream.decimals),
  });
};

export const timetable = defineTimetable<StreamRecord>({
  kind: 'stream',
  collection: streamCollection,
  where: { live: LIVE },
  topic: streams.topic,
  agenda: (stream, asked) => together([unlocks(stream, asked), runway(stream, asked)]),
});
