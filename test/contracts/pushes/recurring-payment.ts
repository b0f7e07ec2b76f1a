/** Pushes of a RecurringPayment: each second, each period and each unit around what they pay, and what anybody may try. */
import type { Bound } from '../harness/bound.js';
import type { Attack, Move, Variation } from '../harness/cases.js';
import { ASSETS, NOW, type Asset } from '../harness/coins.js';
import { withoutThread, type Spend } from '../harness/spend.js';
import {
  AMOUNT,
  carry,
  FRESH,
  INTERVAL,
  moveOn,
  paymentOf,
  reserveAt,
  settledAt as settledOf,
  TERM,
  termsOf as usualTerms,
  type State,
  type Terms as PaymentTerms,
} from '../boundaries/recurring-payment.js';
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

type Terms = PaymentTerms & {
  /** `pushMinimum`. */
  readonly least: bigint;
  readonly sibling?: boolean;
};
const termsOf = (asset: Asset): Terms => ({ ...usualTerms(asset), least: AMOUNT });

const contractOf = ({ least, sibling = false, ...terms }: Terms): Bound =>
  paymentOf(terms, sibling ? 9 : 8, least);

/** What is settled, whatever the status says. */
const settledAt = (terms: Terms, state: State, now: number): bigint =>
  settledOf(terms, { ...state, status: 0 }, now);

/** A push of `n` periods; of all that are settled when it is not given. */
const push = (terms: Terms, state: State, now = NOW, n = settledAt(terms, state, now)): Parts => {
  const after = moveOn(terms, state, n);
  const isLast = terms.periods > 0 && after.paid === terms.periods;
  return pushOf({
    asset: terms.asset,
    amount: n > 0n ? n * terms.amount : 1n,
    contract: contractOf(terms),
    args: [],
    before: carry(terms, state),
    after: isLast ? null : carry(terms, after),
    reserve: reserveAt(terms, state.pool),
    left: isLast ? null : reserveAt(terms, after.pool),
    now,
  });
};

const tooSmall = 'the amount is not below the minimum';
const nothing = 'the amount is positive';
const newState = 'output 0 carries the new state';
const SHORT: State = { ...FRESH, pool: 2n * AMOUNT };
const LAST: State = { ...FRESH, paid: TERM - 2, pool: 2n * AMOUNT };

const paying =
  (terms: Terms, state: State) =>
  (variation: Variation = {}): Spend => {
    const { sibling = false, now = NOW } = variation;
    return { ...spendOf(push({ ...terms, sibling }, state, now)), chainTime: NOW + 1 };
  };

/** Moves of which the attacks of every move are derived. */
export const paymentPushes: readonly Move[] = ASSETS.flatMap((asset): Move[] => {
  const row = (name: string, kind: Move['kind'], terms: Terms, state: State): Move => ({
    name: `push › ${name}`,
    asset,
    kind,
    atHeight: nothing,
    build: paying(terms, state),
  });
  const terms = termsOf(asset);
  return [
    row('all periods due', 'pays', terms, FRESH),
    row('all that is funded', 'pays', terms, SHORT),
    row('in an open-ended payment', 'pays', { ...terms, periods: 0 }, { ...FRESH, paid: 500 }),
    row('the last period of the term ends the thread', 'ends', terms, LAST),
  ];
});

type Standing = readonly [label: string, terms: Terms, state: State, now: number];

