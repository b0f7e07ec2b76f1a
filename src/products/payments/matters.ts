/** What payments ask of whoever has this home. */
import { duePeriods, runwayEnd, settledPeriods } from '../../covenant/recurring/rules.js';
import { shellLabel } from '../../record/labels.js';
import { BEGUN, underEach, type Asked, type Matter, type MattersOf } from '../../record/matter.js';
import { paymentCollection, type PaymentRecord } from './payment.js';
import { balanceOf, termsOf } from './terms.js';

const amountOf = (payment: PaymentRecord, periods: number): Matter['amount'] => ({
  units: BigInt(periods) * payment.amount_per_period,
  decimals: payment.decimals,
  category: payment.token_category,
});

/** To whom it pays. */
const toWhom = ({ recipient_name: name, recipient }: PaymentRecord): string =>
  name === null || name === '' ? `to ${recipient}` : `to ${name}`;

const ofRecipient = (payment: PaymentRecord, { now, until }: Asked): readonly Matter[] => {
  const [terms, balance] = [termsOf(payment), balanceOf(payment)];
  const { payment_id: label, recipient: by, interval } = payment;
  const periods = settledPeriods(terms, balance, now);
  const next = payment.next_payment_date;
  const what = `paid ${interval.toLowerCase()} by ${payment.sender}`;
  if (periods > 0) {
    const command = `payments claim ${shellLabel(label)}`;
    return [{ kind: 'claim', label, what, amount: amountOf(payment, periods), at: null, command, by }];
  }
  if (next === null || next > until) return [];
  return [{ kind: 'due', label, what, amount: amountOf(payment, 1), at: next, command: null, by }];
};

const ofSender = (payment: PaymentRecord, { mine, now, until }: Asked): readonly Matter[] => {
  const [terms, balance] = [termsOf(payment), balanceOf(payment)];
  const { payment_id: label, sender: by } = payment;
  const end = runwayEnd(terms, balance);
  const isOver =
    terms.periods > 0 && balance.paid + Number(balance.pool / terms.amountPerPeriod) >= terms.periods;
  const unfunded = duePeriods(terms, balance, now) - settledPeriods(terms, balance, now);
  const next = payment.next_payment_date;
  const what = toWhom(payment);
  const command = `payments refill ${shellLabel(label)} --periods 3`;
  const due: Matter[] =
    // What is due already is the recipient's to take.
    next === null || next > until || next <= now || mine.includes(payment.recipient)
      ? []
      : [{ kind: 'due', label, what, amount: amountOf(payment, 1), at: next, command: null, by }];
  if (isOver || (end !== null && end > until)) return due;
  const missing = unfunded > 0 ? `: ${unfunded} due and not funded` : '';
  return [...due, { kind: 'ends', label, what: `${what}${missing}`, amount: null, at: end, command, by }];
};

/** What of a payment concerns its parties here. */
export const matters: MattersOf = async (store, asked) => {
  const find = (party: 'sender' | 'recipient', status: PaymentRecord['status'], limit?: number) =>
    underEach(asked.mine, (value) =>
      store.find(paymentCollection, {
        where: { [party]: value, status },
        ...(limit === undefined ? {} : { limit }),
      }),
    );
  const [received, sent, begun] = await Promise.all([
    find('recipient', 'ACTIVE'),
    find('sender', 'ACTIVE'),
    find('sender', 'PENDING', BEGUN),
  ]);
  return [
    ...received.flatMap((payment) => ofRecipient(payment, asked)),
    ...sent.flatMap((payment) => ofSender(payment, asked)),
    ...begun.map((payment): Matter => ({
      kind: 'begin',
      label: payment.payment_id,
      what: toWhom(payment),
      amount: amountOf(payment, 1),
      at: null,
      command: `payments fund ${shellLabel(payment.payment_id)}`,
      by: payment.sender,
    })),
  ];
};
