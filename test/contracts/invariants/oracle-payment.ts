/** The table of a recurring payment as rows of the oracle. Source: the covenants' specification. */
import { binToHex } from '@bitauth/libauth';
import { settledBy } from './exact.js';
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
import type { PaymentTerms } from './payment-model.js';

const readPayment = (state: Uint8Array | null, inCoin: bigint | null) => {
  const fields = readFields(state, [1, 5, 4, 8, 20, 1]);
  if (fields === null) return null;
  const [status, nextDue, paid, pool, recipient, flags] = fields as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  return {
    status: unsigned(status),
    nextDue: unsigned(nextDue),
    paid: unsigned(paid),
    pool: inCoin ?? unsigned(pool),
    inState: unsigned(pool),
    recipient: binToHex(recipient),
    flags: unsigned(flags),
  };
};

export const paymentRows =
  (terms: PaymentTerms): Rows =>
  (situation) => {
    const isBch = situation.asset === 'BCH';
    const before = readPayment(situation.before, isBch ? situation.poolBefore : null);
    if (before === null) throw new Error('the thread carried no state of a payment');
    const after = readPayment(situation.after, isBch ? situation.poolAfter : null);
    const { amount, interval, periods } = terms;
    const settledAt = (time: number): bigint =>
      settledBy(
        terms,
        { nextDue: Number(before.nextDue), paid: Number(before.paid), pool: before.pool },
        time,
      );
    const count = (after?.paid ?? 0n) - before.paid;
    const left = BigInt(periods) - before.paid;
    const remaining = after?.pool ?? 0n;
    const both = { sender: OWNER, authority: AUTHORITY };
    const recipient = { recipient: before.recipient };
    const isCancelable: Check = ['I7', (before.flags & 1n) === 1n, 'the payment is not cancelable'];
    const settled = settledAt(witnessedTime(situation));
    const added = (after?.pool ?? 0n) - before.pool;
    const stateHolds: Check = [
      'I5',
      (after?.inState ?? 0n) === (isBch ? 0n : remaining),
      'the state has another pool',
    ];
    const moved = (periodsPaid: bigint): readonly Check[] => [
      ['I3', after?.nextDue === before.nextDue + periodsPaid * BigInt(interval), 'the due dates move'],
      ['I1', added === -periodsPaid * amount, 'the pool falls by something else'],
      stateHolds,
    ];
    const pool = ['pool', 'inState'];
    return [
      row(
        'claim',
        signedBy(situation, recipient),
        onlyChanges(before, after, ['nextDue', 'paid', ...pool]),
        goesOn(situation, remaining),
        moved(count),
        [
          ['I3', count > 0n, 'nothing is claimed'],
          ['I3', count <= settledAt(situation.now), 'more is claimed than is due and funded'],
          ['I6', before.status === 0n, 'a paused payment pays'],
          ['I4', periods === 0 || count !== left, 'the thread goes on though all is paid'],
        ],
      ),
      row('last claim', signedBy(situation, recipient), ends(situation), [
        ['I3', periods > 0 && settledAt(situation.now) === left, 'the payment ends before all is due'],
        ['I6', before.status === 0n, 'a paused payment pays'],
      ]),
      row(
        'push',
        onlyChanges(before, after, ['nextDue', 'paid', ...pool]),
        goesOn(situation, remaining),
        moved(count),
        [
          ['I3', count <= settledAt(situation.now), 'more is pushed than is due and funded'],
          ['I4', periods === 0 || count !== left, 'the thread goes on though all is paid'],
        ],
        pushes(situation, before, { amount: count * amount, least: terms.least, isLast: false }),
      ),
      row(
        'last push',
        ends(situation),
        [['I3', periods > 0 && settledAt(situation.now) === left, 'the payment ends before all is due']],
        pushes(situation, before, { amount: left * amount, least: terms.least, isLast: true }),
      ),
      row(
        'refill',
        signedBy(situation, { sender: OWNER }),
        onlyChanges(before, after, pool),
        goesOn(situation, remaining),
        [
          ['I7', (before.flags & 4n) === 4n, 'the payment is not refillable'],
          ['I1', added > 0n && added % amount === 0n, 'the pool does not grow by whole periods'],
          ['I1', periods === 0 || remaining <= left * amount, 'the pool is beyond the term'],
          stateHolds,
        ],
      ),
      row(
        'pause',
        signedBy(situation, both),
        onlyChanges(before, after, ['status', 'nextDue', 'paid', ...pool]),
        goesOn(situation, remaining),
        moved(settled),
        [
          isCancelable,
          ['I6', before.status === 0n && after?.status === 1n, 'the payment was not active'],
          ['I6', count === settled, 'the pause pays something else'],
          ...pays(situation, before.recipient, settled * amount),
        ],
      ),
      row(
        'resume',
        signedBy(situation, { sender: OWNER }),
        onlyChanges(before, after, ['status', 'nextDue']),
        standsStill(situation, remaining),
        [
          ['I6', before.status === 1n && after?.status === 0n, 'the payment was not paused'],
          ['I3', (after?.nextDue ?? 0n) <= BigInt(situation.now + interval), 'the payment is put off'],
        ],
      ),
      row('cancel', signedBy(situation, both), ends(situation), [
        isCancelable,
        ...pays(situation, before.recipient, before.status === 1n ? 0n : settled * amount),
      ]),
    ];
  };
