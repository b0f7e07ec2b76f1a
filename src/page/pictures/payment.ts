/** The periods of a recurring payment in a row: paid, due, funded and not funded. */
import { html } from '../html.js';
import { say, showDay, showMoment } from '../say.js';
import { filled, textAt, type Key, type Look, type Node, type Picture, type Rows } from './figure.js';
import { amountText, sentences, type Asset } from './format.js';
import { inRow, widthOf } from './scale.js';

/** Of the reply of `GET /api/payments/:id`. */
export type PaymentShown = {
  readonly payment: {
    readonly payment_id: string;
    readonly status: string;
    readonly amount_per_periodOnChain: string;
    readonly payment_count: number;
    readonly due_periods: number;
    readonly claimable_periods: number;
    readonly claimable_amountOnChain: string;
    readonly funded_periods: number;
    /** Null: open-ended. */
    readonly total_periods: number | null;
    readonly next_payment_date: number | null;
    readonly intervalSeconds: number;
    readonly runway_ends_at: number | null;
  };
  /** Newest first. */
  readonly payment_executions: readonly {
    readonly periods: number;
    readonly paid_at: number;
    readonly amountOnChain: string;
  }[];
};

const STATES = ['paid', 'due', 'unpaid', 'funded', 'missing'] as const;
type State = (typeof STATES)[number];
const LOOKS: Readonly<Record<State, Look>> = {
  paid: 'full',
  due: 'hatched',
  unpaid: 'crossed',
  funded: 'dotted',
  missing: 'empty',
};

/** One period. */
export type Period = {
  /** From 1. */
  readonly number: number;
  readonly state: State;
  /** When it was paid or falls due, unix seconds; null where that is not known. */
  readonly time: number | null;
};

export type PaymentShape = {
  /** Those that have room: the last that were paid, and what comes. */
  readonly periods: readonly Period[];
  /** Paid before the first of these. */
  readonly earlier: number;
  /** To come after the last of these; of an open end those alone that are funded or due. */
  readonly later: number;
  /** How many are in each state, in all. Of an open end nothing is missing but what is due. */
  readonly counts: Readonly<Record<State, number>>;
};

/** Of an open end so many periods are shown behind what it holds. */
const OPEN_AHEAD = 3;
/** Paid periods that keep their place before what comes. */
const KEPT = 2;

/** When each period was paid that the latest executions tell, by its number. */
const paidTimes = ({
  payment,
  payment_executions: executions,
}: PaymentShown): ReadonlyMap<number, number> => {
  const times = new Map<number, number>();
  let number = payment.payment_count;
  for (const { periods, paid_at: time } of executions)
    for (let count = 0; count < periods && number > 0; count += 1) times.set(number--, time);
  return times;
};

/** What of a payment lies where, in so many cells. */
export const shapeOfPayment = (shown: PaymentShown, cells: number): PaymentShape => {
  const {
    status,
    payment_count: paid,
    total_periods: total,
    next_payment_date: next,
    ...payment
  } = shown.payment;
  const { due_periods: due, claimable_periods: claimable, funded_periods: funded } = payment;
  const hasEnded = status === 'CANCELLED' || status === 'COMPLETED';
  const missing = hasEnded || total === null ? 0 : Math.max(0, total - paid - Math.max(due, funded));
  const counts = { paid, due: claimable, unpaid: due - claimable, funded: funded - claimable, missing };
  const open = total === null && !hasEnded ? OPEN_AHEAD : 0;
  const ahead = (['due', 'unpaid', 'funded', 'missing'] as const).flatMap((state) =>
    Array<State>(Math.min(cells, counts[state] + (state === 'missing' ? open : 0))).fill(state),
  );
  const aheadShown = Math.min(ahead.length, cells - Math.min(paid, KEPT));
  const paidShown = Math.min(paid, cells - aheadShown);
  const times = paidTimes(shown);
  const before = Array.from({ length: paidShown }, (_, index) => {
    const number = paid - paidShown + index + 1;
    return { number, state: 'paid', time: times.get(number) ?? null } as const;
  });
  const after = ahead.slice(0, aheadShown).map((state, index) => ({
    number: paid + index + 1,
    state,
    time: next === null || status === 'PAUSED' ? null : next + index * payment.intervalSeconds,
  }));
  const known = counts.due + counts.unpaid + counts.funded + missing;
  const later = Math.max(0, known - aheadShown);
  return { periods: [...before, ...after], earlier: paid - paidShown, later, counts };
};

const HEIGHT = 70;
/** What the words on those that have no room take below it. */
const REST = 20;
const CELL = 30;
const TOP = 12;
const LEFT = 10;

