/** Pushes of a BudgetPlan: each second and each milestone around what they pay, and what anybody may try with them. */
import type { PlanState } from '../../../src/products/budgets/state.js';
import type { Bound } from '../harness/bound.js';
import type { Attack, Move, Variation } from '../harness/cases.js';
import { ASSETS, NOW, type Asset } from '../harness/coins.js';
import { changeArgument, withoutThread, type Spend } from '../harness/spend.js';
import {
  amountOf,
  carry,
  FRESH as BEGUN,
  planOf,
  reserveAt,
  secondsOf,
  standing as standingSince,
  type Milestones,
  type Terms as PlanTerms,
} from '../boundaries/budget-plan.js';
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
import { edgeOf, lastPush, pushAttacks, pushMoves, pushOf } from './attacks.js';

/** The third pays nothing of its own, the fourth all that is left but for nothing: the last pays nothing either. */
const MILESTONES: Milestones = [
  [1_000, 10_000n],
  [3_000, 12_000n],
  [4_000, 12_000n],
  [8_000, 90_000n],
  [9_500, 90_000n],
];
/** The last pays. */
const PAYING: Milestones = MILESTONES.slice(0, 4);

type Terms = PlanTerms & {
  /** `pushMinimum`. */
  readonly least: bigint;
  readonly sibling?: boolean;
};
const termsOf = (asset: Asset, milestones = PAYING, least = 2_000n): Terms => ({ asset, milestones, least });

const contractOf = ({ least, sibling = false, ...terms }: Terms): Bound =>
  planOf(terms, sibling ? 9 : 8, least);

const START = NOW - 10_000;
const FRESH: PlanState = { ...BEGUN, anchor: START };

/** The plan when so many milestones are released and none was late. */
const standing = (terms: Terms, current: number, start = START): PlanState =>
  standingSince(terms, current, start);

const elapsedAt = (terms: Terms, state: PlanState, now: number): number => {
  const elapsed = now - state.anchor + secondsOf(terms, state.current);
  return Math.max(state.current, terms.milestones.filter(([seconds]) => seconds <= elapsed).length);
};

/** A push up to a milestone; up to the last that has elapsed when it is not given. */
const push = (terms: Terms, state: PlanState, now: number, upTo = elapsedAt(terms, state, now)): Parts => {
  const number = Math.min(Math.max(upTo, 0), terms.milestones.length);
  const anchor = state.anchor + secondsOf(terms, number) - secondsOf(terms, state.current);
  const isLast = upTo === terms.milestones.length;
  const amount = amountOf(terms, number) - amountOf(terms, state.current);
  return pushOf({
    asset: terms.asset,
    amount: amount > 0n ? amount : 1n,
    contract: contractOf(terms),
    args: [BigInt(upTo)],
    before: carry(terms, state),
    after: isLast ? null : carry(terms, { ...state, current: number, anchor }),
    reserve: reserveAt(terms, state.current),
    left: isLast ? null : reserveAt(terms, number),
    now,
  });
};

const notElapsed = 'the last milestone has elapsed';
const passedOver = 'the next milestone has not elapsed';
const nothing = 'the amount is positive';
const tooSmall = 'the amount is not below the minimum';
const paying =
  (terms: Terms, current: number, at: number) =>
  (variation: Variation = {}): Spend => {
    const { sibling = false, now = at } = variation;
    const state = standing(terms, current);
    // At a block height nothing has elapsed, and what is pushed at its own time is asked for all the same.
    const upTo = Math.max(elapsedAt(terms, state, now), elapsedAt(terms, state, at));
    return { ...spendOf(push({ ...terms, sibling }, state, now, upTo)), chainTime: NOW + 1 };
  };

/** Moves of which the attacks of every move are derived. */
export const budgetPushes: readonly Move[] = ASSETS.flatMap((asset): Move[] => {
  const row = (name: string, kind: Move['kind'], build: Move['build']): Move => ({
    name: `push › ${name}`,
    asset,
    kind,
    atHeight: notElapsed,
    build,
  });
  const terms = termsOf(asset);
  const whole = termsOf(asset, MILESTONES);
  return [
    row('one milestone', 'pays', paying(terms, 1, START + 3_500)),
    row('two milestones at once', 'pays', paying(terms, 0, START + 3_500)),
    row('all that is paid, while a milestone is left', 'pays', paying(whole, 3, START + 9_000)),
    row('the last milestone ends the thread', 'ends', paying(terms, 1, START + 8_000)),
  ];
});

