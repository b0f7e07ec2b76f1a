/** RecurringPayment at the edges of its rules: each second, each unit, each count on either side of every comparison. */
import { binToHex } from '@bitauth/libauth';
import { recurringState, type RecurringState } from '../../../src/covenant/recurring/state.js';
import { bind, type Bound } from '../harness/bound.js';
import type { Attack, Move } from '../harness/cases.js';
import { ASSETS, categoryOf, DUST, NOW, payment, plain, thief, type Asset } from '../harness/coins.js';
import { authority, owner, recipient } from '../harness/parties.js';
import { changeOutput, type Output } from '../harness/spend.js';
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
  purse,
  refuses,
  small,
  tokens,
  type Boundaries,
  type Carried,
  type Parts,
} from './spend-of.js';

export type Terms = {
  readonly asset: Asset;
  readonly amount: bigint;
  readonly interval: number;
  /** 0: open-ended. */
  readonly periods: number;
};
/** `pool` is what is left of it in BCH too, where it is in the coin and not in the commitment. */
export type State = RecurringState;

export const AMOUNT = 2_000n;
export const INTERVAL = 1_000;
export const TERM = 12;
export const termsOf = (asset: Asset): Terms => ({
  asset,
  amount: AMOUNT,
  interval: INTERVAL,
  periods: TERM,
});

/** @param minimum `pushMinimum` */
export const paymentOf = ({ asset, amount, interval, periods }: Terms, id = 7, minimum = 0n): Bound =>
  bind('recurring-payment', [
    new Uint8Array(32).fill(id),
    owner.hash,
    authority.hash,
    categoryOf(asset),
    amount,
    BigInt(interval),
    BigInt(periods),
    minimum,
  ]);

export const FRESH: State = {
  status: 0,
  nextDue: NOW - 2_500,
  paid: 0,
  pool: 5n * AMOUNT,
  recipient: binToHex(recipient.hash),
  flags: 5,
};

export const carry = ({ asset }: Terms, state: State): Carried => ({
  state: recurringState.encode(asset === 'BCH' ? { ...state, pool: 0n } : state),
  satoshis: DUST + (asset === 'BCH' ? state.pool : 0n),
});
export const reserveAt = ({ asset }: Terms, pool: bigint): bigint | null =>
  asset === 'tokens' && pool > 0n ? pool : null;

const least = (...numbers: readonly bigint[]): bigint => numbers.reduce((a, b) => (a < b ? a : b));

export const settledAt = ({ amount, interval, periods }: Terms, state: State, now: number): bigint => {
  const { status, nextDue, pool, paid } = state;
  if (status === 1) return 0n;
  const due = now < nextDue ? 0n : BigInt(Math.floor((now - nextDue) / interval) + 1);
  return least(due, pool / amount, ...(periods > 0 ? [BigInt(periods - paid)] : []));
};

export const moveOn = ({ amount, interval }: Terms, state: State, n: bigint): State => {
  const pool = state.pool - n * amount;
  return {
    ...state,
    nextDue: state.nextDue + Number(n) * interval,
    paid: state.paid + Number(n),
    pool: pool < 0n ? 0n : pool,
  };
};

const SENDER = [owner.publicKey, { sign: owner }] as const;
const WITNESSED = [...SENDER, authority.publicKey, { sign: authority }] as const;
const RECIPIENT = [recipient.publicKey, { sign: recipient }] as const;

const claim = (terms: Terms, state: State, n: bigint, now = NOW): Parts => {
  const after = moveOn(terms, state, n);
  const isLast = terms.periods > 0 && after.paid === terms.periods;
  return {
    contract: paymentOf(terms),
    call: 'claim',
    args: [...RECIPIENT, n],
    before: carry(terms, state),
    after: isLast ? null : carry(terms, after),
    reserve: reserveAt(terms, state.pool),
    left: isLast ? null : reserveAt(terms, after.pool),
    now,
  };
};

const payoutOf = (asset: Asset, amount: bigint): Output =>
  asset === 'BCH'
    ? plain(recipient.lock, amount < 546n ? 546n : amount)
    : payment(asset, recipient.lock, amount);
const payoutsOf = ({ asset }: Terms, amount: bigint): Output[] =>
  amount > 0n ? [payoutOf(asset, amount)] : [];

/** A pause that pays so many periods, or all that are settled. */
const pause = (terms: Terms, state: State, now = NOW, n = settledAt(terms, state, now)): Parts => {
  const after = { ...moveOn(terms, state, n), status: 1 };
  return {
    contract: paymentOf(terms),
    call: 'pause',
    args: WITNESSED,
    before: carry(terms, state),
    after: carry(terms, after),
    reserve: reserveAt(terms, state.pool),
    left: reserveAt(terms, after.pool),
    outputs: [...payoutsOf(terms, n * terms.amount), small()],
    now,
  };
};