const standings = (asset: Asset): Standing[] => {
  const terms = termsOf(asset);
  const open = { ...terms, periods: 0 };
  const quick = { ...terms, interval: 1, amount: 700n, least: 700n };
  const long = { ...terms, interval: 2 ** 31 - 1 };
  const due = FRESH.nextDue;
  const rich = { ...FRESH, pool: 40n * AMOUNT };
  return [
    ['at the first period', terms, FRESH, due],
    ['a second behind the first period', terms, FRESH, due + 1],
    ['a second before the second period', terms, FRESH, due + INTERVAL - 1],
    ['at the second period', terms, FRESH, due + INTERVAL],
    ['a second behind the second period', terms, FRESH, due + INTERVAL + 1],
    ['one period is funded', terms, { ...FRESH, pool: AMOUNT }, NOW],
    ['one period is funded, and almost a second', terms, { ...FRESH, pool: 2n * AMOUNT - 1n }, NOW],
    ['two periods are funded', terms, SHORT, NOW],
    ['one period of the term is left', terms, { ...FRESH, paid: TERM - 1, pool: AMOUNT }, NOW],
    ['two periods of the term are left', terms, LAST, NOW],
    [
      'three periods of the term are left',
      terms,
      { ...rich, paid: TERM - 3, pool: 3n * AMOUNT },
      due + INTERVAL,
    ],
    [
      'one period of a long term is left',
      { ...terms, periods: 2 ** 24 + 6 },
      { ...FRESH, paid: 2 ** 24 + 5, pool: AMOUNT },
      NOW,
    ],
    [
      'a term of one period, in a pool for more',
      { ...terms, periods: 1 },
      { ...FRESH, pool: 3n * AMOUNT },
      NOW,
    ],
    ['a term of one period', { ...terms, periods: 1 }, { ...FRESH, pool: AMOUNT }, NOW],
    ['open-ended, none paid', open, FRESH, NOW],
    ['open-ended, one paid', open, { ...FRESH, paid: 1 }, NOW],
    ['open-ended, three paid', open, { ...FRESH, paid: 3 }, due],
    ['an interval of 1 second, at the first period', quick, { ...FRESH, nextDue: NOW }, NOW],
    ['an interval of 1 second, at the second period', quick, { ...FRESH, nextDue: NOW - 1 }, NOW],
    ['a period behind 2038', terms, { ...FRESH, nextDue: LATE }, LATE + INTERVAL],
    ['many paid', open, { ...FRESH, paid: 2 ** 30 + 2 ** 24 + 7 }, NOW],
    ['an interval of the longest', long, { ...FRESH, nextDue: NOW }, NOW],
    ['at the first second that is a time', terms, { ...FRESH, nextDue: FIRST_TIME }, FIRST_TIME],
    ['a payment that nobody can cancel or refill', terms, { ...FRESH, flags: 0 }, NOW],
    [
      'amounts of 8 bytes',
      { ...terms, amount: LARGE[asset], least: LARGE[asset] },
      { ...FRESH, pool: 3n * LARGE[asset] },
      due + INTERVAL,
    ],
    ...(asset === 'tokens'
      ? ([
          [
            'a unit each period, one is due',
            { ...terms, amount: 1n, least: 1n },
            { ...FRESH, pool: 5n },
            due,
          ],
          [
            'a unit each period, one is left',
            { ...terms, amount: 1n, least: 1n },
            { ...FRESH, pool: 4n },
            NOW,
          ],
        ] satisfies Standing[])
      : []),
  ];
};

/** What is settled is pushed, and one period more or less is not. */
const settles = ([label, terms, state, now]: Standing): Boundaries => {
  const { asset, periods } = terms;
  const n = settledAt(terms, state, now);
  const edge = edgeOf(asset);
  const isLast = periods > 0 && state.paid + Number(n) === periods;
  const off = (by: bigint): Attack[] => {
    const ends = periods > 0 && state.paid + Number(n + by) === periods;
    // Of one that ends and one that does not the outputs are others: what refuses first depends on them.
    if (isLast || ends || state.pool < (n + by) * terms.amount) return [];
    return [
      refuses(
        'over-claim',
        newState,
        edge(`${label}, ${by} periods off`, () => push(terms, state, now, n + by)),
      ),
    ];
  };
  return { moves: [allows(edge(label, () => push(terms, state, now)))], attacks: [...off(-1n), ...off(1n)] };
};

/** Nothing is settled, and a period is asked for all the same. */
const unsettled = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const open = { ...terms, periods: 0 };
  const quick = { ...terms, interval: 1 };
  const edge = edgeOf(asset);
  const due = FRESH.nextDue;
  const asked = (label: string, of: Terms, state: State, now = NOW): Attack =>
    refuses(
      'amount',
      nothing,
      edge(label, () => push(of, state, now, 1n)),
    );
  return {
    moves: [],
    attacks: [
      asked('a second before the first period', terms, FRESH, due - 1),
      asked('long before the first period', terms, { ...FRESH, nextDue: NOW + 86_400 }),
      asked('a second before the first period of an open-ended one', open, FRESH, due - 1),
      asked('an interval of 1 second, a second early', quick, { ...FRESH, nextDue: NOW + 1 }),
      asked('a second time', terms, { ...FRESH, nextDue: NOW + 500, paid: 3 }),
      asked('a period is funded but for 1', terms, { ...FRESH, pool: AMOUNT - 1n }),
      asked('behind 2038, a second early', terms, { ...FRESH, nextDue: LATE }, LATE - 1),
      refuses(
        'finished',
        nothing,
        edge('a term that is paid', () => push(terms, { ...FRESH, paid: TERM }, NOW, 0n)),
      ),
    ],
  };
};