const cellsIn = (width: number): number => Math.floor((width - 2 * LEFT) / CELL);
const middleOf = (index: number): number => LEFT + index * CELL + CELL / 2;

const cellOf = ({ number, state }: Period, index: number, id: string): Node => {
  const label = String(number);
  return html`
    <g>
      <rect
        x=${LEFT + index * CELL + 1}
        y=${TOP}
        width=${CELL - 2}
        height=${CELL}
        rx="3"
        ...${filled(id, LOOKS[state])}
      />
      ${widthOf(label) < CELL ? textAt({ x: middleOf(index), y: TOP + 20 }, label, { look: state === 'paid' ? 'onfull' : 'haloed' }) : null}
    </g>
  `;
};

/** The dates under the cells: of the next that is due, of the last and of the first, then what has room. */
const dates = (periods: readonly Period[], width: number): Node[] => {
  const next = periods.findIndex(({ state }) => state !== 'paid');
  const order = [next, periods.length - 1, 0, ...periods.keys()].filter((index) => index >= 0);
  const labels = order.flatMap((index) => {
    const { time = null } = periods[index] ?? {};
    return time === null ? [] : [{ at: middleOf(index), text: showDay(time) }];
  });
  return inRow(labels, LEFT, width - LEFT).map(({ at, text: day }) =>
    textAt({ x: at, y: TOP + CELL + 18 }, day),
  );
};

const captionOf = ({ payment }: PaymentShown, { counts }: PaymentShape, asset: Asset): string => {
  const { status, total_periods: total, runway_ends_at: end, next_payment_date: next } = payment;
  const each = amountText(BigInt(payment.amount_per_periodOnChain), asset);
  const paid = say(total === null ? 'periods.paid' : 'periods.paid-of', {
    paid: counts.paid,
    count: total ?? counts.paid,
    each,
  });
  if (status === 'CANCELLED' || status === 'COMPLETED') return `${paid} ${say('periods.ended')}`;
  const now =
    counts.due > 0
      ? say('periods.due', {
          count: counts.due,
          amount: amountText(BigInt(payment.claimable_amountOnChain), asset),
        })
      : next === null || status === 'PAUSED'
        ? say('periods.nothing')
        : say('periods.next', { day: showDay(next) });
  const missing = counts.unpaid > 0 ? say('periods.unpaid', { count: counts.unpaid }) : null;
  const until =
    end === null
      ? status === 'PAUSED'
        ? say('periods.paused')
        : say('periods.dry')
      : say('periods.until', { day: showDay(end) });
  return sentences([paid, now, missing, until]);
};

const keysOf = ({ counts, periods }: PaymentShape): Key[] =>
  STATES.filter((state) => counts[state] > 0 || periods.some((period) => period.state === state)).map(
    (state) => ({
      look: LOOKS[state],
      text:
        counts[state] === 0 ? say(`periods.is-${state}`) : `${say(`periods.is-${state}`)} (${counts[state]})`,
    }),
  );

const tableOf = ({ periods, earlier }: PaymentShape, each: string): Rows => ({
  head: [
    ['periods.period', 'text'],
    ['periods.when', 'date'],
    ['picture.amount', 'amount'],
    ['picture.state', 'text'],
  ],
  rows: [
    ...(earlier === 0 ? [] : [[`1 – ${earlier}`, '', each, say('periods.is-paid')]]),
    ...periods.map(({ number, state, time }) => [
      String(number),
      time === null ? '' : showMoment(time),
      each,
      say(`periods.is-${state}`),
    ]),
  ],
});

/** The time line of a recurring payment. */
export const drawPayment = (shown: PaymentShown, asset: Asset, width: number): Picture => {
  const id = 'payment-periods';
  const shape = shapeOfPayment(shown, cellsIn(width));
  const { periods, earlier, later } = shape;
  const { payment_id: label, amount_per_periodOnChain: each } = shown.payment;
  const height = HEIGHT + (earlier > 0 || later > 0 ? REST : 0);
  return {
    id,
    title: say('periods.title', { label }),
    caption: captionOf(shown, shape, asset),
    width,
    height,
    drawing: [
      ...periods.map((period, index) => cellOf(period, index, id)),
      ...dates(periods, width),
      ...(earlier > 0
        ? [
            textAt({ x: LEFT, y: height - 6 }, say('periods.earlier', { count: earlier }), {
              anchor: 'start',
              look: 'quiet',
            }),
          ]
        : []),
      ...(later > 0
        ? [
            textAt({ x: width - LEFT, y: height - 6 }, say('periods.later', { count: later }), {
              anchor: 'end',
              look: 'quiet',
            }),
          ]
        : []),
    ],
    keys: keysOf(shape),
    table: tableOf(shape, amountText(BigInt(each), asset)),
  };
};