/** A cancel that pays so many periods, or all that are settled. */
const cancel = (terms: Terms, state: State, now = NOW, n = settledAt(terms, state, now)): Parts => ({
  contract: paymentOf(terms),
  call: 'cancel',
  args: WITNESSED,
  before: carry(terms, state),
  after: null,
  reserve: reserveAt(terms, state.pool),
  outputs: [...payoutsOf(terms, n * terms.amount), small()],
  now,
});

const resume = (terms: Terms, state: State, now = NOW): Parts => ({
  contract: paymentOf(terms),
  call: 'resume',
  args: SENDER,
  before: carry(terms, state),
  after: carry(terms, { ...state, status: 0, nextDue: now + terms.interval }),
  now,
});

const refill = (terms: Terms, state: State, added: bigint): Parts => ({
  contract: paymentOf(terms),
  call: 'refill',
  args: SENDER,
  before: carry(terms, state),
  after: carry(terms, { ...state, pool: state.pool + added }),
  reserve: reserveAt(terms, state.pool),
  left: reserveAt(terms, state.pool + added),
  inputs: terms.asset === 'tokens' && added > 0n ? [purse(), tokens(added)] : [purse(added)],
});

const notDue = 'the periods are due';
const newState = 'output 0 carries the new state';
const refusedPay = (call: 'pause' | 'cancel', { asset }: Terms): string => {
  if (call === 'cancel')
    return asset === 'BCH' ? 'the recipient gets what is owed' : 'the recipient gets the tokens owed';
  return asset === 'BCH' ? 'output 0 keeps the pool' : 'the reserve holds what remains';
};

type Standing = readonly [label: string, terms: Terms, state: State, now: number];

/** What is settled at a second is claimed, paused and cancelled with; one period more or less is not. */
const settles = ([label, terms, state, now]: Standing): Boundaries => {
  const { asset } = terms;
  const n = settledAt(terms, state, now);
  const edge = (name: string, parts: () => Parts) => ({ name: `${name} › ${label}`, asset, parts });
  const lessOf = (call: 'pause' | 'cancel'): Attack[] => {
    if (n === 0n) return [];
    const parts = () => (call === 'pause' ? pause : cancel)(terms, state, now, n - 1n);
    // One period less is none: the state, or the place of the payout, tells.
    const ofNone = call === 'pause' ? refusedPay('pause', terms) : 'output 0 goes to the recipient';
    const isAll = call === 'pause' && asset === 'tokens' && n * terms.amount === state.pool;
    if (isAll) return [refuses('payout', 'the payout goes to the recipient', edge('pause, 1 less', parts))];
    const isDust = asset === 'BCH' && n * terms.amount <= 546n;
    if (isDust && n > 1n) return [];
    return [refuses('payout', n === 1n ? ofNone : refusedPay(call, terms), edge(`${call}, 1 less`, parts))];
  };
  const toThief = (call: 'pause' | 'cancel'): Attack => {
    const parts = () => (call === 'pause' ? pause : cancel)(terms, state, now);
    const refusedBy =
      call === 'pause' ? 'the payout goes to the recipient' : 'output 0 goes to the recipient';
    const at = call === 'cancel' ? 0 : parts().left == null ? 1 : 2;
    return refuses('payout', refusedBy, {
      ...edge(`${call}, the payout goes to a thief`, parts),
      change: (spend) => changeOutput(spend, at, { lockingBytecode: thief.lock }),
    });
  };
  return {
    moves: [
      ...(n > 0n ? [allows(edge('claim', () => claim(terms, state, n, now)))] : []),
      allows(edge('pause', () => pause(terms, state, now))),
      allows(edge('cancel', () => cancel(terms, state, now))),
    ],
    attacks: [
      ...lessOf('pause'),
      ...lessOf('cancel'),
      ...(n > 0n ? [toThief('pause'), toThief('cancel')] : []),
    ],
  };
};

