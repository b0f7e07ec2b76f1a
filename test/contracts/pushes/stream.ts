/** Pushes of a Stream: each second and each unit around what they pay, and what anybody may try with them. */
import type { StreamState } from '../../../src/products/streams/state.js';
import type { Bound } from '../harness/bound.js';
import type { Attack, Move, Variation } from '../harness/cases.js';
import { ASSETS, NOW, type Asset } from '../harness/coins.js';
import { changeArgument, withoutThread, type Spend } from '../harness/spend.js';
import {
  allows,
  FIRST_TIME,
  joinAll,
  keepsSatoshis,
  LARGE,
  LATE,
  refuses,
  spendOf,
  type Boundaries,
  type Parts,
} from '../boundaries/spend-of.js';
import {
  begunAt,
  carry,
  FRESH,
  reserveAt,
  START,
  streamOf,
  totalOf,
  vestedAt,
  type Segment,
  type Terms as StreamTerms,
} from '../boundaries/stream.js';
import { edgeOf, lastPush, pushAttacks, pushMoves, pushOf } from './attacks.js';

type Segments = readonly Segment[];
type Terms = StreamTerms & {
  /** `pushMinimum`. */
  readonly least: bigint;
  readonly sibling?: boolean;
};

/** Growing in steps, flat, growing by the second, and from nothing at first. */
const SEGMENTS: Segments = [
  [1_000, 0n, 0],
  [2_000, 30_000n, 60],
  [2_600, 60_000n, 1],
  [3_000, 90_000n, 0],
];
const LINEAR: Segments = [
  [0, 0n, 1],
  [3_000, 90_000n, 0],
];
const LEAST = 1_000n;
const termsOf = (asset: Asset, segments = SEGMENTS, least = LEAST): Terms => ({ asset, segments, least });

const contractOf = ({ least, sibling = false, ...terms }: Terms): Bound =>
  streamOf(terms, sibling ? 9 : 8, least);

type Call = {
  readonly state?: StreamState;
  /** Unix seconds. */
  readonly now: number;
  readonly segment?: number;
  /** What is paid; all that has vested when it is not given. */
  readonly paid?: bigint;
};

const push = (terms: Terms, { state = FRESH, now, segment, paid }: Call): Parts => {
  const elapsed = now - state.start;
  const amount = paid ?? vestedAt(terms, elapsed) - state.released;
  const released = state.released + amount;
  const isLast = released === totalOf(terms);
  return pushOf({
    asset: terms.asset,
    amount: amount > 0n ? amount : 1n,
    contract: contractOf(terms),
    args: [BigInt(segment ?? begunAt(terms, elapsed))],
    before: carry(terms, state),
    after: isLast ? null : carry(terms, { ...state, released }),
    reserve: reserveAt(terms, state.released),
    left: isLast ? null : reserveAt(terms, released),
    now,
  });
};

const paying =
  (terms: Terms, call: Call) =>
  (variation: Variation = {}): Spend => {
    const { sibling = false, now = call.now } = variation;
    return { ...spendOf(push({ ...terms, sibling }, { ...call, now })), chainTime: NOW + 1 };
  };

const tooSmall = 'the amount is not below the minimum';
const nothing = 'the amount is positive';
/** Moves of which the attacks of every move are derived. */
export const streamPushes: readonly Move[] = ASSETS.flatMap((asset): Move[] => [
  {
    name: 'push › all that has vested',
    asset,
    kind: 'pays',
    atHeight: nothing,
    build: paying(termsOf(asset), { now: START + 2_500 }),
  },
  {
    name: 'push › the last unit ends the thread',
    asset,
    kind: 'ends',
    atHeight: nothing,
    build: paying(termsOf(asset), { now: START + 3_000, state: { ...FRESH, released: 60_000n } }),
  },
]);

