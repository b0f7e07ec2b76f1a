/** How a budget plan is asked for: milestone by milestone, or in equal parts. */
import { z } from 'zod';
import { AmountField } from '../../bch/fields.js';
import type { View } from '../../operation/define.js';
import type { Answers, Guide } from '../../operation/guide.js';
import { chooseVault } from '../vaults/index.js';
import type { PlanReply } from './reply.js';
import { drawTimeLine } from './view.js';

const isBy =
  (form: 'milestones' | 'equal') =>
  (answers: Answers): boolean =>
    answers['form'] === form ||
    // What was given by a flag has said it.
    (form === 'equal' && (answers['amountPerInterval'] ?? answers['intervalSeconds']) !== undefined);

const isUnsaid = ({ milestones, totalAmount, amountPerInterval, intervalSeconds }: Answers): boolean =>
  (milestones ?? totalAmount ?? amountPerInterval ?? intervalSeconds) === undefined;

const isEqual = (answers: Answers): boolean =>
  answers['milestones'] === undefined && !isBy('milestones')(answers);

export const planGuide: Guide = {
  intro:
    'A budget plan pays one person milestone by milestone. It is created here, and funded by the next command.',
  order: [
    'vaultId',
    'recipient',
    'recipientName',
    'tokenCategory',
    'form',
    'whole',
    'startDate',
    'milestones',
    'totalAmount',
    'amountPerInterval',
    'intervalSeconds',
    'cancelable',
    'pushMinimum',
  ],
  asides: z.object({
    form: z.enum(['milestones', 'equal']).optional(),
    whole: AmountField.optional(),
  }),
  questions: {
    vaultId: { item: 'Vault', ask: 'In which vault?', choices: chooseVault },
    recipient: { ask: 'Who gets it? A number of these, @name or an address' },
    recipientName: { ask: 'What are they called?' },
    tokenCategory: { ask: 'What does it pay?' },
    form: {
      ask: 'How is it paid?',
      isNeeded: true,
      when: isUnsaid,
      choices: () => [
        { value: 'milestones', name: 'milestone by milestone, each with its own amount and time' },
        { value: 'equal', name: 'the same amount every interval' },
      ],
    },
    whole: {
      ask: 'How much in all? What remains is then said after each milestone',
      enter: 'as it comes',
      when: isBy('milestones'),
    },
    startDate: { ask: 'When does it start?', suggest: () => 'now' },
    milestones: {
      item: 'Milestone',
      isNeeded: true,
      when: isBy('milestones'),
      columns: {
        amount: { ask: 'how much?' },
        durationSeconds: {
          ask: 'how long after the one before (the first: after the start)? 30d, 2 weeks, ...',
        },
        description: { ask: 'for what?' },
      },
      sum: { column: 'amount', to: 'whole' },
    },
    totalAmount: { ask: 'How much in all?', isNeeded: true, when: isEqual },
    amountPerInterval: { ask: 'How much does each interval pay?', isNeeded: true, when: isEqual },
    intervalSeconds: { ask: 'How long is an interval? 7d, monthly, ...', isNeeded: true, when: isEqual },
    cancelable: { ask: 'May you pause and cancel it?' },
    pushMinimum: {
      ask: 'May anybody have what is due paid to the recipient? From which amount on?',
      enter: 'nobody but the recipient',
    },
  },
};

/** The milestones on a line. */
export const previewPlan = ({ plan }: { readonly plan: z.output<typeof PlanReply> }): View => [
  { kind: 'drawing', draw: (columns) => drawTimeLine(plan, null, columns) },
];