const leasts = (asset: Asset): Boundaries => {
  const edge = edgeOf(asset);
  const at = (minimum: bigint, periods = TERM): Terms => ({ ...termsOf(asset), least: minimum, periods });
  return {
    moves: [
      allows(edge('exactly the minimum', () => push(at(3n * AMOUNT), FRESH))),
      allows(edge('a unit above the minimum', () => push(at(3n * AMOUNT - 1n), FRESH))),
      allows(edge('the last of the term, below the minimum', () => push(at(12n * AMOUNT), LAST))),
    ],
    attacks: [
      refuses(
        'amount',
        tooSmall,
        edge('a unit below the minimum', () => push(at(3n * AMOUNT + 1n), FRESH)),
      ),
      refuses(
        'amount',
        tooSmall,
        edge('the last but one of the term, below the minimum', () =>
          push(at(12n * AMOUNT), { ...LAST, paid: TERM - 3, pool: 3n * AMOUNT }, LAST.nextDue + INTERVAL),
        ),
      ),
      refuses(
        'amount',
        tooSmall,
        edge('all that an open-ended one holds, below the minimum', () => push(at(5n * AMOUNT, 0), SHORT)),
      ),
      ...[0n, -1n].map((minimum) =>
        refuses(
          'terms',
          'the payment can be pushed',
          edge(`a minimum of ${minimum}`, () => push(at(minimum), FRESH)),
        ),
      ),
      refuses(
        'terms',
        'the payment can be pushed',
        edge('a minimum of 0, the last of the term', () => push(at(0n), LAST)),
      ),
    ],
  };
};

const forbidden = (asset: Asset): Attack[] => {
  const terms = termsOf(asset);
  const edge = edgeOf(asset);
  return [
    ...[1, 2].map((status) =>
      refuses(
        'status',
        'the payment is active',
        edge(`with the status ${status}`, () => push(terms, { ...FRESH, status })),
      ),
    ),
    refuses('status', 'the payment is active', {
      ...edge('while paused, made active again', () => push(terms, { ...FRESH, status: 1 })),
      change: (spend) => ({
        ...spend,
        outputs: [...spendOf(push(terms, FRESH)).outputs.slice(0, 1), ...spend.outputs.slice(1)],
      }),
    }),
    refuses('finished', 'vm: OP_SPLIT', {
      ...edge('a coin at the address that carries no thread', () => push(terms, FRESH)),
      change: withoutThread,
    }),
  ];
};

const tried = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const scenes = [
    { name: 'push', asset, parts: () => push(terms, FRESH) },
    { name: 'push › nothing remains', asset, parts: () => push(terms, SHORT) },
    { name: 'push › the last', asset, parts: () => push(terms, LAST) },
  ];
  const [alive, emptied, last] = scenes as [(typeof scenes)[0], (typeof scenes)[0], (typeof scenes)[0]];
  return joinAll([
    ...scenes.map((scene) => ({ moves: pushMoves(scene), attacks: pushAttacks(scene) })),
    lastPush(last),
    ...(asset === 'tokens'
      ? [keepsSatoshis('push', alive.parts), keepsSatoshis('push › emptied', emptied.parts)]
      : []),
  ]);
};

const all = joinAll(
  ASSETS.flatMap((asset) => [
    ...standings(asset).map(settles),
    unsettled(asset),
    leasts(asset),
    { moves: [], attacks: forbidden(asset) },
    tried(asset),
  ]),
);

export const paymentPushMoves: readonly Move[] = all.moves;
export const paymentPushAttacks: readonly Attack[] = all.attacks;
