/** Stream at the edges of its rules: each second, each unit, each count on either side of every comparison. */
import { binToHex, hexToBin } from '@bitauth/libauth';
import { commitment } from '../../../src/bch/commitment.js';
import { streamState, type StreamState } from '../../../src/products/streams/state.js';
import { bind, type Bound } from '../harness/bound.js';
import type { Attack, Move } from '../harness/cases.js';
import { ASSETS, categoryOf, DUST, NOW, payment, plain, type Asset } from '../harness/coins.js';
import { authority, outsider, owner, recipient } from '../harness/parties.js';
import type { Output } from '../harness/spend.js';
import {
  allows,
  asksForTime,
  endsWith,
  FIRST_TIME,
  joinAll,
  keepsReserve,
  keepsSatoshis,
  keepsWith,
  LARGE,
  LATE,
  pins,
  refuses,
  small,
  type Boundaries,
  type Carried,
  type Parts,
} from './spend-of.js';

const layout = commitment({ offset: 'u40', cumulative: 'u64', step: 'u32' });
export type Segment = readonly [offset: number, cumulative: bigint, step: number];
export type Terms = { readonly asset: Asset; readonly segments: readonly Segment[] };

const LARGEST_STEP = 2 ** 31 - 1;

/** Every kind of segment behind every other: growing by the second and in steps, flat, from nothing and from something. */
const SEGMENTS: Readonly<Record<string, readonly Segment[]>> = {
  linear: [
    [0, 0n, 1],
    [3_000, 90_000n, 0],
  ],
  'from something': [
    [0, 30_000n, 1],
    [3_000, 90_000n, 0],
  ],
  steps: [
    [0, 0n, 60],
    [3_000, 90_000n, 0],
  ],
  mixed: [
    [1_000, 9_000n, 0],
    [2_000, 30_000n, 60],
    [2_600, 60_000n, 1],
    [3_000, 90_000n, 0],
  ],
  'nothing at first': [
    [1_000, 0n, 0],
    [2_000, 30_000n, 7],
    [3_000, 90_000n, 0],
  ],
  'at once': [
    [0, 30_000n, 0],
    [1, 90_000n, 0],
  ],
  'a step without end': [
    [500, 30_000n, LARGEST_STEP],
    [3_000, 90_000n, 0],
  ],
};

/** @param least `pushMinimum` */
export const streamOf = ({ asset, segments }: Terms, id = 6, least = 0n): Bound =>
  bind('stream', [
    new Uint8Array(32).fill(id),
    owner.hash,
    authority.hash,
    categoryOf(asset),
    hexToBin(
      segments.map(([offset, cumulative, step]) => layout.encode({ offset, cumulative, step })).join(''),
    ),
    least,
  ]);

export const totalOf = ({ segments }: Terms): bigint => segments.at(-1)?.[1] ?? 0n;
export const begunAt = ({ segments }: Terms, elapsed: number): number =>
  segments.filter(([offset]) => offset <= elapsed).length;
export const vestedAt = (terms: Terms, elapsed: number): bigint => {
  const number = begunAt(terms, elapsed);
  const begun = terms.segments[number - 1];
  const next = terms.segments[number];
  if (begun === undefined) return 0n;
  const [offset, cumulative, step] = begun;
  if (step === 0 || next === undefined) return cumulative;
  const time = BigInt(elapsed - offset - ((elapsed - offset) % step));
  return cumulative + ((next[1] - cumulative) * time) / BigInt(next[0] - offset);
};

export const START = NOW - 5_000;
export const FRESH: StreamState = {
  status: 0,
  released: 0n,
  start: START,
  pausedAt: 0,
  recipient: binToHex(recipient.hash),
  flags: 3,
};
const paused = (state: StreamState, pausedAt: number): StreamState => ({ ...state, status: 1, pausedAt });

export const carry = (terms: Terms, state: StreamState): Carried => ({
  state: streamState.encode(state),
  satoshis: DUST + (terms.asset === 'BCH' ? totalOf(terms) - state.released : 0n),
});
export const reserveAt = (terms: Terms, released: bigint): bigint | null =>
  terms.asset === 'tokens' && totalOf(terms) > released ? totalOf(terms) - released : null;

const SENDER = [owner.publicKey, { sign: owner }] as const;
const WITNESSED = [...SENDER, authority.publicKey, { sign: authority }] as const;
const RECIPIENT = [recipient.publicKey, { sign: recipient }] as const;

