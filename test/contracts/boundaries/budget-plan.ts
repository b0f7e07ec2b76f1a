/** BudgetPlan at the edges of its rules: each second, each unit, each count on either side of every comparison. */
import { binToHex, hexToBin } from '@bitauth/libauth';
import { commitment } from '../../../src/bch/commitment.js';
import { planState, type PlanState } from '../../../src/products/budgets/state.js';
import { bind, type Bound } from '../harness/bound.js';
import type { Attack, Move } from '../harness/cases.js';
import { ASSETS, categoryOf, DUST, NOW, payment, plain, type Asset } from '../harness/coins.js';
import { authority, owner, recipient } from '../harness/parties.js';
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

const layout = commitment({ seconds: 'u40', amount: 'u64' });
export type Milestones = readonly (readonly [seconds: number, amount: bigint])[];

/** The second pays one unit, the third nothing, and so does the last. */
const MILESTONES: Milestones = [
  [1_000, 10_000n],
  [3_000, 10_001n],
  [4_000, 10_001n],
  [8_000, 90_000n],
  [9_000, 90_001n],
  [9_500, 90_001n],
];
const LATE_MILESTONES: Milestones = [
  [2_200_000_000, 10_000n],
  [2_300_000_000, 20_000n],
  [2_400_000_000, 30_000n],
];
const largeMilestones = (asset: Asset): Milestones => [
  [1_000, LARGE[asset]],
  [3_000, 2n * LARGE[asset]],
  [4_000, 3n * LARGE[asset]],
];

export type Terms = { readonly asset: Asset; readonly milestones: Milestones };

/** @param least `pushMinimum` */
export const planOf = ({ asset, milestones }: Terms, id = 5, least = 0n): Bound =>
  bind('budget-plan', [
    new Uint8Array(32).fill(id),
    owner.hash,
    authority.hash,
    categoryOf(asset),
    hexToBin(milestones.map(([seconds, amount]) => layout.encode({ seconds, amount })).join('')),
    least,
  ]);

const START = NOW - 3_500;
export const FRESH: PlanState = {
  status: 0,
  current: 0,
  anchor: START,
  pausedAt: 0,
  recipient: binToHex(recipient.hash),
  flags: 1,
};

export const secondsOf = ({ milestones }: Terms, number: number): number => milestones[number - 1]?.[0] ?? 0;
export const amountOf = ({ milestones }: Terms, number: number): bigint => milestones[number - 1]?.[1] ?? 0n;
const remainingOf = (terms: Terms, number: number): bigint =>
  amountOf(terms, terms.milestones.length) - amountOf(terms, number);

export const carry = (terms: Terms, state: PlanState): Carried => ({
  state: planState.encode(state),
  satoshis: DUST + (terms.asset === 'BCH' ? remainingOf(terms, state.current) : 0n),
});
/** Tokens in the reserve, where the pool is tokens and not empty. */
export const reserveAt = (terms: Terms, number: number): bigint | null =>
  terms.asset === 'tokens' && remainingOf(terms, number) > 0n ? remainingOf(terms, number) : null;

/** The plan as it stands when so many milestones are released and none was late. */
export const standing = (terms: Terms, current: number, start = START): PlanState => ({
  ...FRESH,
  current,
  anchor: start + secondsOf(terms, current),
});

const CONTROLLER = [owner.publicKey, { sign: owner }] as const;
const WITNESSED = [...CONTROLLER, authority.publicKey, { sign: authority }] as const;
const RECIPIENT = [recipient.publicKey, { sign: recipient }] as const;

const release = (terms: Terms, state: PlanState, upTo: number, now: number): Parts => {
  const anchor = state.anchor + secondsOf(terms, upTo) - secondsOf(terms, state.current);
  const isLast = upTo === terms.milestones.length;
  return {
    contract: planOf(terms),
    call: 'release',
    args: [...RECIPIENT, BigInt(upTo)],
    before: carry(terms, state),
    after: isLast ? null : carry(terms, { ...state, current: upTo, anchor }),
    reserve: reserveAt(terms, state.current),
    left: isLast ? null : reserveAt(terms, upTo),
    now,
  };
};