/** Around the second at which each milestone falls due, from each before it. */
const seconds = (asset: Asset): Boundaries => {
  const edge = edgeOf(asset);
  const least = asset === 'BCH' ? 546n : 1n;
  const at = (milestones: Milestones, from: number, upTo: number): Boundaries => {
    const terms = termsOf(asset, milestones, least);
    const state = standing(terms, from);
    const due = START + secondsOf(terms, upTo);
    const label = `${from} released, milestone ${upTo} of ${milestones.length}`;
    const pays = amountOf(terms, upTo) > amountOf(terms, from);
    const hasNext = upTo < milestones.length;
    const next = START + secondsOf(terms, upTo + 1);
    return {
      moves: pays
        ? [
            allows(edge(`${label} at its second`, () => push(terms, state, due, upTo))),
            ...(hasNext
              ? [allows(edge(`${label} a second before the next`, () => push(terms, state, next - 1, upTo)))]
              : [allows(edge(`${label} long after`, () => push(terms, state, due + 90_000, upTo)))]),
          ]
        : [],
      attacks: [
        refuses(
          'over-claim',
          notElapsed,
          edge(`${label} a second early`, () => push(terms, state, due - 1, upTo)),
        ),
        ...(hasNext
          ? [0, 1].map((late) =>
              refuses(
                'segment',
                passedOver,
                edge(`${label} when the next is ${late} seconds late`, () =>
                  push(terms, state, next + late, upTo),
                ),
              ),
            )
          : [
              refuses(
                'segment',
                'vm: OP_SPLIT',
                edge(`${label}, one beyond`, () => push(terms, state, due + 90_000, upTo + 1)),
              ),
            ]),
        ...(pays
          ? []
          : [
              refuses(
                'amount',
                nothing,
                edge(`${label}, which pays nothing`, () => push(terms, state, due, upTo)),
              ),
            ]),
      ],
    };
  };
  const pairs = (milestones: Milestones): (readonly [number, number])[] =>
    milestones.flatMap((_, from) =>
      milestones.slice(from).map((__, more) => [from, from + more + 1] as const),
    );
  return joinAll([
    ...pairs(MILESTONES).map(([from, upTo]) => at(MILESTONES, from, upTo)),
    ...pairs(PAYING).map(([from, upTo]) => at(PAYING, from, upTo)),
    at([[1, 5_000n]], 0, 1),
  ]);
};

const leasts = (asset: Asset): Boundaries => {
  const edge = edgeOf(asset);
  const at = (least: bigint): Terms => termsOf(asset, PAYING, least);
  const state = standing(at(1n), 1);
  const now = START + 3_500;
  const late = START + 8_000;
  return {
    moves: [
      allows(edge('exactly the minimum', () => push(at(2_000n), state, now))),
      allows(edge('a unit above the minimum', () => push(at(1_999n), state, now))),
      allows(edge('the last milestone, below the minimum', () => push(at(90_000n), state, late))),
    ],
    attacks: [
      refuses(
        'amount',
        tooSmall,
        edge('a unit below the minimum', () => push(at(2_001n), state, now)),
      ),
      refuses(
        'amount',
        tooSmall,
        edge('all that is paid, below the minimum, while a milestone is left', () =>
          push(termsOf(asset, MILESTONES, 90_001n), standing(termsOf(asset), 0), START + 9_000),
        ),
      ),
      ...[0n, -1n].map((least) =>
        refuses(
          'terms',
          'the plan can be pushed',
          edge(`a minimum of ${least}`, () => push(at(least), state, now)),
        ),
      ),
      refuses(
        'terms',
        'the plan can be pushed',
        edge('a minimum of 0, the last milestone', () => push(at(0n), state, late)),
      ),
      ...[1, 0].map((upTo) =>
        refuses(
          'segment',
          passedOver,
          edge(`up to ${upTo}, where 1 is released and 2 has elapsed`, () => push(at(1n), state, now, upTo)),
        ),
      ),
      refuses(
        'amount',
        nothing,
        edge('a second time', () => push(at(1n), standing(at(1n), 2), now, 2)),
      ),
      refuses(
        'amount',
        nothing,
        edge('up to a milestone that is released, as of a time before the next', () =>
          push(at(1n), standing(at(1n), 2), START + 2_000, 1),
        ),
      ),
      refuses(
        'segment',
        'vm: OP_SPLIT',
        edge('up to a milestone below 0', () => push(at(1n), state, now, -1)),
      ),
    ],
  };
};

