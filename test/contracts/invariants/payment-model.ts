/** Recurring payments: random terms, and the moves that may be tried, with what the second implementation says of each. */
import { binToHex } from '@bitauth/libauth';
import fc from 'fast-check';
import { bind } from '../harness/bound.js';
import { ASSETS, categoryOf, type Asset } from '../harness/coins.js';
import { authority, owner, recipient } from '../harness/parties.js';
import { paymentLayout } from '../recurring-payment.cases.js';
import { askedAmount, type Attempt, type Covenant, type Order } from './covenant.js';
import { settledBy } from './exact.js';
import { anyFlags, anyId, anyLeast, anyStart } from './numbers.js';

export type PaymentTerms = {
  readonly asset: Asset;
  readonly id: Uint8Array;
  readonly amount: bigint;
  readonly interval: number;
  /** 0: open-ended. */
  readonly periods: number;
  /** Periods that funding puts in. */
  readonly funded: number;
  readonly firstDue: number;
  readonly flags: number;
  /** `pushMinimum`; 0: no push. */
  readonly least: bigint;
};

/** With the pool in it for BCH too, where it is the value of the coin and not in the commitment. */
export type PaymentState = {
  readonly status: number;
  readonly nextDue: number;
  readonly paid: number;
  readonly pool: bigint;
  readonly recipient: string;
  readonly flags: number;
};

export const anyPaymentTerms: fc.Arbitrary<PaymentTerms> = fc
  .record({
    asset: fc.constantFrom(...ASSETS),
    id: anyId,
    amount: fc.oneof(fc.bigInt({ min: 1n, max: 3_000n }), fc.bigInt({ min: 1n, max: 10_000_000_000_000n })),
    interval: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5_000_000 })),
    periods: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 12 })),
    funded: fc.integer({ min: 1, max: 12 }),
    firstDue: anyStart,
    flags: anyFlags(1, 4),
    least: anyLeast('BCH'),
  })
  .map((terms) => ({
    ...terms,
    funded: terms.periods === 0 ? terms.funded : Math.min(terms.funded, terms.periods),
    // An open-ended payment must be cancelable.
    flags: terms.periods === 0 ? terms.flags | 1 : terms.flags,
  }));

const moveOn = ({ amount, interval }: PaymentTerms, state: PaymentState, count: bigint): PaymentState => {
  const pool = state.pool - count * amount;
  return {
    ...state,
    nextDue: Math.max(state.nextDue + Number(count) * interval, 0),
    paid: Math.max(state.paid + Number(count), 0),
    pool: pool < 0n ? 0n : pool,
  };
};

const SENDER = [owner.publicKey, { sign: owner }] as const;
const WITNESSED = [...SENDER, authority.publicKey, { sign: authority }] as const;

type Tried = (
  terms: PaymentTerms,
  state: PaymentState,
  order: Order,
  now: number,
) => Omit<Attempt<PaymentState>, 'call'>;

const claim: Tried = (terms, state, order, now) => {
  const settled = settledBy(terms, state, now);
  const count = askedAmount(order, settled);
  const after = moveOn(terms, state, count);
  return {
    args: [recipient.publicKey, { sign: recipient }, count],
    after: terms.periods > 0 && after.paid === terms.periods ? null : after,
    pays: [{ to: recipient.lock, amount: count * terms.amount }],
    adds: 0n,
    opens: true,
    by: recipient,
    isWitnessed: false,
    isAllowed: state.status === 0 && count > 0n && count <= settled,
  };
};

/** Periods that the term still has room for; a few where it is open. */
const roomFor = ({ amount, periods }: PaymentTerms, { paid, pool }: PaymentState): bigint =>
  periods === 0 ? 5n : BigInt(periods - paid) - pool / amount;

