/**
 * Stream(streamId, senderHash, authorityHash, tokenCategory, schedule[, pushMinimum]): a pool that vests along a schedule.
 * `schedule`: segments of `offset u40 | cumulative u64 | step u32`. State: `status u8 | released u64 | start u40 | pausedAt u40 |
 * recipient 20 | flags u8`.
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
  TRANSFERABLE,
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
  readonly released: bigint;
  readonly start: bigint;
  readonly pausedAt: bigint;
  readonly recipient: Hex;
  readonly flags: bigint;
};

const read = (thread: Coin): State => {
  const [status = '', released = '', start = '', pausedAt = '', recipient = '', flags = ''] = pieces(
    commitmentOf(thread),
    [1, 8, 5, 5, 20, 1],
  );
  return {
    status: unsigned(status),
    released: unsigned(released),
    start: unsigned(start),
    pausedAt: unsigned(pausedAt),
    recipient,
    flags: unsigned(flags),
  };
};
const write = ({ status, released, start, pausedAt, recipient, flags }: State): Hex =>
  field(status, 1) + field(released, 8) + field(start, 5) + field(pausedAt, 5) + recipient + field(flags, 1);

const SEGMENT = 17;

type Segment = { readonly offset: bigint; readonly cumulative: bigint; readonly step: bigint };

const segmentsOf = (terms: Terms): Segment[] => {
  const packed = bytesOf(terms, 'schedule');
  return Array.from({ length: sizeOf(packed) / SEGMENT }, (_, index) => {
    const [offset = '', cumulative = '', step = ''] = pieces(
      packed.slice(2 * SEGMENT * index, 2 * SEGMENT * (index + 1)),
      [5, 8, 4],
    );
    return { offset: unsigned(offset), cumulative: unsigned(cumulative), step: unsigned(step) };
  });
};

const totalOf = (terms: Terms): bigint => segmentsOf(terms).at(-1)?.cumulative ?? 0n;

/** What a segment has given when so much has elapsed: whole steps, of the way to the next segment, rounded down. */
const vestedIn = (segment: Segment, next: Segment | undefined, elapsed: bigint): bigint => {
  const { offset, cumulative, step } = segment;
  if (step === 0n || next === undefined) return cumulative;
  const since = elapsed - offset;
  const whole = since - (since % step);
  return cumulative + ((next.cumulative - cumulative) * whole) / (next.offset - offset);
};

/**
 * What has vested, by the segment that the call names: it must be the last one that has begun. The design does not say how
 * segments are numbered: the first is 1, and 0 says that none has begun, when nothing has vested.
 */
const vestedBy = ({ terms, call, must }: Law, elapsed: bigint): bigint => {
  const segments = segmentsOf(terms);
  const named = integer(call, 'segment');
  const segment = segments[Number(named) - 1];
  const next = segments[Number(named)];
  must(named === 0n || segment !== undefined, 'there is such a segment');
  must(segment === undefined || segment.offset <= elapsed, 'the segment has begun');
  must(next === undefined || elapsed < next.offset, 'no later segment has begun');
  return segment === undefined ? 0n : vestedIn(segment, next, elapsed);
};

const senderSigns = (law: Law): void => {
  signedBy(law, 'sender', bytesOf(law.terms, 'senderHash'));
};
/** Rule 5: an old locktime would help the sender, so the authority says that the time is now. */
const withWitness = (law: Law): void => {
  senderSigns(law);
  signedBy(law, 'authority', bytesOf(law.terms, 'authorityHash'));
};

export const stream: Model = {
  /** Signed by the recipient, who chooses how much of what has vested, and where it goes. */
  claim: (law) => {
    const { terms, call, must } = law;
    const state = read(threadOf(law));
    signedBy(law, 'recipient', state.recipient);
    const amount = integer(call, 'amount');
    const released = state.released + amount;
    must(amount > 0n, 'the claim is above zero');
    must(released <= vestedBy(law, stoodAt(state, timeOf(law)) - state.start), 'it has vested');
    if (released === totalOf(terms)) {
      ends(law);
      return;
    }
    goesOn(law, write({ ...state, released }), amount);
    keepsReserve(law, totalOf(terms) - released);
  },

  /** Signed by the recipient: another one takes their place. */
  transfer: (law) => {
    const { call, must } = law;
    const state = read(threadOf(law));
    signedBy(law, 'recipient', state.recipient);
    must(hasFlag(state.flags, TRANSFERABLE), 'the stream is transferable');
    const recipient = call.args['newRecipientHash'] ?? '';
    must(sizeOf(recipient) === 20, 'a recipient is 20 bytes');
    keepsAll(law, write({ ...state, recipient }));
  },

  /** Signed by the sender and the authority. Rule 15: not without `cancelable`. */
  pause: (law) => {
    const state = read(threadOf(law));
    withWitness(law);
    law.must(hasFlag(state.flags, CANCELABLE), 'the stream is cancelable');
    law.must(state.status === ACTIVE, 'the stream is active');
    keepsAll(law, write({ ...state, status: PAUSED, pausedAt: witnessedTimeOf(law) }));
  },

  /** Signed by the sender. The whole schedule is later by the pause. */
  resume: (law) => {
    const state = read(threadOf(law));
    senderSigns(law);
    law.must(state.status === PAUSED, 'the stream is paused');
    const stood = timeOf(law) - state.pausedAt;
    law.must(stood >= 0n, 'the pause began before');
    keepsAll(law, write({ ...state, status: ACTIVE, pausedAt: 0n, start: state.start + stood }));
  },

  /** Signed by the sender and the authority: what has vested and was not claimed to the recipient, the rest is theirs who sign. */
  cancel: (law) => {
    const state = read(threadOf(law));
    withWitness(law);
    law.must(hasFlag(state.flags, CANCELABLE), 'the stream is cancelable');
    const owed = vestedBy(law, stoodAt(state, witnessedTimeOf(law)) - state.start) - state.released;
    ends(law);
    if (owed > 0n) paysOwed(law, 0, recipientLock(state), owed);
  },

  /** Signed by nobody: what a claim of all that has vested does, with less freedom. */
  push: (law) => {
    const { terms } = law;
    const state = read(threadOf(law));
    law.must(state.status === ACTIVE, 'the stream is active');
    const released = vestedBy(law, timeOf(law) - state.start);
    const remaining = totalOf(terms) - released;
    pushed(law, {
      recipient: recipientLock(state),
      amount: released - state.released,
      remaining,
      next: remaining === 0n ? null : write({ ...state, released }),
    });
  },
};
