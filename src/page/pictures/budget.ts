/** The milestones of a budget plan on a line of time. */
import { html } from '../html.js';
import { say, showDay, showMoment } from '../say.js';
import { timeAxis, timeScale, TODAY_ROOM, todayMark } from './axes.js';
import { filled, textAt, type Key, type Look, type Node, type Picture, type Rows } from './figure.js';
import { amountText, percentOf, sentences, type Asset } from './format.js';
import { inRow, placeOf, type TimeScale } from './scale.js';

type State = 'released' | 'releasable' | 'pending' | 'returned';

/** Of the reply of `GET /api/budget-plans/:id`. */
export type BudgetShown = {
  readonly plan: {
    readonly budget_id: string;
    readonly status: string;
    readonly startDate: number;
    readonly total_amountOnChain: string;
    readonly released_amountOnChain: string;
    readonly releasable_amountOnChain: string;
    readonly next_unlock: number | null;
    readonly milestones: readonly {
      readonly amountOnChain: string;
      readonly description: string;
      readonly dueAt: number | null;
      readonly releasedAt: number | null;
      readonly state: State;
    }[];
  };
  readonly chainTime: number;
};

const LOOKS: Readonly<Record<State, Look>> = {
  released: 'full',
  releasable: 'hatched',
  pending: 'dotted',
  returned: 'empty',
};

export type Milestone = {
  readonly number: number;
  readonly time: number;
  readonly amount: bigint;
  readonly state: State;
  readonly description: string;
};

export type BudgetShape = {
  readonly milestones: readonly Milestone[];
  readonly first: number;
  readonly last: number;
};

/** What of a plan lies where in time. A milestone stands where it was released, or else falls due. */
export const shapeOfBudget = ({ plan, chainTime }: BudgetShown): BudgetShape => {
  const milestones = plan.milestones.map(
    ({ amountOnChain, description, dueAt, releasedAt, state }, index) => ({
      number: index + 1,
      time: releasedAt ?? dueAt ?? plan.startDate,
      amount: BigInt(amountOnChain),
      state,
      description,
    }),
  );
  const times = milestones.map(({ time }) => time);
  const [first, last] = [Math.min(plan.startDate, ...times), Math.max(plan.startDate, ...times)];
  const margin = (last - first) * 0.15;
  const isNear = chainTime > last && chainTime - last <= margin;
  return { milestones, first, last: isNear ? chainTime : last };
};

const HEIGHT = 150;
const LINE = 78;
const [RADIUS, SMALL] = [9, 6];
/** More milestones than these have small marks. */
const CROWDED = 12;

const SIGNS: Readonly<Record<State, string>> = {
  released: 'M-4 0L-1 3L4 -3',
  releasable: '',
  pending: '',
  returned: 'M-4 -4L4 4M4 -4L-4 4',
};

const markOf = (time: TimeScale, milestone: Milestone, radius: number, id: string): Node => {
  const { state } = milestone;
  const side = radius * 1.25;
  return html`
    <g class="milestone" transform="translate(${placeOf(time, milestone.time)} ${LINE})">
      ${
        state === 'releasable'
          ? html`<path d="M0 ${-side}L${side} 0L0 ${side}L${-side} 0Z" ...${filled(id, 'hatched')} />`
          : html`<circle r=${radius} ...${filled(id, LOOKS[state])} />`
      }
      <path class="sign ${LOOKS[state]}" d=${SIGNS[state]} />
    </g>
  `;
};

/** Milestones whose marks would cover each other, in the order of time. */
export const groupsOf = (
  time: TimeScale,
  milestones: readonly Milestone[],
  wide: number,
): readonly Milestone[][] => {
  const groups: Milestone[][] = [];
  for (const one of milestones) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    if (before !== undefined && placeOf(time, one.time) - placeOf(time, before.time) < wide) last?.push(one);
    else groups.push([one]);
  }
  return groups;
};

/** The numbers above the marks, and below them what they come to, where that has room. */
const labels = (time: TimeScale, groups: readonly Milestone[][], asset: Asset): Node[] => {
  const labelled = (textOf: (group: readonly Milestone[]) => string, y: number) =>
    inRow(
      groups.map((group) => ({ at: placeOf(time, group.at(-1)?.time ?? 0), text: textOf(group) })),
      0,
      time.right + time.left,
    ).map((label) => textAt({ x: label.at, y }, label.text));
  return [
    ...labelled(
      ([first, ...others]) => [first, ...others.slice(-1)].map((one) => one?.number).join('–'),
      LINE - 18,
    ),
    ...labelled(
      (group) =>
        amountText(
          group.reduce((sum, { amount }) => sum + amount, 0n),
          asset,
        ),
      LINE + 28,
    ),
  ];
};

const captionOf = ({ plan }: BudgetShown, { milestones }: BudgetShape, asset: Asset): string => {
  const [total, released, releasable] = [
    BigInt(plan.total_amountOnChain),
    BigInt(plan.released_amountOnChain),
    BigInt(plan.releasable_amountOnChain),
  ];
  const count = milestones.filter(({ state }) => state === 'released').length;
  return sentences([
    say('milestones.released', {
      released: count,
      count: milestones.length,
      amount: amountText(released, asset),
      share: percentOf(released, total),
    }),
    releasable > 0n ? say('milestones.releasable', { amount: amountText(releasable, asset) }) : null,
    plan.status === 'CANCELLED'
      ? say('milestones.returned', { amount: amountText(total - released, asset) })
      : null,
    plan.status === 'PAUSED' ? say('milestones.paused') : null,
    plan.next_unlock === null ? null : say('milestones.next', { day: showDay(plan.next_unlock) }),
  ]);
};

const STATES = ['released', 'releasable', 'pending', 'returned'] as const;

const keysOf = ({ milestones }: BudgetShape): Key[] =>
  STATES.flatMap((state) => {
    const count = milestones.filter((one) => one.state === state).length;
    return count === 0 ? [] : [{ look: LOOKS[state], text: `${say(`milestones.is-${state}`)} (${count})` }];
  });

const tableOf = ({ milestones }: BudgetShape, asset: Asset): Rows => ({
  head: [
    ['milestones.milestone', 'text'],
    ['milestones.when', 'date'],
    ['picture.amount', 'amount'],
    ['picture.state', 'text'],
    ['milestones.about', 'prose'],
  ],
  rows: milestones.map(({ number, time, amount, state, description }) => [
    String(number),
    showMoment(time),
    amountText(amount, asset),
    say(`milestones.is-${state}`),
    description,
  ]),
});

/** The time line of a budget plan. */
export const drawBudget = (shown: BudgetShown, asset: Asset, width: number): Picture => {
  const id = 'budget-milestones';
  const shape = shapeOfBudget(shown);
  const { milestones, first, last } = shape;
  const time = { ...timeScale(first, last, width), left: 22, right: width - 22 };
  const radius = milestones.length > CROWDED ? SMALL : RADIUS;
  return {
    id,
    title: say('milestones.title', { label: shown.plan.budget_id }),
    caption: captionOf(shown, shape, asset),
    width,
    height: HEIGHT,
    drawing: [
      html`<path class="line" d="M${time.left} ${LINE}H${time.right}" />`,
      todayMark(time, shown.chainTime, [TODAY_ROOM, LINE + 12]),
      ...milestones.map((one) => markOf(time, one, radius, id)),
      ...labels(time, groupsOf(time, milestones, 2 * radius), asset),
      timeAxis(time, HEIGHT - 28),
    ],
    keys: keysOf(shape),
    table: tableOf(shape, asset),
  };
};
