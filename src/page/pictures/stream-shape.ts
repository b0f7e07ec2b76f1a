/** What of a stream lies where in time: its curve with the pauses that were, what was claimed, and now. */
import { amountAt, below, cut, type Corner } from './steps.js';

/** Of the reply of `GET /api/streams/:id`. Amounts are in the smallest unit, times in unix seconds. */
export type StreamShown = {
  readonly stream: {
    readonly stream_id: string;
    readonly status: string;
    readonly total_amountOnChain: string;
    readonly withdrawn_amountOnChain: string;
    readonly returned_amountOnChain: string;
    readonly claimable_amountOnChain: string;
    readonly shift_seconds: number;
    readonly next_unlock: number | null;
    readonly decimals: number;
    readonly updated_at: number;
  };
  readonly chainTime: number;
  readonly curve: readonly { readonly time: number; readonly amountOnChain: string }[];
  readonly pauses: readonly {
    readonly from: number;
    readonly until: number | null;
    readonly movedBySeconds: number | null;
  }[];
  /** Newest first. */
  readonly claims: readonly {
    readonly recipient: string;
    readonly to_address: string;
    readonly amountOnChain: string;
    readonly claimed_at: number;
    readonly tx_hash: string;
  }[];
  readonly events: readonly { readonly event_type: string; readonly created_at: number }[];
};

/** A claim, and what had been claimed with it. */
export type Claim = {
  readonly number: number;
  readonly time: number;
  readonly amount: bigint;
  readonly sum: bigint;
  readonly by: string;
  readonly to: string;
};

export type StreamShape = {
  /** The curve as it was and will be: it stands still in pauses. One that lasts is drawn as if it ended now. */
  readonly curve: readonly Corner[];
  /** Up to now, or to the end of one that was cancelled. */
  readonly until: number;
  readonly total: bigint;
  readonly claimed: bigint;
  readonly claimable: bigint;
  readonly claims: readonly Claim[];
  /** Claimed before the first of them: answers have the latest alone. */
  readonly earlier: bigint;
  readonly pauses: readonly { readonly from: number; readonly until: number; readonly lasts: boolean }[];
};

type Gap = { readonly from: number; readonly until: number; readonly movedBy: number };

/** A curve with a pause: what comes after its begin comes later, and between them nothing grows. */
const paused = (curve: readonly Corner[], { from, until, movedBy }: Gap): readonly Corner[] => {
  const amount = amountAt(curve, from);
  const isAfter = ({ time }: Corner) => time > from;
  return [
    ...curve.filter((corner) => !isAfter(corner)),
    { time: from, amount },
    { time: Math.max(from, Math.min(until, from + movedBy)), amount },
    ...curve.filter(isAfter).map((corner) => ({ ...corner, time: corner.time + movedBy })),
  ];
};

/** The curve as it was: that of the reply is later by all pauses together, also where it lies before them. */
const unfold = ({ stream, curve: shown, pauses, chainTime }: StreamShown): readonly Corner[] => {
  const corners = shown.map(({ time, amountOnChain }) => ({ time, amount: BigInt(amountOnChain) }));
  const ended = pauses.filter(({ until }) => until !== null);
  const moved = ended.reduce((sum, { movedBySeconds }) => sum + (movedBySeconds ?? 0), 0);
  const isKnown =
    moved === stream.shift_seconds && ended.every(({ movedBySeconds }) => movedBySeconds !== null);
  const early = isKnown ? corners.map((corner) => ({ ...corner, time: corner.time - moved })) : corners;
  return pauses.reduce<readonly Corner[]>((curve, { from, until, movedBySeconds }) => {
    if (until !== null && !isKnown) return curve;
    const end = until ?? Math.max(from, chainTime);
    return paused(curve, { from, until: end, movedBy: until === null ? end - from : (movedBySeconds ?? 0) });
  }, early);
};

/** When it ended, where that was before its curve did; else now. */
const untilOf = ({ stream: { status, updated_at: changed }, chainTime, events }: StreamShown): number =>
  status === 'CANCELLED'
    ? (events.find(({ event_type: type }) => type === 'cancelled')?.created_at ?? changed)
    : chainTime;

const claimsOf = ({ claims, stream }: StreamShown) => {
  const claimed = BigInt(stream.withdrawn_amountOnChain);
  const known = claims.reduce((sum, { amountOnChain }) => sum + BigInt(amountOnChain), 0n);
  const earlier = claimed > known ? claimed - known : 0n;
  let sum = earlier;
  const told = claims
    .toReversed()
    .map(({ amountOnChain, claimed_at: time, recipient, to_address: to }, index) => {
      const amount = BigInt(amountOnChain);
      sum += amount;
      return { number: index + 1, time, amount, sum, by: recipient, to };
    });
  return { claims: told, earlier, claimed };
};

/** What of a stream lies where in time. */
export const shapeOfStream = (shown: StreamShown): StreamShape => ({
  curve: unfold(shown),
  until: untilOf(shown),
  total: BigInt(shown.stream.total_amountOnChain),
  claimable: BigInt(shown.stream.claimable_amountOnChain),
  ...claimsOf(shown),
  pauses: shown.pauses.map(({ from, until }) => ({
    from,
    until: until ?? Math.max(from, shown.chainTime),
    lasts: until === null,
  })),
});

/**
 * What had been claimed at each time, never more than had vested: before the first claim that is known it follows the curve,
 * as far as was claimed by then.
 */
export const claimedLine = (
  { curve, claims, earlier, until }: StreamShape,
  first: number,
): readonly Corner[] => {
  const begin = Math.min(until, claims[0]?.time ?? until);
  const before = earlier === 0n ? [{ time: first, amount: 0n }] : cut(curve, first, begin);
  const line: Corner[] = [...below(before, earlier)];
  let sum = earlier;
  for (const claim of claims) {
    const time = Math.min(claim.time, until);
    line.push({ time, amount: sum }, { time, amount: claim.sum });
    sum = claim.sum;
  }
  return [...line, { time: until, amount: sum }];
};
