/** What budget plans ask of whoever has this home. */
import { shellLabel } from '../../record/labels.js';
import { BEGUN, underEach, type Asked, type Matter, type MattersOf } from '../../record/matter.js';
import { planCollection, type PlanRecord } from './plan.js';
import { amountBetween, dueAt, elapsedMilestone, releasableAt } from './rules.js';

const amountOf = ({ decimals, tokenCategory }: PlanRecord, units: bigint): Matter['amount'] => ({
  units,
  decimals,
  category: tokenCategory,
});

/** The next milestone, where it falls due in time. */
const nextDue = (plan: PlanRecord, { now, until }: Asked): readonly Omit<Matter, 'by'>[] => {
  const next = elapsedMilestone(plan, now) + 1;
  if (plan.paused_at !== null || next > plan.milestones.length) return [];
  const at = dueAt(plan, next);
  if (at > until) return [];
  const what = `milestone ${next} of ${plan.milestones.length}`;
  const amount = amountOf(plan, amountBetween(plan, next - 1, next));
  return [{ kind: 'due', label: plan.budget_id, what, amount, at, command: null }];
};

const ofRecipient = (plan: PlanRecord, asked: Asked): readonly Matter[] => {
  const { count, amount } = releasableAt(plan, asked.now);
  const { budget_id: label, recipient: by } = plan;
  const due = nextDue(plan, asked).map((matter) => ({ ...matter, by }));
  if (count === 0) return due;
  const what = count === 1 ? 'one milestone' : `${count} milestones`;
  const command = `budgets release ${shellLabel(label)}`;
  return [{ kind: 'claim', label, what, amount: amountOf(plan, amount), at: null, command, by }, ...due];
};

/** What of a plan concerns its parties here. */
export const matters: MattersOf = async (store, asked) => {
  const find = (party: 'creator' | 'recipient', status: PlanRecord['status'], limit?: number) =>
    underEach(asked.mine, (value) =>
      store.find(planCollection, {
        where: { [party]: value, status },
        ...(limit === undefined ? {} : { limit }),
      }),
    );
  const [received, sent, begun] = await Promise.all([
    find('recipient', 'ACTIVE'),
    find('creator', 'ACTIVE'),
    find('creator', 'PENDING', BEGUN),
  ]);
  const ofOthers = sent.filter(({ recipient }) => !asked.mine.includes(recipient));
  return [
    ...received.flatMap((plan) => ofRecipient(plan, asked)),
    ...ofOthers.flatMap((plan) =>
      nextDue(plan, asked).map((matter) => ({
        ...matter,
        what: `${matter.what} to ${plan.recipient}`,
        by: plan.creator,
      })),
    ),
    ...begun.map((plan): Matter => ({
      kind: 'begin',
      label: plan.budget_id,
      what: `to ${plan.recipient}`,
      amount: amountOf(plan, plan.total_amount),
      at: null,
      command: `budgets fund ${shellLabel(plan.budget_id)}`,
      by: plan.creator,
    })),
  ];
};
