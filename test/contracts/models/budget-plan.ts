/**
 * BudgetPlan(budgetId, controllerHash, authorityHash, tokenCategory, milestones[, pushMinimum]): a pool that falls due milestone by
 * milestone. `milestones`: `cumulativeSeconds u40 | cumulativeAmount u64` each. State: `status u8 | current u8 | anchor u40 |
 * pausedAt u40 | recipient 20 | flags u8`; the anchor is when the milestone before the next one fell due.
 */
import {
  ACTIVE,
  CANCELABLE,
  ends,
  goesOn,
  hasFlag,
  keepsAll,
  keepsReserve,
  PAUSED,
  paysOwed,
  recipientLock,
  signedBy,
  stoodAt,
  threadOf,
  timeOf,
  witnessedTimeOf,
} from './covenant.js';
import { pushed } from './push.js';
import {
  bytesOf,
  commitmentOf,
  field,
  integer,
  pieces,
  sizeOf,
  unsigned,
  type Coin,
  type Hex,
  type Law,
  type Model,
  type Terms,
} from './vocabulary.js';

type State = {
  readonly status: bigint;
  readonly current: bigint;
  readonly anchor: bigint;
  readonly pausedAt: bigint;
  readonly recipient: Hex;
  readonly flags: bigint;
};

const read = (thread: Coin): State => {
  const [status = '', current = '', anchor = '', pausedAt = '', recipient = '', flags = ''] = pieces(
    commitmentOf(thread),
    [1, 1, 5, 5, 20, 1],
  );
  return {
    status: unsigned(status),
    current: unsigned(current),
    anchor: unsigned(anchor),
    pausedAt: unsigned(pausedAt),
    recipient,
    flags: unsigned(flags),
  };
};
const write = ({ status, current, anchor, pausedAt, recipient, flags }: State): Hex =>
  field(status, 1) + field(current, 1) + field(anchor, 5) + field(pausedAt, 5) + recipient + field(flags, 1);

const MILESTONE = 13;

type Milestone = { readonly seconds: bigint; readonly amount: bigint };

/** What has passed and what is owed once a milestone is due, from the beginning: number 0. */
const milestonesOf = (terms: Terms): Milestone[] => {
  const packed = bytesOf(terms, 'milestones');
  const each = Array.from({ length: sizeOf(packed) / MILESTONE }, (_, index) => {
    const from = 2 * MILESTONE * index;
    const seconds = unsigned(packed.slice(from, from + 10));
    return { seconds, amount: unsigned(packed.slice(from + 10, from + 2 * MILESTONE)) };
  });
  return [{ seconds: 0n, amount: 0n }, ...each];
};

/** The plan at a milestone: what it has come to, and what is left after it. */
type Reached = {
  readonly state: State;
  readonly upTo: bigint;
  readonly due: bigint;
  readonly rest: bigint;
  readonly seconds: bigint;
  /** The number of the last milestone that has elapsed. */
  readonly elapsed: bigint;
  readonly isLast: boolean;
};

const reach = (law: Law, state: State, now: bigint): Reached => {
  const { terms, call, must } = law;
  const milestones = milestonesOf(terms);
  const upTo = integer(call, 'upTo');
  const here = milestones[Number(state.current)];
  const there = milestones[Number(upTo)];
  must(here !== undefined && there !== undefined, 'there is such a milestone');
  const { seconds: before = 0n, amount: paid = 0n } = here ?? {};
  const { seconds: after = 0n, amount: all = 0n } = there ?? {};
  const hasElapsed = ({ seconds }: Milestone): boolean => now - state.anchor >= seconds - before;
  const elapsed = milestones.findLastIndex(
    (milestone, number) => number <= Number(state.current) || hasElapsed(milestone),
  );
  return {
    state,
    upTo,
    due: all - paid,
    rest: (milestones.at(-1)?.amount ?? 0n) - all,
    seconds: after - before,
    elapsed: BigInt(elapsed),
    isLast: Number(upTo) === milestones.length - 1,
  };
};

const released = ({ state, upTo, seconds }: Reached): Hex =>
  write({ ...state, current: upTo, anchor: state.anchor + seconds });

const controllerSigns = (law: Law): void => {
  signedBy(law, 'controller', bytesOf(law.terms, 'controllerHash'));
};
/** Rule 5: an old locktime would help the controller, so the authority says that the time is now. */
const withWitness = (law: Law): void => {
  controllerSigns(law);
  signedBy(law, 'authority', bytesOf(law.terms, 'authorityHash'));
};

export const budgetPlan: Model = {
  /** Signed by the recipient, who chooses how many of the elapsed milestones, and where their money goes. */
  release: (law) => {
    const state = read(threadOf(law));
    signedBy(law, 'recipient', state.recipient);
    const reached = reach(law, state, stoodAt(state, timeOf(law)));
    law.must(reached.upTo > state.current, 'a milestone is released');
    law.must(reached.upTo <= reached.elapsed, 'the milestone has elapsed');
    if (reached.isLast) {
      ends(law);
      return;
    }
    goesOn(law, released(reached), reached.due);
    keepsReserve(law, reached.rest);
  },

  /** Signed by the controller and the authority. Rule 15: not without `cancelable`. */
  pause: (law) => {
    const state = read(threadOf(law));
    withWitness(law);
    law.must(hasFlag(state.flags, CANCELABLE), 'the plan is cancelable');
    law.must(state.status === ACTIVE, 'the plan is active');
    keepsAll(law, write({ ...state, status: PAUSED, pausedAt: witnessedTimeOf(law) }));
  },

  /** Signed by the controller. What has not elapsed falls due later by the pause. */
  resume: (law) => {
    const state = read(threadOf(law));
    controllerSigns(law);
    law.must(state.status === PAUSED, 'the plan is paused');
    const stood = timeOf(law) - state.pausedAt;
    law.must(stood >= 0n, 'the pause began before');
    keepsAll(law, write({ ...state, status: ACTIVE, pausedAt: 0n, anchor: state.anchor + stood }));
  },

  /** Signed by the controller and the authority: exactly what has elapsed to the recipient, the rest is theirs who sign. */
  cancel: (law) => {
    const state = read(threadOf(law));
    withWitness(law);
    law.must(hasFlag(state.flags, CANCELABLE), 'the plan is cancelable');
    const reached = reach(law, state, stoodAt(state, witnessedTimeOf(law)));
    law.must(reached.upTo === reached.elapsed, 'exactly what has elapsed');
    ends(law);
    if (reached.due > 0n) paysOwed(law, 0, recipientLock(state), reached.due);
  },

  /** Signed by nobody: what a release of all that has elapsed does, with less freedom. */
  push: (law) => {
    const state = read(threadOf(law));
    law.must(state.status === ACTIVE, 'the plan is active');
    const reached = reach(law, state, timeOf(law));
    law.must(reached.upTo === reached.elapsed, 'exactly what has elapsed');
    pushed(law, {
      recipient: recipientLock(state),
      amount: reached.due,
      remaining: reached.rest,
      next: reached.isLast ? null : released(reached),
    });
  },
};
