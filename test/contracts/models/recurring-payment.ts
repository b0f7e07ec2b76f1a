/**
 * RecurringPayment(paymentId, senderHash, authorityHash, tokenCategory, amountPerPeriod, interval, periods[, pushMinimum]): a pool that
 * pays the same amount every interval. State: `status u8 | nextDue u40 | paid u32 | pool u64 | recipient 20 | flags u8`; the
 * pool of BCH is what the thread holds above its dust, and the field is 0.
 */
import {
  ACTIVE,
  CANCELABLE,
  ends,
  goesOn,
  hasFlag,
  isInBch,
  keepsAll,
  keepsReserve,
  PAUSED,
  paysOwed,
  recipientLock,
  REFILLABLE,
  signedBy,
  THREAD_DUST,
  threadOf,
  timeOf,
  witnessedTimeOf,
} from './covenant.js';
import { pushed } from './push.js';
import {
  bytesOf,
  commitmentOf,
  field,
  inputAt,
  integer,
  numberOf,
  outputAt,
  pieces,
  tokensOf,
  unsigned,
  type Coin,
  type Hex,
  type Law,
  type Model,
  type Terms,
} from './vocabulary.js';

type State = {
  readonly status: bigint;
  readonly nextDue: bigint;
  readonly paid: bigint;
  /** Tokens; 0 in BCH. */
  readonly pool: bigint;
  readonly recipient: Hex;
  readonly flags: bigint;
};

const read = (thread: Coin): State => {
  const [status = '', nextDue = '', paid = '', pool = '', recipient = '', flags = ''] = pieces(
    commitmentOf(thread),
    [1, 5, 4, 8, 20, 1],
  );
  return {
    status: unsigned(status),
    nextDue: unsigned(nextDue),
    paid: unsigned(paid),
    pool: unsigned(pool),
    recipient,
    flags: unsigned(flags),
  };
};
const write = ({ status, nextDue, paid, pool, recipient, flags }: State): Hex =>
  field(status, 1) + field(nextDue, 5) + field(paid, 4) + field(pool, 8) + recipient + field(flags, 1);

const amountOf = (terms: Terms): bigint => numberOf(terms, 'amountPerPeriod');

/** What lies in the pool, in whatever it is. */
const poolOf = (law: Law, state: State): bigint =>
  isInBch(law) ? inputAt(law.call, 0).satoshis - THREAD_DUST : state.pool;

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Periods that can be paid now: due, funded, and of the term. */
const settledAt = (law: Law, state: State, now: bigint): bigint => {
  const { terms } = law;
  const periods = numberOf(terms, 'periods');
  const due = now < state.nextDue ? 0n : (now - state.nextDue) / numberOf(terms, 'interval') + 1n;
  const ofTerm = periods === 0n ? due : least(due, periods - state.paid);
  return least(ofTerm, poolOf(law, state) / amountOf(terms));
};

/** The state once so many periods more are paid. */
const paidUp = (law: Law, state: State, count: bigint): State => ({
  ...state,
  nextDue: state.nextDue + count * numberOf(law.terms, 'interval'),
  paid: state.paid + count,
  pool: isInBch(law) ? 0n : state.pool - count * amountOf(law.terms),
});

/** Whether the last period of a fixed term is paid; an open payment has none. */
const isLast = ({ terms }: Law, { paid }: State): boolean =>
  numberOf(terms, 'periods') > 0n && paid === numberOf(terms, 'periods');

const senderSigns = (law: Law): void => {
  signedBy(law, 'sender', bytesOf(law.terms, 'senderHash'));
};
/** Rule 5: an old locktime would help the sender, so the authority says that the time is now. */
const withWitness = (law: Law): void => {
  senderSigns(law);
  signedBy(law, 'authority', bytesOf(law.terms, 'authorityHash'));
};

export const recurringPayment: Model = {
  /** Signed by the recipient, who chooses how many of the settled periods, and where their money goes. */
  claim: (law) => {
    const { call, must } = law;
    const state = read(threadOf(law));
    signedBy(law, 'recipient', state.recipient);
    must(state.status === ACTIVE, 'the payment is active');
    const count = integer(call, 'n');
    must(count > 0n, 'a period is claimed');
    must(count <= settledAt(law, state, timeOf(law)), 'the periods are due and funded');
    const next = paidUp(law, state, count);
    if (isLast(law, next)) {
      ends(law);
      return;
    }
    goesOn(law, write(next), count * amountOf(law.terms));
    keepsReserve(law, next.pool);
  },

  /** Signed by the sender, in any status: whole periods go in, at most those left to pay. */
  refill: (law) => {
    const { terms, call, must } = law;
    const thread = threadOf(law);
    const state = read(thread);
    senderSigns(law);
    must(hasFlag(state.flags, REFILLABLE), 'the payment is refillable');
    const added = isInBch(law)
      ? outputAt(call, 0).satoshis - thread.satoshis
      : tokensOf(outputAt(call, 1)) - state.pool;
    must(added > 0n, 'something goes in');
    must(added % amountOf(terms) === 0n, 'whole periods go in');
    const pool = poolOf(law, state) + added;
    const periods = numberOf(terms, 'periods');
    must(
      periods === 0n || pool <= (periods - state.paid) * amountOf(terms),
      'no more goes in than is left to pay',
    );
    const held = isInBch(law) ? 0n : pool;
    goesOn(law, write({ ...state, pool: held }), -added);
    keepsReserve(law, held);
  },

  /**
   * Signed by the sender and the authority: what is settled is paid, then it stands still. It counts as a move that pays even
   * when nothing is settled: the reserve may come along, for it is accounted for.
   */
  pause: (law) => {
    const state = read(threadOf(law));
    withWitness(law);
    law.must(hasFlag(state.flags, CANCELABLE), 'the payment is cancelable');
    law.must(state.status === ACTIVE, 'the payment is active');
    const count = settledAt(law, state, witnessedTimeOf(law));
    const owed = count * amountOf(law.terms);
    const next = paidUp(law, state, count);
    goesOn(law, write({ ...next, status: PAUSED }), owed);
    const at = keepsReserve(law, next.pool);
    if (count > 0n) paysOwed(law, at, recipientLock(state), owed);
  },

  /** Signed by the sender. The next period falls due an interval from now. */
  resume: (law) => {
    const state = read(threadOf(law));
    senderSigns(law);
    law.must(state.status === PAUSED, 'the payment is paused');
    // A block's height would be a date long past, and all at once be due.
    const nextDue = witnessedTimeOf(law) + numberOf(law.terms, 'interval');
    keepsAll(law, write({ ...state, status: ACTIVE, nextDue }));
  },

  /** Signed by the sender and the authority: what is settled to the recipient, the rest is theirs who sign. */
  cancel: (law) => {
    const state = read(threadOf(law));
    withWitness(law);
    law.must(hasFlag(state.flags, CANCELABLE), 'the payment is cancelable');
    const now = witnessedTimeOf(law);
    const count = state.status === PAUSED ? 0n : settledAt(law, state, now);
    ends(law);
    if (count > 0n) paysOwed(law, 0, recipientLock(state), count * amountOf(law.terms));
  },

  /** Signed by nobody: what a claim of all settled periods does, with less freedom. */
  push: (law) => {
    const state = read(threadOf(law));
    law.must(state.status === ACTIVE, 'the payment is active');
    const count = settledAt(law, state, timeOf(law));
    const next = paidUp(law, state, count);
    pushed(law, {
      recipient: recipientLock(state),
      amount: count * amountOf(law.terms),
      remaining: next.pool,
      next: isLast(law, next) ? null : write(next),
    });
  },
};