const elapsedOf = ({ status, start, pausedAt }: StreamState, now: number): number =>
  (status === 1 ? pausedAt : now) - start;

type Call = { readonly state: StreamState; readonly now: number; readonly segment?: number };

/** A claim of `amount`; of all that has vested when it is not given. */
const claim = (terms: Terms, { state, now, segment }: Call, amount?: bigint): Parts => {
  const elapsed = elapsedOf(state, now);
  const asked = amount ?? vestedAt(terms, elapsed) - state.released;
  const released = state.released + asked;
  const isLast = released === totalOf(terms);
  return {
    contract: streamOf(terms),
    call: 'claim',
    args: [...RECIPIENT, asked, BigInt(segment ?? begunAt(terms, elapsed))],
    before: carry(terms, state),
    after: isLast || released < 0n || released > totalOf(terms) ? null : carry(terms, { ...state, released }),
    reserve: reserveAt(terms, state.released),
    left: isLast || released < 0n ? null : reserveAt(terms, released),
    now,
  };
};

const payoutOf = (asset: Asset, amount: bigint): Output =>
  asset === 'BCH'
    ? plain(recipient.lock, amount < 546n ? 546n : amount)
    : payment(asset, recipient.lock, amount);

/** A cancel that pays `paid` to the recipient; all that is owed when it is not given. */
const cancel = (terms: Terms, { state, now, segment }: Call, paid?: bigint): Parts => {
  const elapsed = elapsedOf(state, now);
  const pays = paid ?? vestedAt(terms, elapsed) - state.released;
  return {
    contract: streamOf(terms),
    call: 'cancel',
    args: [...WITNESSED, BigInt(segment ?? begunAt(terms, elapsed))],
    before: carry(terms, state),
    after: null,
    reserve: reserveAt(terms, state.released),
    outputs: [...(pays > 0n ? [payoutOf(terms.asset, pays)] : []), small()],
    now,
  };
};

const pause = (terms: Terms, state: StreamState, now: number): Parts => ({
  contract: streamOf(terms),
  call: 'pause',
  args: WITNESSED,
  before: carry(terms, state),
  after: carry(terms, { ...state, status: 1, pausedAt: now }),
  now,
});
const resume = (terms: Terms, state: StreamState, now: number): Parts => ({
  contract: streamOf(terms),
  call: 'resume',
  args: SENDER,
  before: carry(terms, state),
  after: carry(terms, { ...state, status: 0, start: state.start + now - state.pausedAt, pausedAt: 0 }),
  now,
});
const transfer = (terms: Terms, state: StreamState): Parts => ({
  contract: streamOf(terms),
  call: 'transfer',
  args: [...RECIPIENT, outsider.hash],
  before: carry(terms, state),
  after: carry(terms, { ...state, recipient: binToHex(outsider.hash) }),
});

const notBegun = 'the segment has begun';
const passedOver = 'no later segment has begun';
const notVested = 'the amount has vested';
const short = (asset: Asset): string =>
  asset === 'BCH' ? 'the recipient gets what is owed' : 'the recipient gets the tokens owed';

/** At a second, live or at a pause: all that has vested is claimed and paid out, and a unit more or less is not. */
const amountsAt = (terms: Terms, label: string, call: Call): Boundaries => {
  const { asset } = terms;
  const vested = vestedAt(terms, elapsedOf(call.state, call.now)) - call.state.released;
  const edge = (name: string, parts: () => Parts) => ({ name: `${name} › ${label}`, asset, parts });
  return {
    moves: [
      ...(vested > 0n ? [allows(edge('claim', () => claim(terms, call)))] : []),
      allows(edge('cancel', () => cancel(terms, call))),
    ],
    attacks: [
      refuses(
        'over-claim',
        notVested,
        edge('claim, 1 more', () => claim(terms, call, vested + 1n)),
      ),
      ...(vested > 600n
        ? [
            refuses(
              'payout',
              short(asset),
              edge('cancel, 1 less', () => cancel(terms, call, vested - 1n)),
            ),
          ]
        : []),
    ],
  };
};