/** Around every second at which a segment begins or a step ends. */
const seconds = (asset: Asset): Boundaries => {
  const terms = termsOf(asset, SEGMENTS, asset === 'BCH' ? 546n : 1n);
  const edge = edgeOf(asset);
  return joinAll(
    [
      999, 1_000, 1_001, 1_999, 2_000, 2_001, 2_059, 2_060, 2_599, 2_600, 2_601, 2_999, 3_000, 3_001, 9_000,
    ].map((elapsed) => {
      const now = START + elapsed;
      const vested = vestedAt(terms, elapsed);
      const number = begunAt(terms, elapsed);
      const numbered = (segment: number, refusedBy: string): Attack =>
        refuses(
          'segment',
          refusedBy,
          edge(`${elapsed} seconds, segment ${segment}`, () => push(terms, { now, segment, paid: 2_000n })),
        );
      return {
        moves: vested > 0n ? [allows(edge(`${elapsed} seconds`, () => push(terms, { now })))] : [],
        attacks: [
          ...(number < SEGMENTS.length
            ? [numbered(number + 1, 'the segment has begun')]
            : [numbered(number + 1, 'vm: OP_SPLIT')]),
          ...(number > 0
            ? [numbered(number - 1, 'no later segment has begun')]
            : [numbered(-1, 'vm: OP_SPLIT')]),
          ...(vested > 0n && vested < totalOf(terms)
            ? [-1n, 1n].map((by) =>
                refuses(
                  'over-claim',
                  'output 0 carries the new state',
                  edge(`${elapsed} seconds, ${by} off`, () => push(terms, { now, paid: vested + by })),
                ),
              )
            : []),
          ...(vested === 0n
            ? [
                refuses(
                  'amount',
                  nothing,
                  edge(`${elapsed} seconds, before anything has vested`, () =>
                    push(terms, { now, paid: 2_000n }),
                  ),
                ),
              ]
            : []),
        ],
      };
    }),
  );
};

/** The least that is paid: that and no unit less, but for the last push. */
const leasts = (asset: Asset): Boundaries => {
  const edge = edgeOf(asset);
  const now = START + 2_000;
  const at = (least: bigint) => termsOf(asset, LINEAR, least);
  const almost = { ...FRESH, released: 89_999n };
  return {
    moves: [
      allows(edge('exactly the minimum', () => push(at(60_000n), { now }))),
      allows(edge('a unit above the minimum', () => push(at(59_999n), { now }))),
      allows(edge('the last unit, below the minimum', () => push(at(60_000n), { now: NOW, state: almost }))),
      allows(edge('all at once, below the minimum', () => push(at(2n ** 61n), { now: NOW }))),
      ...(asset === 'tokens'
        ? [
            allows(
              edge('a minimum of 1, for 1 unit', () =>
                push(at(1n), { now, state: { ...FRESH, released: 59_999n } }),
              ),
            ),
          ]
        : []),
    ],
    attacks: [
      refuses(
        'amount',
        tooSmall,
        edge('below the minimum, of which most is claimed', () =>
          push(at(1_001n), { now, state: { ...FRESH, released: 59_000n } }),
        ),
      ),
      refuses(
        'amount',
        tooSmall,
        edge('a unit below the minimum', () => push(at(60_001n), { now })),
      ),
      ...[0n, -1n].map((least) =>
        refuses(
          'terms',
          'the stream can be pushed',
          edge(`a minimum of ${least}`, () => push(at(least), { now })),
        ),
      ),
      refuses(
        'terms',
        'the stream can be pushed',
        edge('a minimum of 0, the last unit', () => push(at(0n), { now: NOW })),
      ),
      refuses(
        'amount',
        nothing,
        edge('a second time at the same second', () =>
          push(at(1n), { now, state: { ...FRESH, released: 60_000n }, paid: 2_000n }),
        ),
      ),
      refuses(
        'amount',
        nothing,
        edge('as of a time before the last claim', () =>
          push(at(1n), { now: now - 500, state: { ...FRESH, released: 60_000n }, paid: 2_000n }),
        ),
      ),
      refuses(
        'finished',
        nothing,
        edge('a stream that is all claimed', () =>
          push(at(1n), { now: NOW, state: { ...FRESH, released: 90_000n }, paid: 0n }),
        ),
      ),
    ],
  };
};