const standings = (asset: Asset): Standing[] => {
  const terms = termsOf(asset);
  const open = { ...terms, periods: 0 };
  const quick = { ...terms, interval: 1, amount: 700n };
  const penny = { ...terms, amount: 1n };
  const due = FRESH.nextDue;
  const rich = { ...FRESH, pool: 40n * AMOUNT };
  return [
    ['a second before the first period', terms, FRESH, due - 1],
    ['at the first period', terms, FRESH, due],
    ['a second behind the first period', terms, FRESH, due + 1],
    ['a second before the second period', terms, FRESH, due + INTERVAL - 1],
    ['at the second period', terms, FRESH, due + INTERVAL],
    ['a second behind the second period', terms, FRESH, due + INTERVAL + 1],
    ['one period is funded', terms, { ...FRESH, pool: AMOUNT }, NOW],
    ['one period is funded, and almost a second', terms, { ...FRESH, pool: 2n * AMOUNT - 1n }, NOW],
    ['a period is funded but for 1', terms, { ...FRESH, pool: AMOUNT - 1n }, NOW],
    ['two periods are funded', terms, { ...FRESH, pool: 2n * AMOUNT }, NOW],
    ['one period of the term is left', terms, { ...rich, paid: TERM - 1 }, NOW],
    ['two periods of the term are left', terms, { ...rich, paid: TERM - 2 }, NOW],
    [
      'one period of a long term is left',
      { ...terms, periods: 2 ** 24 + 6 },
      { ...rich, paid: 2 ** 24 + 5 },
      NOW,
    ],
    ['a term of one period', { ...terms, periods: 1 }, rich, NOW],
    ['a term of two periods, one of them paid', { ...terms, periods: 2 }, { ...rich, paid: 1 }, NOW],
    ['open-ended, none paid', open, FRESH, NOW],
    ['open-ended, one paid', open, { ...FRESH, paid: 1 }, NOW],
    ['open-ended, three paid', open, { ...FRESH, paid: 3 }, due],
    ['an interval of 1 second, a second early', quick, { ...FRESH, nextDue: NOW + 1 }, NOW],
    ['an interval of 1 second, two seconds early', quick, { ...FRESH, nextDue: NOW + 2 }, NOW],
    ['an interval of 1 second, at the first period', quick, { ...FRESH, nextDue: NOW }, NOW],
    ['an interval of 1 second, at the second period', quick, { ...FRESH, nextDue: NOW - 1 }, NOW],
    ['a unit each period, one is due', penny, { ...FRESH, pool: 5n }, due],
    ['a unit each period, two are due', penny, { ...FRESH, pool: 5n }, due + INTERVAL],
    ['a unit each period, one is funded', penny, { ...FRESH, pool: 1n }, NOW],
    ['a unit each period, all are funded', penny, { ...FRESH, pool: 3n }, NOW],
    ['545 units each period', { ...terms, amount: 545n }, { ...FRESH, pool: 545n }, due],
    ['a period behind 2038', terms, { ...FRESH, nextDue: LATE }, LATE + INTERVAL],
    ['behind 2038, a second early', terms, { ...FRESH, nextDue: LATE }, LATE - 1],
    ['many paid', open, { ...FRESH, paid: 2 ** 30 + 2 ** 24 + 7 }, NOW],
    ['an interval of the longest', { ...terms, interval: 2 ** 31 - 1 }, { ...FRESH, nextDue: NOW }, NOW],
    [
      'amounts of 8 bytes',
      { ...terms, amount: LARGE[asset] },
      { ...FRESH, pool: 3n * LARGE[asset] },
      due + INTERVAL,
    ],
    ['nothing funded', terms, { ...FRESH, pool: 0n }, NOW],
  ];
};

const claims = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const open = { ...terms, periods: 0 };
  const due = FRESH.nextDue;
  const edge = (name: string, parts: () => Parts) => ({ name: `claim › ${name}`, asset, parts });
  return {
    moves: [],
    attacks: [
      refuses(
        'over-claim',
        notDue,
        edge('a second before the first period', () => claim(terms, FRESH, 1n, due - 1)),
      ),
      refuses(
        'over-claim',
        notDue,
        edge('a second before the second period', () => claim(terms, FRESH, 2n, due + INTERVAL - 1)),
      ),
      refuses(
        'over-claim',
        'the periods are funded',
        edge('all but 1 is funded', () => claim(terms, { ...FRESH, pool: 2n * AMOUNT - 1n }, 2n)),
      ),
      refuses(
        'terms',
        'the periods are within the term',
        edge('one period more than the term has', () => claim(terms, { ...FRESH, paid: TERM - 1 }, 2n)),
      ),
      refuses(
        'over-claim',
        'the periods are funded',
        edge('an open-ended payment beyond its pool', () => claim(open, FRESH, 6n, NOW + 10_000)),
      ),
    ],
  };
};