/** At a second, live or at a pause: the segments before and behind the last begun are refused. */
const numbersAt = (terms: Terms, label: string, call: Call): Boundaries => {
  const { asset, segments } = terms;
  const number = begunAt(terms, elapsedOf(call.state, call.now));
  const edge = (name: string, parts: () => Parts) => ({ name: `${name} › ${label}`, asset, parts });
  const at = (segment: number, refusedBy: string): Attack[] => [
    refuses(
      'segment',
      refusedBy,
      edge(`claim, segment ${segment}`, () => claim(terms, { ...call, segment }, 1n)),
    ),
    refuses(
      'segment',
      refusedBy,
      edge(`cancel, segment ${segment}`, () => cancel(terms, { ...call, segment }, 0n)),
    ),
  ];
  return {
    moves: [],
    attacks: [
      ...(number < segments.length ? at(number + 1, notBegun) : []),
      ...(number > 0 ? at(number - 1, passedOver) : []),
    ],
  };
};

const momentsOf = ({ segments }: Terms): number[] => [
  ...new Set(
    segments.flatMap(([offset, , step]) => [
      offset - 1,
      offset,
      offset + 1,
      ...(step > 1 && step < LARGEST_STEP ? [offset + step - 1, offset + step] : []),
    ]),
  ),
];

/** Every segment's first second and those beside it, live and at a pause whose locktime says something else. */
const seconds = (asset: Asset): Boundaries[] =>
  Object.entries(SEGMENTS).flatMap(([shape, segments]) => {
    const terms = { asset, segments };
    return momentsOf(terms).flatMap((elapsed) => {
      const live = { state: FRESH, now: START + elapsed };
      const still = { state: paused(FRESH, START + elapsed), now: NOW + 40_000 };
      const label = `${shape}, ${elapsed} seconds`;
      return [
        amountsAt(terms, label, live),
        numbersAt(terms, label, live),
        ...(asset === 'BCH'
          ? []
          : [amountsAt(terms, `${label}, paused`, still), numbersAt(terms, `${label}, paused`, still)]),
      ];
    });
  });

/** A pause holds whatever the locktime says: none, or an old one. */
const whilePaused = (asset: Asset): Boundaries => {
  const terms = { asset, segments: SEGMENTS['mixed'] ?? [] };
  const state = paused(FRESH, START + 2_500);
  const edge = (name: string, parts: () => Parts) => ({ name, asset, parts });
  return {
    moves: [
      allows(edge('claim › while paused, no locktime', () => claim(terms, { state, now: 0 }))),
      allows(
        edge('claim › while paused, an old locktime', () => claim(terms, { state, now: START - 50_000 })),
      ),
      allows(
        edge('cancel › while paused, an old locktime', () => cancel(terms, { state, now: START - 50_000 })),
      ),
    ],
    attacks: [
      refuses(
        'status',
        notVested,
        edge('claim › while paused, what vested since', () => claim(terms, { state, now: NOW }, 60_000n)),
      ),
      refuses(
        'status',
        short(asset),
        edge('cancel › while paused, as of a time before', () =>
          cancel(terms, { state, now: START + 2_100 }, 31_000n),
        ),
      ),
    ],
  };
};

/** One unit owed is owed; one more than dust allows is more than what is owed, and dust is paid all the same. */
const smallest = (asset: Asset): Boundaries => {
  const terms = { asset, segments: SEGMENTS['linear'] ?? [] };
  const call = { state: { ...FRESH, released: 59_999n }, now: START + 2_000 };
  const parts = () => cancel(terms, call);
  const edge = (name: string, of: () => Parts) => ({ name, asset, parts: of });
  return joinAll([
    {
      moves: [
        allows(edge('claim › 1 unit', () => claim(terms, call))),
        allows(edge('cancel › 1 unit is owed', parts)),
        allows(
          edge('cancel › more is released than would have vested', () =>
            cancel(terms, { ...call, now: START + 1_000 }),
          ),
        ),
      ],
      attacks: [
        refuses(
          'payout',
          'output 0 goes to the recipient',
          edge('cancel › 1 unit is owed, and not paid', () => ({ ...parts(), outputs: [small()] })),
        ),
      ],
    },
    pins({ name: 'cancel', asset, parts, at: 0, what: 'the payout', attack: 'payout' }),
  ]);
};