const standing = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const edge = edgeOf(asset);
  const paused = { ...FRESH, status: 1, pausedAt: START + 2_500 };
  const call = { now: START + 2_500 };
  const far = termsOf(asset, [
    [2_200_000_000, 20_000n, 1],
    [2_200_003_000, 60_000n, 0],
    [2_200_004_000, 90_000n, 0],
  ]);
  const large = termsOf(asset, [
    [0, LARGE[asset], 1],
    [1_002, 2n * LARGE[asset], 0],
    [3_000, 3n * LARGE[asset], 0],
  ]);
  return {
    moves: [
      allows(
        edge('an active state with a time of pause', () =>
          push(terms, { ...call, state: { ...FRESH, pausedAt: 7 } }),
        ),
      ),
      ...[0, 1_000, 2_999, 3_000, 3_500].map((elapsed) =>
        allows(
          edge(`${elapsed} seconds into a date behind 2038`, () =>
            push(far, {
              now: FIRST_TIME + 2_200_000_000 + elapsed,
              state: { ...FRESH, start: FIRST_TIME, released: elapsed === 0 ? 0n : 10_000n },
            }),
          ),
        ),
      ),
      ...[0n, LARGE[asset] / 2n].map((released) =>
        allows(
          edge(`amounts of 8 bytes, ${released} released`, () =>
            push(large, { now: START + 501, state: { ...FRESH, released } }),
          ),
        ),
      ),
      allows(edge('an old locktime', () => push(terms, { now: START + 2_000 }))),
      allows(
        edge('at the first second that is a time', () =>
          push(terms, { now: FIRST_TIME, state: { ...FRESH, start: FIRST_TIME - 2_500 } }),
        ),
      ),
      allows(
        edge('a start behind 2038', () =>
          push(terms, { now: LATE + 2_500, state: { ...FRESH, start: LATE } }),
        ),
      ),
      allows(
        edge('a stream that nobody can cancel', () =>
          push(terms, { ...call, state: { ...FRESH, flags: 0 } }),
        ),
      ),
      allows(
        edge('amounts of 8 bytes', () => {
          const large = LARGE[asset];
          const segments: Segments = [
            [0, large, 1],
            [1_002, 2n * large, 0],
            [3_000, 3n * large, 0],
          ];
          return push(termsOf(asset, segments, large), { now: START + 1_500 });
        }),
      ),
    ],
    attacks: [
      refuses(
        'segment',
        'the segment has begun',
        edge('a second before a date behind 2038, its segment', () =>
          push(far, {
            now: FIRST_TIME + 2_199_999_999,
            state: { ...FRESH, start: FIRST_TIME },
            segment: 1,
            paid: 20_000n,
          }),
        ),
      ),
      refuses(
        'segment',
        'no later segment has begun',
        edge('at a date behind 2038, the segment before', () =>
          push(far, {
            now: FIRST_TIME + 2_200_003_000,
            state: { ...FRESH, start: FIRST_TIME },
            segment: 1,
            paid: 60_000n,
          }),
        ),
      ),
      refuses(
        'segment',
        'the segment has begun',
        edge('a second before the start, the first segment, which begins with it', () =>
          push(
            termsOf(asset, [
              [0, 30_000n, 0],
              [3_000, 90_000n, 0],
            ]),
            { now: START - 1, segment: 1, paid: 30_000n },
          ),
        ),
      ),
      refuses(
        'status',
        'the stream is active',
        edge('while paused', () => push(terms, { ...call, state: paused })),
      ),
      refuses(
        'status',
        'the stream is active',
        edge('while paused, long after', () => push(terms, { now: NOW, state: paused })),
      ),
      refuses(
        'status',
        'the stream is active',
        edge('another status', () => push(terms, { ...call, state: { ...FRESH, status: 2 } })),
      ),
      refuses('length', 'vm: OP_MUL', {
        ...edge('a segment in a longer encoding', () => push(terms, call)),
        change: (spend) => changeArgument(spend, 0, Uint8Array.of(2, 0)),
      }),
      refuses('finished', 'vm: OP_SPLIT', {
        ...edge('a coin at the address that carries no thread', () => push(terms, call)),
        change: withoutThread,
      }),
    ],
  };
};

const tried = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const alive = {
    name: 'push',
    asset,
    parts: () => push(terms, { now: START + 2_700, state: { ...FRESH, released: 10_000n } }),
  };
  const last = {
    name: 'push › the last',
    asset,
    parts: () => push(terms, { now: NOW, state: { ...FRESH, released: 10_000n } }),
  };
  return joinAll([
    { moves: pushMoves(alive), attacks: pushAttacks(alive) },
    { moves: pushMoves(last), attacks: pushAttacks(last) },
    lastPush(last),
    ...(asset === 'tokens' ? [keepsSatoshis('push', alive.parts)] : []),
  ]);
};

const all = joinAll(
  ASSETS.flatMap((asset) => [seconds(asset), leasts(asset), standing(asset), tried(asset)]),
);

export const streamPushMoves: readonly Move[] = all.moves;
export const streamPushAttacks: readonly Attack[] = all.attacks;

/** The shape with so many segments, for the sizes. */
export const sizedPush = (asset: Asset, count: number) => (): Spend => {
  const segments: Segments = Array.from({ length: count }, (_, index) => [
    index * 1_000,
    (100_000n * BigInt(index)) / BigInt(count - 1),
    index === count - 1 ? 0 : 60,
  ]);
  return spendOf(push(termsOf(asset, segments), { now: NOW, state: { ...FRESH, released: 1n } }));
};
