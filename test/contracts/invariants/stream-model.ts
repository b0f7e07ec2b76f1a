/** Streams: random terms, and the moves that may be tried, with what the second implementation says of each. */
import { binToHex, hexToBin } from '@bitauth/libauth';
import fc from 'fast-check';
import { bind } from '../harness/bound.js';
import { ASSETS, categoryOf, type Asset } from '../harness/coins.js';
import { authority, outsider, owner, recipient, type Party } from '../harness/parties.js';
import { segmentLayout, streamLayout } from '../stream.cases.js';
import { askedAmount, askedNumber, type Attempt, type Covenant, type Order } from './covenant.js';
import { begunAt, hasVested, vestedBy, type Segment } from './exact.js';
import { anyFlags, anyId, anyLeast, anyStart, ascending, largestPool } from './numbers.js';

export type StreamTerms = {
  readonly asset: Asset;
  /** 32 bytes. */
  readonly id: Uint8Array;
  readonly segments: readonly Segment[];
  readonly start: number;
  readonly flags: number;
  /** `pushMinimum`; 0: no push. */
  readonly least: bigint;
};

export type StreamState = {
  readonly status: number;
  readonly released: bigint;
  readonly start: number;
  readonly pausedAt: number;
  readonly recipient: string;
  readonly flags: number;
};

/** Schedules of every shape: few units or many, short or long, with cliffs, flat parts, steps and jumps. */
export const anySegments = (most: bigint): fc.Arbitrary<readonly Segment[]> =>
  fc.integer({ min: 1, max: 6 }).chain((count) =>
    fc
      .record({
        offsets: ascending(count, 40_000_000),
        cumulative: fc.array(fc.bigInt({ min: 0n, max: most }), { minLength: count, maxLength: count }),
        steps: fc.array(fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 1, max: 100_000 })), {
          minLength: count,
          maxLength: count,
        }),
        total: fc.bigInt({ min: 1n, max: most }),
      })
      .map(({ offsets, cumulative, steps, total }) => {
        const rising = cumulative
          .map((value) => (value * total) / (most + 1n))
          .sort((a, b) => (a < b ? -1 : Number(a > b)));
        return offsets.map((offset, index) => {
          const isLast = index === count - 1;
          return {
            offset: isLast ? Math.max(offset, 1) : offset,
            cumulative: isLast ? total : (rising[index] ?? 0n),
            step: isLast ? 0 : (steps[index] ?? 0),
          };
        });
      }),
  );

export const anyStreamTerms: fc.Arbitrary<StreamTerms> = fc.constantFrom(...ASSETS).chain((asset) =>
  fc.record({
    asset: fc.constant(asset),
    id: anyId,
    segments: fc.oneof(anySegments(2_000n), anySegments(largestPool(asset))),
    start: anyStart,
    flags: anyFlags(1, 2),
    least: anyLeast(asset),
  }),
);

/** The segments as the contract's parameter. */
export const encodeSegments = (segments: readonly Segment[]): Uint8Array =>
  hexToBin(segments.map(segmentLayout.encode).join(''));

const totalOf = (segments: readonly Segment[]): bigint => segments.at(-1)?.cumulative ?? 0n;

/** Who holds the claim: it goes back and forth between two people. */
const holderOf = ({ recipient: hash }: StreamState): Party =>
  hash === binToHex(recipient.hash) ? recipient : outsider;

const timeOf = ({ status, pausedAt }: StreamState, now: number): number => (status === 1 ? pausedAt : now);

const keeps = { pays: [], adds: 0n, opens: false } as const;
const SENDER = [owner.publicKey, { sign: owner }] as const;
const WITNESSED = [...SENDER, authority.publicKey, { sign: authority }] as const;

type Tried = (
  terms: StreamTerms,
  state: StreamState,
  order: Order,
  now: number,
) => Omit<Attempt<StreamState>, 'call'>;

/**
 * What a contract that did not ask which segment is the last begun would take to have vested: a segment's line goes
 * on before its begin and behind its end.
 */
const vestedOn = (segments: readonly Segment[], number: number, elapsed: number): bigint => {
  const begun = segments[number - 1];
  const next = segments[number];
  if (begun === undefined) return 0n;
  if (next === undefined || begun.step === 0) return begun.cumulative;
  const time = elapsed - begun.offset;
  const grown = (next.cumulative - begun.cumulative) * BigInt(time - (time % begun.step));
  const vested = begun.cumulative + grown / BigInt(next.offset - begun.offset);
  const total = totalOf(segments);
  return vested > total ? total : vested;
};

/** The segment that an order names, and what has vested by it. */
const readSchedule = ({ segments }: StreamTerms, order: Order, elapsed: number) => {
  const right = begunAt(segments, elapsed);
  const number = askedNumber(order, right, segments.length);
  const isRight = number === right;
  return {
    number: BigInt(number),
    isRight,
    vested: isRight ? vestedBy(segments, elapsed) : vestedOn(segments, number, elapsed),
  };
};