/** At least dust, where the chain asks for it. */
const payoutOf = (asset: Asset, amount: bigint): Output =>
  asset === 'BCH'
    ? plain(recipient.lock, amount < 546n ? 546n : amount)
    : payment(asset, recipient.lock, amount);

const cancel = (terms: Terms, state: PlanState, upTo: number, now: number): Parts => {
  const owed = amountOf(terms, upTo) - amountOf(terms, state.current);
  return {
    contract: planOf(terms),
    call: 'cancel',
    args: [...WITNESSED, BigInt(upTo)],
    before: carry(terms, state),
    after: null,
    reserve: reserveAt(terms, state.current),
    outputs: [...(owed > 0n ? [payoutOf(terms.asset, owed)] : []), small()],
    now,
  };
};

const pause = (terms: Terms, state: PlanState, now: number): Parts => ({
  contract: planOf(terms),
  call: 'pause',
  args: WITNESSED,
  before: carry(terms, state),
  after: carry(terms, { ...state, status: 1, pausedAt: now }),
  now,
});

const resume = (terms: Terms, state: PlanState, now: number): Parts => ({
  contract: planOf(terms),
  call: 'resume',
  args: CONTROLLER,
  before: carry(terms, state),
  after: carry(terms, { ...state, status: 0, anchor: state.anchor + now - state.pausedAt, pausedAt: 0 }),
  now,
});

const paused = (state: PlanState, pausedAt: number): PlanState => ({ ...state, status: 1, pausedAt });
const notElapsed = 'the last milestone has elapsed';

/** Around the second at which a milestone falls due, live and at a pause. */
const seconds = (terms: Terms, from: number, upTo: number): Boundaries => {
  const { asset } = terms;
  const state = standing(terms, from);
  const due = START + secondsOf(terms, upTo);
  const label = `${from} released, milestone ${upTo} of ${terms.milestones.length}`;
  const edge = (name: string, parts: () => Parts) => ({ name, asset, parts });
  const last = terms.milestones.length;
  return {
    moves: [
      allows(edge(`release › ${label} at its second`, () => release(terms, state, upTo, due))),
      allows(
        edge(`release › ${label} paused at its second`, () => release(terms, paused(state, due), upTo, NOW)),
      ),
      allows(edge(`cancel › ${label} at its second`, () => cancel(terms, state, upTo, due))),
      allows(
        edge(`cancel › ${label} paused at its second`, () => cancel(terms, paused(state, due), upTo, NOW)),
      ),
      allows(edge(`cancel › ${label} a second early`, () => cancel(terms, state, upTo - 1, due - 1))),
      allows(
        edge(`cancel › ${label} paused a second early`, () =>
          cancel(terms, paused(state, due - 1), upTo - 1, NOW),
        ),
      ),
    ],
    attacks: [
      refuses(
        'over-claim',
        notElapsed,
        edge(`release › ${label} a second early`, () => release(terms, state, upTo, due - 1)),
      ),
      refuses(
        'over-claim',
        notElapsed,
        edge(`release › ${label} paused a second early`, () =>
          release(terms, paused(state, due - 1), upTo, NOW),
        ),
      ),
      refuses(
        'segment',
        notElapsed,
        edge(`cancel › ${label} a second early`, () => cancel(terms, state, upTo, due - 1)),
      ),
      refuses(
        'segment',
        notElapsed,
        edge(`cancel › ${label} paused a second early`, () =>
          cancel(terms, paused(state, due - 1), upTo, NOW),
        ),
      ),
      ...[due, due + 1].map((at) =>
        refuses(
          'segment',
          'the next milestone has not elapsed',
          edge(`cancel › ${label} passed over ${at - due} seconds late`, () =>
            cancel(terms, state, upTo - 1, at),
          ),
        ),
      ),
      ...(upTo < last
        ? []
        : [
            refuses(
              'segment',
              'the next milestone has not elapsed',
              edge(`cancel › ${label} paused, passed over`, () =>
                cancel(terms, paused(state, due), upTo - 1, NOW),
              ),
            ),
          ]),
    ],
  };
};

