/** What time brings to recurring payments. */
import { formatUnits } from '../../bch/amount.js';
import { duePeriods, fundablePeriods, runwayEnd, settledPeriods } from '../../covenant/recurring/rules.js';
import { LIVE } from '../../record/pool-record.js';
import {
  defineTimetable,
  IDLE,
  runwayAgenda,
  tellAmount,
  together,
  type Agenda,
  type AskedTime,
} from '../../record/timetable.js';
import { paymentCollection, type PaymentRecord } from './payment.js';
import { payments } from './product.js';
import { balanceOf, termsOf } from './terms.js';

/** Each period is told once, when it has fallen due. */
const due = (payment: PaymentRecord, { now, told }: AskedTime): Agenda => {
  const [terms, balance] = [termsOf(payment), balanceOf(payment)];
  const count = duePeriods(terms, balance, now);
  const period = balance.paid + count;
  const isLast = terms.periods > 0 && period >= terms.periods;
  const next = isLast ? null : balance.nextDue + count * terms.intervalSeconds;
  const before = Math.max(Number(told['payment.due'] ?? 0), balance.paid);
  if (period <= before) return { moments: [], next };
  const periods = period - before;
  const data = {
    ...tellAmount(BigInt(periods) * terms.amountPerPeriod, payment.decimals, payment.token_category),
    periods,
    period,
    unpaid: count,
    funded: settledPeriods(terms, balance, now),
  };
  const at = balance.nextDue + (count - 1) * terms.intervalSeconds;
  return { moments: [{ type: 'payment.due', at, mark: String(period), data }], next };
};

/** A fixed term that is funded to its end comes to that, and runs out of nothing. */
const runway = (payment: PaymentRecord, asked: AskedTime): Agenda => {
  const [terms, balance] = [termsOf(payment), balanceOf(payment)];
  if (fundablePeriods(terms, balance) === 0) return IDLE;
  return runwayAgenda(runwayEnd(terms, balance), asked, {
    ...tellAmount(payment.pool, payment.decimals, payment.token_category),
    perPeriod: formatUnits(payment.amount_per_period, payment.decimals),
  });
};

export const timetable = defineTimetable<PaymentRecord>({
  kind: 'payment',
  collection: paymentCollection,
  where: { live: LIVE },
  topic: payments.topic,
  agenda: (payment, asked) =>
    payment.status === 'ACTIVE' ? together([due(payment, asked), runway(payment, asked)]) : IDLE,
});