const claim: Tried = (terms, state, order, now) => {
  const { segments } = terms;
  const elapsed = timeOf(state, now) - state.start;
  const { number, isRight, vested } = readSchedule(terms, order, elapsed);
  const by = holderOf(state);
  const amount = askedAmount(order, vested - state.released);
  const released = state.released + amount;
  const left = totalOf(segments) - released;
  return {
    args: [by.publicKey, { sign: by }, amount, number],
    after: left === 0n ? null : { ...state, released: released < 0n ? 0n : released },
    pays: [{ to: by.lock, amount }],
    adds: 0n,
    opens: true,
    by,
    isWitnessed: false,
    isAllowed: isRight && amount > 0n && hasVested(segments, elapsed, released),
  };
};

const transfer: Tried = (_, state) => {
  const by = holderOf(state);
  const next = by === recipient ? outsider : recipient;
  return {
    ...keeps,
    args: [by.publicKey, { sign: by }, next.hash],
    after: { ...state, recipient: binToHex(next.hash) },
    by,
    isWitnessed: false,
    isAllowed: (state.flags & 2) !== 0,
  };
};

const pause: Tried = (_, state, __, now) => ({
  ...keeps,
  args: WITNESSED,
  after: { ...state, status: 1, pausedAt: now },
  by: owner,
  isWitnessed: true,
  isAllowed: state.status === 0 && (state.flags & 1) !== 0,
});

const resume: Tried = (_, state, __, now) => ({
  ...keeps,
  args: SENDER,
  after: { ...state, status: 0, start: state.start + now - state.pausedAt, pausedAt: 0 },
  by: owner,
  isWitnessed: false,
  isAllowed: state.status === 1 && now >= state.pausedAt,
});

const cancel: Tried = (terms, state, order, now) => {
  const elapsed = timeOf(state, now) - state.start;
  const { number, isRight, vested } = readSchedule(terms, order, elapsed);
  const owed = !isRight && vested < state.released ? 0n : vested - state.released;
  return {
    args: [...WITNESSED, number],
    after: null,
    pays: [
      { to: holderOf(state).lock, amount: owed },
      { to: owner.lock, amount: totalOf(terms.segments) - state.released - owed },
    ],
    adds: 0n,
    opens: true,
    by: owner,
    isWitnessed: true,
    isAllowed: isRight && (state.flags & 1) !== 0,
  };
};

/** All that has vested by the segment that the order names; how much is nothing that it could say. */
const push: Tried = (terms, state, order, now) => {
  const { segments, least } = terms;
  const { number, isRight, vested } = readSchedule(terms, order, now - state.start);
  const amount = vested - state.released;
  const isLast = vested === totalOf(segments);
  return {
    args: [number],
    after: isLast ? null : { ...state, released: vested < state.released ? state.released : vested },
    pays: [{ to: holderOf(state).lock, amount }],
    adds: 0n,
    opens: true,
    by: owner,
    isWitnessed: false,
    isPush: true,
    isAllowed: state.status === 0 && least > 0n && isRight && amount > 0n && (amount >= least || isLast),
  };
};

const TRIED: Readonly<Record<string, Tried>> = { claim, push, transfer, pause, resume, cancel };

/** A stream of some terms. */
export const streamCovenant = (terms: StreamTerms): Covenant<StreamState> => {
  const { asset, segments, start } = terms;
  const last = segments.at(-1)?.offset ?? 0;
  return {
    name: 'stream',
    asset,
    contract: bind('stream', [
      terms.id,
      owner.hash,
      authority.hash,
      categoryOf(asset),
      encodeSegments(segments),
      terms.least,
    ]),
    calls: [
      'claim',
      'claim',
      'claim',
      'push',
      'push',
      'transfer',
      'pause',
      'pause',
      'resume',
      'resume',
      'resume',
      'cancel',
    ],
    first: {
      status: 0,
      released: 0n,
      start,
      pausedAt: 0,
      recipient: binToHex(recipient.hash),
      flags: terms.flags,
    },
    span: { from: start, to: start + last },
    encode: (state) => streamLayout.encode({ ...state, start: Math.max(state.start, 0) }),
    decode: (commitment) => {
      const state = streamLayout.decode(commitment);
      if (state === null) throw new Error(`${commitment} is no state of a stream`);
      return state;
    },
    remaining: ({ released }) => totalOf(segments) - released,
    boundaries: (state) => [
      ...segments.map(({ offset }) => state.start + offset),
      ...segments.filter(({ step }) => step > 0).map(({ offset, step }) => state.start + offset + step),
    ],
    attempt: (state, order, now) => {
      const tried = TRIED[order.call];
      if (tried === undefined) throw new Error(`a stream has no ${order.call}`);
      return { call: order.call, ...tried(terms, state, order, now) };
    },
  };
};
