/** A budget plan for people: its milestones on a time line. */
import { showNumber } from '../../bch/amount.js';
import type { z } from 'zod';
import type { View, ViewBlock } from '../../operation/define.js';
import { showDate } from '../../bch/show-date.js';
import type { Details } from '../../offer/read-record.js';
import { shortAsset } from '../../record/assets.js';
import { statusText } from '../../record/damaged.js';
import { shellLabel } from '../../record/labels.js';
import type { PlanReply } from './reply.js';

type Plan = z.output<typeof PlanReply>;
type Shown = Details<'plan', Plan> & { readonly chainTime: number };

/** Plans as one table. */
export const tableOfPlans = (plans: readonly Plan[]): ViewBlock => ({
  kind: 'table',
  head: ['Label', 'Status', 'Recipient', 'Asset', 'Budget', 'Released', 'Milestones'],
  rows: plans.map((plan) => [
    plan.budget_id,
    statusText(plan),
    plan.recipientName ?? plan.recipient,
    shortAsset(plan.tokenCategory),
    String(plan.total_amount),
    String(plan.released_amount),
    `${plan.current_milestone} of ${plan.total_milestones}`,
  ]),
  empty: 'No budget plans yet. `treasury budgets create` makes one.',
});

/** Columns of the time line. */
const LINE_CELLS = 60;

const MARKS: Readonly<Record<Plan['milestones'][number]['state'], string>> = {
  released: '#',
  releasable: '*',
  pending: 'o',
  returned: 'x',
};

type Timed = Pick<Plan['milestones'][number], 'dueAt' | 'releasedAt' | 'state'>;

/** When a milestone was released, or else falls due. */
const timeOf = ({ dueAt, releasedAt }: Timed): number => releasedAt ?? dueAt ?? 0;

/**
 * The milestones on a line from the start to the last of them: `#` released, `*` due, `o` to come, `x` returned to the
 * controller; `^` is now. Those that fall into one column share the mark of the last.
 *
 * @param now chain now, unix seconds; null draws none
 */
export const drawTimeLine = (
  { milestones, startDate }: { readonly milestones: readonly Timed[]; readonly startDate: number },
  now: number | null,
): string => {
  const end = Math.max(...milestones.map(timeOf));
  const span = Math.max(1, end - startDate);
  const columnOf = (seconds: number) =>
    Math.min(LINE_CELLS - 1, Math.max(0, Math.round(((seconds - startDate) / span) * (LINE_CELLS - 1))));
  const cells = Array<string>(LINE_CELLS).fill('-');
  for (const milestone of milestones) cells[columnOf(timeOf(milestone))] = MARKS[milestone.state];
  const ends = `${showDate(startDate)}${showDate(end).padStart(LINE_CELLS + 2 - showDate(startDate).length)}`;
  return [
    `|${cells.join('')}|`,
    ...(now === null ? [] : [`${' '.repeat(1 + columnOf(now))}^ now`]),
    ends,
    '# released  * can be released  o to come  x returned',
  ].join('\n');
};

/** What can be done with a plan next. */
export const nextOf = ({ plan: { budget_id, status, releasable_amount: releasable } }: Shown): View => {
  const label = shellLabel(budget_id);
  if (status === 'PENDING')
    return [{ kind: 'next', command: `treasury budgets fund ${label}`, why: 'to put the budget in' }];
  if (releasable > 0)
    return [
      {
        kind: 'next',
        command: `treasury budgets release ${label}`,
        why: 'to take what has fallen due, as the recipient',
      },
    ];
  return status === 'PAUSED'
    ? [{ kind: 'next', command: `treasury budgets resume ${label}`, why: 'to let it go on' }]
    : [];
};

const milestoneRows = ({ milestones, releases }: Plan): string[][] =>
  milestones.map((milestone, index) => {
    const { amount, state, description } = milestone;
    const release = releases.find(({ milestone_index: paid }) => paid === index + 1);
    return [
      `${MARKS[state]} ${index + 1}`,
      showNumber(amount),
      showDate(timeOf(milestone)),
      state,
      release?.tx_hash ?? '',
      description,
    ];
  });

/** How `budgets show` reads. */
export const viewPlan = ({ plan, chainTime }: Shown): View => [
  {
    kind: 'text',
    text: `${plan.budget_id} for ${plan.recipientName ?? plan.recipient} (${plan.status})`,
  },
  { kind: 'text', text: drawTimeLine(plan, chainTime) },
  {
    kind: 'table',
    head: ['Milestone', 'Amount', 'Due or released', 'State', 'Transaction', 'Description'],
    rows: milestoneRows(plan),
  },
  {
    kind: 'facts',
    rows: [
      ['Asset', plan.tokenCategory ?? 'BCH'],
      ['Budget', showNumber(plan.total_amount)],
      [
        'Released',
        `${showNumber(plan.released_amount)} in ${plan.current_milestone} of ${plan.total_milestones}`,
      ],
      ['Can be released now', showNumber(plan.releasable_amount)],
      ['Next unlock', plan.next_unlock === null ? 'none' : showDate(plan.next_unlock)],
      ['Paused at', plan.paused_at === null ? 'not paused' : showDate(plan.paused_at)],
      ['Controller', plan.creator],
      ['Recipient', plan.recipient],
      ['Revocable', plan.cancelable ? 'yes: the controller can pause and cancel' : 'no'],
      ['Contract', plan.contract_address],
      ['Funding', plan.tx_hash ?? 'not yet'],
      ['Confirmations', String(plan.confirmations)],
      ['Chain time', showDate(chainTime)],
    ],
  },
];