/** A pause holds whatever the locktime says: none, an old one, one behind later milestones. */
const whilePaused = (asset: Asset): Boundaries => {
  const terms = { asset, milestones: MILESTONES };
  const state = paused(standing(terms, 1), START + 3_500);
  const moves = [
    ['no locktime', 0],
    ['a locktime before the start', START - 50_000],
    ['a locktime behind the last milestone', START + 20_000],
  ] as const;
  return {
    moves: moves.flatMap(([name, now]) => [
      allows({ name: `release › while paused, ${name}`, asset, parts: () => release(terms, state, 2, now) }),
      ...(now === 0
        ? []
        : [
            allows({
              name: `cancel › while paused, ${name}`,
              asset,
              parts: () => cancel(terms, state, 2, now),
            }),
          ]),
    ]),
    attacks: [
      refuses('status', notElapsed, {
        name: 'release › while paused, what fell due since',
        asset,
        parts: () => release(terms, state, 3, START + 20_000),
      }),
      refuses('status', notElapsed, {
        name: 'cancel › while paused, what fell due since',
        asset,
        parts: () => cancel(terms, state, 3, START + 20_000),
      }),
      refuses('status', 'the next milestone has not elapsed', {
        name: 'cancel › while paused, as of a time before',
        asset,
        parts: () => cancel(terms, state, 1, START + 1_500),
      }),
    ],
  };
};

/** One unit owed is owed. */
const smallest = (asset: Asset): Boundaries => {
  const terms = { asset, milestones: MILESTONES };
  const state = standing(terms, 1);
  const payout = pins({
    name: 'cancel',
    asset,
    parts: () => cancel(terms, state, 2, START + 3_000),
    at: 0,
    what: 'the payout',
    attack: 'payout',
  });
  return {
    moves: [
      ...payout.moves,
      allows({ name: 'cancel › 1 unit is owed', asset, parts: () => cancel(terms, state, 2, START + 3_000) }),
      allows({ name: 'release › 1 unit', asset, parts: () => release(terms, state, 2, START + 3_000) }),
      allows({
        name: 'release › all that is paid, while a milestone is left that pays nothing',
        asset,
        parts: () => release(terms, standing(terms, 4), 5, START + 9_000),
      }),
      allows({
        name: 'release › all but 1 unit',
        asset,
        parts: () => release(terms, standing(terms, 3), 4, START + 8_000),
      }),
    ],
    attacks: [
      refuses('payout', 'output 0 goes to the recipient', {
        name: 'cancel › 1 unit is owed, and not paid',
        asset,
        parts: () => ({ ...cancel(terms, state, 2, START + 3_000), outputs: [small()] }),
      }),
      ...payout.attacks,
    ],
  };
};