const refill: Tried = (terms, state, order) => {
  const room = roomFor(terms, state);
  const count = askedAmount(order, room);
  // One unit instead of one period: the pool grows by whole periods only.
  const isOdd = order.asked === 'one' && terms.amount > 1n;
  const added = isOdd ? 1n : count * terms.amount;
  const isWithin = terms.periods === 0 || count <= room;
  return {
    args: SENDER,
    after: { ...state, pool: state.pool + (added < -state.pool ? 0n : added) },
    pays: [],
    adds: added < 0n ? 0n : added,
    opens: true,
    by: owner,
    isWitnessed: false,
    isAllowed: (state.flags & 4) !== 0 && !isOdd && count > 0n && isWithin,
  };
};

const pause: Tried = (terms, state, _, now) => {
  const settled = settledBy(terms, state, now);
  return {
    args: WITNESSED,
    after: { ...moveOn(terms, state, settled), status: 1 },
    pays: [{ to: recipient.lock, amount: settled * terms.amount }],
    adds: 0n,
    opens: true,
    by: owner,
    isWitnessed: true,
    isAllowed: state.status === 0 && (state.flags & 1) !== 0,
  };
};

const resume: Tried = ({ interval }, state, _, now) => ({
  args: SENDER,
  after: { ...state, status: 0, nextDue: now + interval },
  pays: [],
  adds: 0n,
  opens: false,
  by: owner,
  isWitnessed: false,
  isAllowed: state.status === 1,
});

const cancel: Tried = (terms, state, _, now) => {
  const owed = state.status === 1 ? 0n : settledBy(terms, state, now) * terms.amount;
  return {
    args: WITNESSED,
    after: null,
    pays: [
      { to: recipient.lock, amount: owed },
      { to: owner.lock, amount: state.pool - owed },
    ],
    adds: 0n,
    opens: true,
    by: owner,
    isWitnessed: true,
    isAllowed: (state.flags & 1) !== 0,
  };
};

const push: Tried = (terms, state, _, now) => {
  const count = settledBy(terms, state, now);
  const after = moveOn(terms, state, count);
  const isLast = terms.periods > 0 && after.paid === terms.periods;
  const amount = count * terms.amount;
  return {
    args: [],
    after: isLast ? null : after,
    pays: [{ to: recipient.lock, amount }],
    adds: 0n,
    opens: true,
    by: owner,
    isWitnessed: false,
    isPush: true,
    isAllowed: state.status === 0 && terms.least > 0n && count > 0n && (amount >= terms.least || isLast),
  };
};

const TRIED: Readonly<Record<string, Tried>> = { claim, push, refill, pause, resume, cancel };

/** A recurring payment of some terms. */
export const paymentCovenant = (terms: PaymentTerms): Covenant<PaymentState> => {
  const { asset, amount, interval, periods, firstDue } = terms;
  return {
    name: 'recurring-payment',
    asset,
    contract: bind('recurring-payment', [
      terms.id,
      owner.hash,
      authority.hash,
      categoryOf(asset),
      amount,
      BigInt(interval),
      BigInt(periods),
      terms.least,
    ]),
    calls: [
      'claim',
      'claim',
      'claim',
      'push',
      'push',
      'refill',
      'refill',
      'refill',
      'pause',
      'pause',
      'resume',
      'resume',
      'cancel',
    ],
    first: {
      status: 0,
      nextDue: firstDue,
      paid: 0,
      pool: BigInt(terms.funded) * amount,
      recipient: binToHex(recipient.hash),
      flags: terms.flags,
    },
    span: { from: firstDue, to: firstDue + interval * 12 },
    encode: (state) => paymentLayout.encode(asset === 'BCH' ? { ...state, pool: 0n } : state),
    decode: (commitment) => {
      const state = paymentLayout.decode(commitment);
      if (state === null) throw new Error(`${commitment} is no state of a payment`);
      return state;
    },
    remaining: ({ pool }) => pool,
    boundaries: ({ nextDue }) => [0, 1, 2, 5].map((count) => nextDue + count * interval),
    attempt: (state, order, now) => {
      const tried = TRIED[order.call];
      if (tried === undefined) throw new Error(`a payment has no ${order.call}`);
      return { call: order.call, ...tried(terms, state, order, now) };
    },
  };
};