const lateDates = (asset: Asset): Boundaries => {
  const far: Terms = {
    asset,
    segments: [
      [2_200_000_000, 30_000n, 1],
      [2_200_003_000, 60_000n, 0],
      [2_200_004_000, 90_000n, 0],
    ],
  };
  const near: Terms = { asset, segments: SEGMENTS['mixed'] ?? [] };
  const early = { ...FRESH, start: FIRST_TIME };
  const late = { ...FRESH, start: LATE };
  const at = (elapsed: number) => FIRST_TIME + 2_200_000_000 + elapsed;
  const edge = (name: string, parts: () => Parts): Move => allows({ name, asset, parts });
  const around = joinAll(
    [-1, 0, 1_000, 2_999, 3_000, 4_000].flatMap((elapsed) => {
      const label = `${elapsed} seconds into a date behind 2038`;
      const still = { state: paused(early, at(elapsed)), now: at(elapsed) };
      const calls = [
        [label, { state: early, now: at(elapsed) }] as const,
        [`${label}, paused`, still] as const,
      ];
      return calls.flatMap(([name, call]) => [amountsAt(far, name, call), numbersAt(far, name, call)]);
    }),
  );
  return {
    moves: [
      ...around.moves,
      edge('claim › a start behind 2038', () => claim(near, { state: late, now: LATE + 2_500 })),
      edge('cancel › a start behind 2038', () => cancel(near, { state: late, now: LATE + 2_500 })),
      edge('pause › behind 2038', () => pause(near, late, LATE)),
      edge('resume › behind 2038', () => resume(near, paused(late, LATE + 10), LATE + 20)),
    ],
    attacks: around.attacks,
  };
};

const largeAmounts = (asset: Asset): Boundaries => {
  const large = LARGE[asset];
  const terms: Terms = {
    asset,
    segments: [
      [0, large, 0],
      [1_000, large, 1],
      [1_002, 2n * large, 0],
      [3_000, 3n * large, 0],
    ],
  };
  const state = { ...FRESH, released: large / 2n };
  return joinAll(
    [0, 1_001, 1_002, 3_000].flatMap((elapsed) => [
      amountsAt(terms, `amounts of 8 bytes, ${elapsed} seconds`, { state, now: START + elapsed }),
      amountsAt(terms, `amounts of 8 bytes, none released, ${elapsed} seconds`, {
        state: FRESH,
        now: START + elapsed,
      }),
    ]),
  );
};

const keeps = (asset: Asset): Boundaries => {
  const terms = { asset, segments: SEGMENTS['mixed'] ?? [] };
  const start = { ...FRESH, start: FIRST_TIME };
  return joinAll([
    keepsWith('transfer', asset, () => transfer(terms, FRESH)),
    keepsWith('pause', asset, () => pause(terms, FRESH, NOW)),
    keepsWith('resume', asset, () => resume(terms, paused(FRESH, NOW - 10), NOW)),
    asksForTime('pause', asset, (now) => pause(terms, FRESH, now)),
    asksForTime('cancel', asset, (now) => cancel(terms, { state: start, now })),
    {
      moves: [
        allows({
          name: 'resume › at the first second that is a time',
          asset,
          parts: () => resume(terms, paused(FRESH, FIRST_TIME), FIRST_TIME),
        }),
      ],
      attacks: [],
    },
  ]);
};

const reserves = (): Boundaries => {
  const terms: Terms = { asset: 'tokens', segments: SEGMENTS['linear'] ?? [] };
  const parts = () => claim(terms, { state: FRESH, now: START + 2_000 });
  const allBut1 = () => claim(terms, { state: FRESH, now: START + 3_000 }, 89_999n);
  return joinAll([
    keepsSatoshis('claim', parts),
    { moves: [allows({ name: 'claim › all but 1', asset: 'tokens', parts: allBut1 })], attacks: [] },
    { moves: [], attacks: [...keepsReserve('claim', parts), ...keepsReserve('claim › all but 1', allBut1)] },
    pins({ name: 'claim', asset: 'tokens', parts, at: 1, what: 'the reserve', attack: 'skim-reserve' }),
  ]);
};

const ends = (asset: Asset): Boundaries => {
  const terms = { asset, segments: SEGMENTS['linear'] ?? [] };
  return joinAll([
    endsWith('claim', asset, () =>
      claim(terms, { state: { ...FRESH, released: 60_000n }, now: START + 3_000 }),
    ),
    endsWith('cancel', asset, () =>
      cancel(terms, { state: { ...FRESH, released: 60_000n }, now: START + 2_000 }),
    ),
  ]);
};

const all: Boundaries = joinAll([
  ...ASSETS.flatMap((asset) => [
    ...seconds(asset),
    whilePaused(asset),
    smallest(asset),
    lateDates(asset),
    largeAmounts(asset),
    keeps(asset),
    ends(asset),
  ]),
  reserves(),
]);

export const streamMoves: readonly Move[] = all.moves;
export const streamAttacks: readonly Attack[] = all.attacks;