const lateDates = (asset: Asset): Boundaries => {
  const terms = { asset, milestones: LATE_MILESTONES };
  const start = FIRST_TIME;
  const state = standing(terms, 1, start);
  const due = start + secondsOf(terms, 2);
  const late = { ...FRESH, anchor: LATE };
  const short = { asset, milestones: MILESTONES };
  const edge = (name: string, parts: () => Parts): Move => allows({ name, asset, parts });
  return {
    moves: [
      edge('release › a date behind 2038', () => release(terms, state, 2, due)),
      edge('release › a date behind 2038, from the start', () =>
        release(terms, standing(terms, 0, start), 1, due - 1),
      ),
      edge('release › an anchor behind 2038', () => release(short, late, 1, LATE + 1_000)),
      edge('release › paused behind 2038', () => release(terms, paused(state, due), 2, due)),
      edge('cancel › a date behind 2038', () => cancel(terms, state, 2, due)),
      edge('cancel › a date behind 2038, a second early', () => cancel(terms, state, 1, due - 1)),
      edge('cancel › an anchor behind 2038', () => cancel(short, late, 1, LATE + 1_000)),
      edge('cancel › paused behind 2038', () => cancel(terms, paused(state, due), 2, due)),
      edge('pause › behind 2038', () => pause(short, late, LATE)),
      edge('resume › behind 2038', () => resume(short, paused(late, LATE + 10), LATE + 20)),
    ],
    attacks: (['release', 'cancel'] as const).map((call) =>
      refuses('segment', notElapsed, {
        name: `${call} › a date behind 2038, a second early`,
        asset,
        parts: () => (call === 'release' ? release : cancel)(terms, state, 2, due - 1),
      }),
    ),
  };
};

const largeAmounts = (asset: Asset): Boundaries => {
  const terms = { asset, milestones: largeMilestones(asset) };
  const state = standing(terms, 1);
  return {
    moves: [
      allows({
        name: 'release › amounts of 8 bytes',
        asset,
        parts: () => release(terms, state, 2, START + 3_000),
      }),
      allows({
        name: 'cancel › amounts of 8 bytes',
        asset,
        parts: () => cancel(terms, state, 2, START + 3_000),
      }),
    ],
    attacks: [],
  };
};

const keeps = (asset: Asset): Boundaries => {
  const terms = { asset, milestones: MILESTONES };
  const state = standing(terms, 1);
  return joinAll([
    keepsWith('pause', asset, () => pause(terms, state, NOW)),
    keepsWith('resume', asset, () => resume(terms, paused(state, NOW - 10), NOW)),
    asksForTime('pause', asset, (now) => pause(terms, state, now)),
    asksForTime('cancel', asset, (now) => cancel(terms, standing(terms, 0, FIRST_TIME), 0, now)),
    {
      moves: [
        allows({
          name: 'resume › at the first second that is a time',
          asset,
          parts: () => resume(terms, paused(state, FIRST_TIME), FIRST_TIME),
        }),
      ],
      attacks: [],
    },
  ]);
};

const reserves = (): Boundaries => {
  const terms: Terms = { asset: 'tokens', milestones: MILESTONES };
  const parts = () => release(terms, standing(terms, 1), 2, START + 3_000);
  const allBut1 = () => release(terms, standing(terms, 3), 4, START + 8_000);
  return joinAll([
    keepsSatoshis('release', parts),
    {
      moves: [],
      attacks: [...keepsReserve('release', parts), ...keepsReserve('release › all but 1', allBut1)],
    },
    pins({ name: 'release', asset: 'tokens', parts, at: 1, what: 'the reserve', attack: 'skim-reserve' }),
  ]);
};

const ends = (asset: Asset): Boundaries => {
  const terms = { asset, milestones: MILESTONES };
  return joinAll([
    endsWith('release', asset, () => release(terms, standing(terms, 4), 6, START + 9_500)),
    endsWith('cancel', asset, () => cancel(terms, standing(terms, 1), 1, START + 1_000)),
  ]);
};

const all: Boundaries = joinAll([
  ...ASSETS.flatMap((asset) => {
    const terms = { asset, milestones: MILESTONES };
    const pairs = [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 5],
      [5, 6],
    ] as const;
    return [
      ...pairs.map(([from, number]) => seconds(terms, from, number)),
      seconds({ ...terms, milestones: [[1, 5_000n]] }, 0, 1),
      whilePaused(asset),
      smallest(asset),
      lateDates(asset),
      largeAmounts(asset),
      keeps(asset),
      ends(asset),
    ];
  }),
  reserves(),
]);

export const budgetMoves: readonly Move[] = all.moves;
export const budgetAttacks: readonly Attack[] = all.attacks;