const refills = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const open = { ...terms, periods: 0 };
  const penny = { ...terms, amount: 1n };
  const late = { ...terms, periods: 2 ** 31 - 1 };
  const many = { ...FRESH, paid: 2 ** 30 + 2 ** 24 + 7 };
  const room = BigInt(late.periods - many.paid);
  const large = { ...open, amount: LARGE[asset] };
  const edge = (name: string, parts: () => Parts) => ({ name: `refill › ${name}`, asset, parts });
  return {
    moves: [
      allows(edge('by one period', () => refill(terms, FRESH, AMOUNT))),
      allows(
        edge('of a pool that is no whole number of periods', () =>
          refill(terms, { ...FRESH, pool: 4_500n }, AMOUNT),
        ),
      ),
      allows(edge('by one unit, which is a period', () => refill(penny, { ...FRESH, pool: 2n }, 1n))),
      allows(
        edge('by one period where one is left', () =>
          refill(terms, { ...FRESH, paid: TERM - 1, pool: 0n }, AMOUNT),
        ),
      ),
      allows(edge('an open-ended payment of which many are paid', () => refill(open, many, AMOUNT))),
      allows(edge('a long term to its end', () => refill(late, many, (room - 5n) * AMOUNT))),
      allows(edge('amounts of 8 bytes', () => refill(large, { ...FRESH, pool: LARGE[asset] }, LARGE[asset]))),
    ],
    attacks: [
      refuses(
        'terms',
        'the pool is within the term',
        edge('a period more than a long term has', () => refill(late, many, (room - 4n) * AMOUNT)),
      ),
      refuses(
        'terms',
        'the pool is within the term',
        edge('a unit more than the term has', () =>
          refill(penny, { ...FRESH, paid: TERM - 1, pool: 1n }, 1n),
        ),
      ),
      refuses(
        'terms',
        'the pool is within the term',
        edge('a term that is paid', () => refill(terms, { ...FRESH, paid: TERM, pool: 0n }, AMOUNT)),
      ),
      ...[AMOUNT - 1n, AMOUNT + 1n, 1n].map((added) =>
        refuses(
          'terms',
          'the pool grows by whole periods',
          edge(`by ${added} units`, () => refill(terms, FRESH, added)),
        ),
      ),
      refuses(
        'terms',
        'the pool grows by whole periods',
        edge('to a whole number of periods', () => refill(terms, { ...FRESH, pool: 4_500n }, 1_500n)),
      ),
      refuses(
        'amount',
        'the pool grows',
        edge('by nothing', () => refill(terms, FRESH, 0n)),
      ),
      refuses(
        'amount',
        'the pool grows',
        edge('by a period less than nothing', () => refill(terms, FRESH, -AMOUNT)),
      ),
    ],
  };
};

/** An open-ended payment owes what is due like any other (the term is no bound where there is none). */
const openEnded = (asset: Asset): Boundaries => {
  const open = { ...termsOf(asset), periods: 0 };
  const edge = (name: string, parts: () => Parts) => ({ name, asset, parts });
  const at = asset === 'BCH' ? 1 : 2;
  return {
    moves: [],
    attacks: [0, 1, 500].flatMap((paid) => {
      const state = { ...FRESH, paid };
      return [
        refuses('payout', 'output 0 goes to the recipient', {
          ...edge(`cancel › open-ended, ${paid} paid, what is due goes to a thief`, () =>
            cancel(open, state),
          ),
          change: (spend) => changeOutput(spend, 0, { lockingBytecode: thief.lock }),
        }),
        refuses(
          'payout',
          'output 0 goes to the recipient',
          edge(`cancel › open-ended, ${paid} paid, nothing is paid out`, () => cancel(open, state, NOW, 0n)),
        ),
        refuses('payout', 'the payout goes to the recipient', {
          ...edge(`pause › open-ended, ${paid} paid, what is due goes to a thief`, () => pause(open, state)),
          change: (spend) => changeOutput(spend, at, { lockingBytecode: thief.lock }),
        }),
      ];
    }),
  };
};

/** A paused payment owes nothing, whatever its dates and its pool say. */
const whilePaused = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const still = { ...FRESH, status: 1 };
  const edge = (name: string, parts: () => Parts) => ({ name, asset, parts });
  return {
    moves: [
      allows(edge('cancel › while paused, long after', () => cancel(terms, still, NOW + 40_000))),
      allows(
        edge('cancel › while paused, as of a time before', () =>
          cancel(terms, still, FRESH.nextDue - 40_000),
        ),
      ),
      allows(edge('resume › behind 2038', () => resume(terms, still, LATE))),
      allows(
        edge('resume › amounts of 8 bytes', () =>
          resume(terms, { ...still, pool: LARGE[asset], paid: 2 ** 30 + 7 }),
        ),
      ),
    ],
    attacks: [],
  };
};