const standings = (asset: Asset): Boundaries => {
  const edge = edgeOf(asset);
  const terms = termsOf(asset);
  const state = standing(terms, 1);
  const now = START + 3_500;
  const far: Milestones = [
    [2_200_000_000, 10_000n],
    [2_300_000_000, 20_000n],
    [2_400_000_000, 30_000n],
  ];
  const large = termsOf(
    asset,
    [
      [1_000, LARGE[asset]],
      [3_000, 2n * LARGE[asset]],
      [4_000, 3n * LARGE[asset]],
    ],
    LARGE[asset],
  );
  const paused = { ...state, status: 1, pausedAt: now };
  return {
    moves: [
      allows(edge('an active state with a time of pause', () => push(terms, { ...state, pausedAt: 7 }, now))),
      allows(
        edge('amounts of 8 bytes, one of them released', () =>
          push(large, standing(large, 1), START + 3_500),
        ),
      ),
      ...(asset === 'tokens'
        ? [
            allows(
              edge('all but 1 unit', () =>
                push(
                  termsOf(asset, [
                    [1_000, 9_999n],
                    [9_000, 10_000n],
                  ]),
                  FRESH,
                  START + 1_500,
                ),
              ),
            ),
            allows(
              edge('the last unit', () => {
                const unit = termsOf(asset, [
                  [1_000, 9_999n],
                  [9_000, 10_000n],
                ]);
                return push(unit, standing(unit, 1), START + 9_000);
              }),
            ),
          ]
        : []),
      allows(edge('an old locktime', () => push(terms, standing(terms, 0), START + 1_500))),
      allows(
        edge('a date behind 2038', () =>
          push(termsOf(asset, far), standing(termsOf(asset, far), 1, FIRST_TIME), FIRST_TIME + 2_300_000_000),
        ),
      ),
      allows(edge('an anchor behind 2038', () => push(terms, { ...FRESH, anchor: LATE }, LATE + 1_000))),
      allows(
        edge('at the first second that is a time', () =>
          push(terms, { ...FRESH, anchor: FIRST_TIME - 1_000 }, FIRST_TIME),
        ),
      ),
      allows(edge('a plan that nobody can cancel', () => push(terms, { ...state, flags: 0 }, now))),
      allows(edge('amounts of 8 bytes', () => push(large, FRESH, START + 3_500))),
    ],
    attacks: [
      refuses(
        'segment',
        passedOver,
        edge('a date behind 2038, where the next has elapsed', () =>
          push(
            termsOf(asset, far),
            standing(termsOf(asset, far), 1, FIRST_TIME),
            FIRST_TIME + 2_400_000_000,
            2,
          ),
        ),
      ),
      refuses(
        'status',
        'the plan is active',
        edge('while paused', () => push(terms, paused, now)),
      ),
      refuses(
        'status',
        'the plan is active',
        edge('while paused, long after', () => push(terms, paused, START + 9_000)),
      ),
      refuses(
        'status',
        'the plan is active',
        edge('another status', () => push(terms, { ...state, status: 2 }, now)),
      ),
      refuses('length', 'vm: OP_MUL', {
        ...edge('a number in a longer encoding', () => push(terms, state, now)),
        change: (spend) => changeArgument(spend, 0, Uint8Array.of(2, 0)),
      }),
      refuses('finished', 'vm: OP_SPLIT', {
        ...edge('a plan that is all released', () => push(terms, standing(terms, 4), START + 20_000, 5)),
      }),
      refuses('finished', 'vm: OP_SPLIT', {
        ...edge('a coin at the address that carries no thread', () => push(terms, state, now)),
        change: withoutThread,
      }),
    ],
  };
};

const tried = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const whole = termsOf(asset, MILESTONES);
  const alive = { name: 'push', asset, parts: () => push(terms, standing(terms, 1), START + 3_500) };
  const emptied = {
    name: 'push › nothing remains',
    asset,
    parts: () => push(whole, standing(whole, 3), START + 9_000),
  };
  const last = {
    name: 'push › the last',
    asset,
    parts: () => push(terms, standing(terms, 1), START + 9_000),
  };
  return joinAll([
    ...[alive, emptied, last].map((scene) => ({ moves: pushMoves(scene), attacks: pushAttacks(scene) })),
    lastPush(last),
    ...(asset === 'tokens'
      ? [keepsSatoshis('push', alive.parts), keepsSatoshis('push › emptied', emptied.parts)]
      : []),
  ]);
};

const all = joinAll(
  ASSETS.flatMap((asset) => [seconds(asset), leasts(asset), standings(asset), tried(asset)]),
);

export const budgetPushMoves: readonly Move[] = all.moves;
export const budgetPushAttacks: readonly Attack[] = all.attacks;

/** A plan of so many milestones, for the sizes. */
export const sizedPush = (asset: Asset, count: number) => (): Spend => {
  const milestones = Array.from(
    { length: count },
    (_, index) => [(index + 1) * 100, BigInt(index + 1) * 5_000n] as const,
  );
  const terms = termsOf(asset, milestones);
  return spendOf(push(terms, FRESH, START + 250));
};
