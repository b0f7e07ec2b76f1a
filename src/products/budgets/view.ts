/** A budget plan for people: its milestones on a time line. */
import { pushedWords } from '../../record/pushed-words.js';
import { amountsIn } from '../../record/show-amount.js';
import type { z } from 'zod';
import { column } from '../../operation/columns.js';
import type { View, ViewBlock } from '../../operation/define.js';
import { showDate } from '../../bch/show-date.js';
import type { Details } from '../../offer/read-record.js';
import { statusText } from '../../record/damaged.js';
import { shellLabel } from '../../record/labels.js';
import type { PlanReply } from './reply.js';
import { wordedLabel, wordRows } from '../../record/own-words.js';

type Plan = z.output<typeof PlanReply>;
type Shown = Details<'plan', Plan> & { readonly chainTime: number };

/** How amounts of a plan read. */
export const inAsset = ({ decimals, tokenCategory: category }: Pick<Plan, 'decimals' | 'tokenCategory'>) =>
  amountsIn({ decimals, category });

/** Plans as one table. */
export const tableOfPlans = (plans: readonly Plan[]): ViewBlock => ({
  kind: 'table',
  head: [
    column.key('Label'),
    column.state('Status'),
    column.text('Recipient'),
    column.amount('Budget'),
    column.amount('Released'),
    column.amount('Milestones', 2),
  ],
  rows: plans.map((plan) => [
    wordedLabel(plan.budget_id, plan),
    statusText(plan),
    plan.recipientName ?? plan.recipient,
    inAsset(plan)(plan.total_amountOnChain),
    inAsset(plan)(plan.released_amountOnChain),
    `${plan.current_milestone} of ${plan.total_milestones}`,
  ]),
  empty: 'No budget plans yet. `treasury budgets create` makes one.',
});

/** Columns of the time line, without its ends: at most, and at least so many that both dates stand below it. */
const WIDEST_LINE = 60;
const NARROWEST_LINE = 36;

const MARKS: Readonly<Record<Plan['milestones'][number]['state'], string>> = {
  released: '#',
  releasable: '*',
  pending: 'o',
  returned: 'x',
};

type Timed = Pick<Plan['milestones'][number], 'dueAt' | 'releasedAt' | 'state'>;

/** When a milestone was released, or else falls due. */
const timeOf = ({ dueAt, releasedAt }: Timed): number => releasedAt ?? dueAt ?? 0;

/** `^ now` below a column, or `now ^` where there is no room behind it. */
const markOf = (at: number, columns: number): string =>
  at + '^ now'.length <= columns
    ? `${' '.repeat(at)}^ now`
    : `${' '.repeat(Math.max(0, at - 'now '.length))}now ^`;

/**
 * The milestones on a line from the start to the last of them: `#` released, `*` due, `o` to come, `x` returned to the
 * controller; `^` is now. Those that fall into one column share the mark of the last.
 *
 * @param now chain now, unix seconds; null draws none
 * @param columns room for it; it takes 38 at least
 */
export const drawTimeLine = (
  { milestones, startDate }: { readonly milestones: readonly Timed[]; readonly startDate: number },
  now: number | null,
  columns: number = WIDEST_LINE + 2,
): string => {
  const lineCells = Math.min(WIDEST_LINE, Math.max(NARROWEST_LINE, columns - 2));
  const end = Math.max(...milestones.map(timeOf));
  const span = Math.max(1, end - startDate);
  const columnOf = (seconds: number) =>
    Math.min(lineCells - 1, Math.max(0, Math.round(((seconds - startDate) / span) * (lineCells - 1))));
  const cells = Array<string>(lineCells).fill('-');
  for (const milestone of milestones) cells[columnOf(timeOf(milestone))] = MARKS[milestone.state];
  const isNarrow = lineCells < 2 * showDate(end).length;
  const [first, last] = [startDate, end].map((time) => showDate(time).slice(0, isNarrow ? 10 : undefined));
  const ends = `${first ?? ''}${(last ?? '').padStart(lineCells + 2 - (first ?? '').length)}`;
  return [
    `|${cells.join('')}|`,
    ...(now === null ? [] : [markOf(1 + columnOf(now), lineCells + 2)]),
    ends,
    ...(isNarrow
      ? ['# released  * can be released', 'o to come  x returned']
      : ['# released  * can be released  o to come  x returned']),
  ].join('\n');
};

/** What can be done with a plan next. */
export const nextOf = ({ plan }: Shown): View => {
  const { budget_id, status, releasable_amount: releasable, creator, recipient } = plan;
  const label = shellLabel(budget_id);
  if (status === 'PENDING')
    return [
      { kind: 'next', command: `treasury budgets fund ${label}`, why: 'to put the budget in', by: [creator] },
    ];
  if (releasable > 0)
    return [
      {
        kind: 'next',
        command: `treasury budgets release ${label}`,
        why: 'to take what has fallen due, as the recipient',
        by: [recipient],
      },
      ...(plan.pushable_amount > 0
        ? [
            {
              kind: 'next' as const,
              command: `treasury budgets push ${label}`,
              why: 'to pay the recipient what has fallen due',
              by: [creator],
            },
          ]
        : []),
    ];
  return status === 'PAUSED'
    ? [{ kind: 'next', command: `treasury budgets resume ${label}`, why: 'to let it go on', by: [creator] }]
    : [];
};

const milestoneRows = (plan: Plan): string[][] =>
  plan.milestones.map((milestone, index) => {
    const { amountOnChain, state, description } = milestone;
    const release = plan.releases.find(({ milestone_index: paid }) => paid === index + 1);
    return [
      `${MARKS[state]} ${index + 1}`,
      inAsset(plan)(amountOnChain),
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
  { kind: 'drawing', draw: (columns) => drawTimeLine(plan, chainTime, columns) },
  {
    kind: 'table',
    head: [
      column.key('Milestone'),
      column.amount('Amount'),
      column.date('Due or released'),
      column.state('State'),
      column.txid('Transaction'),
      column.prose('Description', 2),
    ],
    rows: milestoneRows(plan),
  },
  {
    kind: 'facts',
    rows: [
      ...wordRows(plan),
      ['Asset', plan.tokenCategory ?? 'BCH'],
      ['Budget', inAsset(plan)(plan.total_amountOnChain)],
      [
        'Released',
        `${inAsset(plan)(plan.released_amountOnChain)} in ${plan.current_milestone} of ${plan.total_milestones}`,
      ],
      ['Can be released now', inAsset(plan)(plan.releasable_amountOnChain)],
      ['Next unlock', plan.next_unlock === null ? 'none' : showDate(plan.next_unlock)],
      ['Paused at', plan.paused_at === null ? 'not paused' : showDate(plan.paused_at)],
      ['Controller', plan.creator],
      ['Recipient', plan.recipient],
      ['Revocable', plan.cancelable ? 'yes: the controller can pause and cancel' : 'no'],
      ['Pushed', pushedWords(plan.push_minimumOnChain, inAsset(plan))],
      ['Contract', plan.contract_address],
      ['Funding', plan.tx_hash ?? 'not yet'],
      ['Confirmations', String(plan.confirmations)],
      ['Chain time', showDate(chainTime)],
    ],
  },
];