const keeps = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const still = { ...FRESH, status: 1 };
  const early = { ...FRESH, nextDue: FIRST_TIME + 1 };
  return joinAll([
    keepsWith('resume', asset, () => resume(terms, still)),
    asksForTime('resume', asset, (now) => resume(terms, still, now)),
    asksForTime('pause', asset, (now) => pause(terms, early, now)),
    asksForTime('cancel', asset, (now) => cancel(terms, early, now)),
    {
      moves: [
        allows({
          name: 'claim › at the first second that is a time',
          asset,
          parts: () => claim(terms, { ...FRESH, nextDue: FIRST_TIME }, 1n, FIRST_TIME),
        }),
      ],
      attacks: [
        refuses('commitment', newState, {
          name: 'pause › one period is paid, and the state says none',
          asset,
          parts: () => {
            const parts = pause(terms, FRESH, FRESH.nextDue);
            return {
              ...parts,
              after: { ...carry(terms, { ...FRESH, status: 1 }), satoshis: parts.after?.satoshis ?? 0n },
            };
          },
        }),
      ],
    },
  ]);
};

const reserves = (): Boundaries => {
  const terms = termsOf('tokens');
  const penny = { ...terms, amount: 1n };
  const oneLeft = { ...FRESH, pool: 4n };
  const reserve = { asset: 'tokens', at: 1, what: 'the reserve', attack: 'skim-reserve' } as const;
  const claims3 = () => claim(terms, FRESH, 3n);
  const refilled = () => refill(terms, FRESH, AMOUNT);
  return joinAll([
    keepsSatoshis('claim', claims3),
    keepsSatoshis('pause', () => pause(terms, FRESH)),
    keepsSatoshis('refill', refilled),
    {
      moves: [
        allows({
          name: 'claim › all but 1 unit of the pool',
          asset: 'tokens',
          parts: () => claim(penny, oneLeft, 3n),
        }),
        allows({
          name: 'pause › all but 1 unit of the pool',
          asset: 'tokens',
          parts: () => pause(penny, oneLeft),
        }),
      ],
      attacks: [
        ...keepsReserve('claim', claims3),
        ...keepsReserve('claim › all but 1 unit', () => claim(penny, oneLeft, 3n)),
        refuses('payout', 'the recipient gets the tokens owed', {
          name: 'pause › the recipient gets 1 token from elsewhere',
          asset: 'tokens',
          parts: () => ({
            ...pause(terms, FRESH),
            inputs: [purse(), tokens(1n)],
            outputs: [payment('tokens', recipient.lock, 3n * AMOUNT + 1n)],
          }),
        }),
        ...keepsReserve('pause', () => pause(terms, FRESH)),
        ...keepsReserve('pause › all but 1 unit', () => pause(penny, oneLeft)),
      ],
    },
    pins({ ...reserve, name: 'claim', parts: claims3 }),
    pins({ ...reserve, name: 'pause', parts: () => pause(terms, FRESH) }),
    pins({ ...reserve, name: 'refill', parts: refilled }),
  ]);
};

const payouts = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const payout = { asset, what: 'the payout', attack: 'payout' } as const;
  const empty = { ...FRESH, pool: 3n * AMOUNT };
  return joinAll([
    pins({ ...payout, name: 'cancel', parts: () => cancel(terms, FRESH), at: 0 }),
    pins({ ...payout, name: 'pause', parts: () => pause(terms, FRESH), at: asset === 'BCH' ? 1 : 2 }),
    pins({ ...payout, name: 'pause › nothing remains', parts: () => pause(terms, empty), at: 1 }),
  ]);
};

const ends = (asset: Asset): Boundaries => {
  const terms = termsOf(asset);
  const last = { ...FRESH, paid: TERM - 1, pool: AMOUNT };
  return joinAll([
    endsWith('claim', asset, () => claim(terms, last, 1n)),
    endsWith('cancel', asset, () => cancel(terms, { ...FRESH, nextDue: NOW + 1 })),
  ]);
};

const all: Boundaries = joinAll([
  ...ASSETS.flatMap((asset) => [
    ...standings(asset).map(settles),
    claims(asset),
    refills(asset),
    openEnded(asset),
    whilePaused(asset),
    keeps(asset),
    payouts(asset),
    ends(asset),
  ]),
  reserves(),
]);

export const paymentMoves: readonly Move[] = all.moves;
export const paymentAttacks: readonly Attack[] = all.attacks;
