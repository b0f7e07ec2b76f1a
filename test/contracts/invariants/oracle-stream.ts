/** The table of a stream as rows of the oracle. Source: the covenants' specification. */
import { binToHex } from '@bitauth/libauth';
import { vestedBy } from './exact.js';
import {
  AUTHORITY,
  OWNER,
  ends,
  goesOn,
  onlyChanges,
  pays,
  pushes,
  readFields,
  row,
  signedBy,
  standsStill,
  unsigned,
  witnessedTime,
  type Check,
  type Rows,
} from './oracle-rows.js';
import type { StreamTerms } from './stream-model.js';

const readStream = (state: Uint8Array | null) => {
  const fields = readFields(state, [1, 8, 5, 5, 20, 1]);
  if (fields === null) return null;
  const [status, released, start, pausedAt, recipient, flags] = fields as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  return {
    status: unsigned(status),
    released: unsigned(released),
    start: unsigned(start),
    pausedAt: unsigned(pausedAt),
    recipient: binToHex(recipient),
    flags: unsigned(flags),
  };
};

export const streamRows =
  ({ segments, least }: StreamTerms): Rows =>
  (situation) => {
    const before = readStream(situation.before);
    if (before === null) throw new Error('the thread carried no state of a stream');
    const after = readStream(situation.after);
    const total = segments.at(-1)?.cumulative ?? 0n;
    const vestedAt = (time: number): bigint =>
      vestedBy(segments, (before.status === 1n ? Number(before.pausedAt) : time) - Number(before.start));
    const vested = vestedAt(situation.now);
    const remaining = total - (after?.released ?? total);
    const recipient = { recipient: before.recipient };
    const both = { sender: OWNER, authority: AUTHORITY };
    const isCancelable: Check = ['I7', (before.flags & 1n) === 1n, 'the stream is not cancelable'];
    const stood = (after?.start ?? 0n) - before.start;
    const owed = vestedAt(witnessedTime(situation)) - before.released;
    const pausedAt = after?.pausedAt ?? -1n;
    return [
      row(
        'claim',
        signedBy(situation, recipient),
        onlyChanges(before, after, ['released']),
        goesOn(situation, remaining),
        [
          ['I3', after !== null && after.released > before.released, 'nothing is claimed'],
          ['I3', after !== null && after.released <= vested, 'more is released than has vested'],
          ['I4', after?.released !== total, 'the thread goes on though all is released'],
          ['I6', before.status === 0n || (after?.released ?? total) <= vested, 'it vests while paused'],
        ],
      ),
      row('last claim', signedBy(situation, recipient), ends(situation), [
        ['I3', vested === total, 'the stream ends before all has vested'],
      ]),
      row(
        'push',
        onlyChanges(before, after, ['released']),
        goesOn(situation, remaining),
        [
          ['I3', after !== null && after.released <= vested, 'more is pushed than has vested'],
          ['I4', after?.released !== total, 'the thread goes on though all is released'],
        ],
        pushes(situation, before, {
          amount: (after?.released ?? 0n) - before.released,
          least,
          isLast: false,
        }),
      ),
      row(
        'last push',
        ends(situation),
        [['I3', vested === total, 'the stream ends before all has vested']],
        pushes(situation, before, { amount: total - before.released, least, isLast: true }),
      ),
      row(
        'transfer',
        signedBy(situation, recipient),
        onlyChanges(before, after, ['recipient']),
        standsStill(situation, remaining),
        [['I7', (before.flags & 2n) === 2n, 'the stream is not transferable']],
      ),
      row(
        'pause',
        signedBy(situation, both),
        onlyChanges(before, after, ['status', 'pausedAt']),
        standsStill(situation, remaining),
        [
          isCancelable,
          ['I6', before.status === 0n && after?.status === 1n, 'the stream was not active'],
          ['I6', pausedAt >= BigInt(witnessedTime(situation)), 'the pause costs what had vested'],
          ['I6', pausedAt <= BigInt(situation.now), 'the pause is of a time to come'],
        ],
      ),
      row(
        'resume',
        signedBy(situation, { sender: OWNER }),
        onlyChanges(before, after, ['status', 'start', 'pausedAt']),
        standsStill(situation, remaining),
        [
          ['I6', before.status === 1n && after?.status === 0n, 'the stream was not paused'],
          ['I3', after?.pausedAt === 0n, 'a time of pause stays behind'],
          ['I3', stood <= BigInt(situation.now) - before.pausedAt, 'the schedule is put off'],
          ['I6', stood >= 0n, 'it vests while paused'],
        ],
      ),
      row('cancel', signedBy(situation, both), ends(situation), [
        isCancelable,
        ...pays(situation, before.recipient, owed),
      ]),
    ];
  };
