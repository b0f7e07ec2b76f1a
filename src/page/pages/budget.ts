/** A budget plan: its milestones, and releasing those that have fallen due. */
import { pagePath } from '../../page-paths.js';
import { useAsked } from '../asked.js';
import { html, type Drawn } from '../html.js';
import { drawBudget, type BudgetShown } from '../pictures/budget.js';
import { Measured } from '../pictures/measured.js';
import type { Reply } from '../replies.js';
import { say } from '../say.js';
import type { Step } from '../signing/step.js';
import { assetOf, factOf } from '../ui/view-facts.js';
import { NowCard } from '../ui/now-card.js';
import { RecordPage } from '../ui/record.js';
import { isSame, useWho } from '../who.js';
import { apiPath, type Page } from './page.js';

type BudgetReply = Reply &
  BudgetShown & {
    readonly plan: BudgetShown['plan'] & {
      readonly recipient: string;
      readonly own_label: string | null;
      readonly decimals: number;
      readonly tokenCategory: string | null;
    };
  };

/** Releasing every milestone that has fallen due, to its recipient. */
export const releaseBudget = (label: string, figure: string, signer: string): Step => {
  const id = label.replace('#', '');
  return {
    title: say('step.release', { amount: figure, label }),
    build: { path: apiPath('/api/budget-plans/:id/release', { id }), body: { recipientAddress: signer } },
    confirm: apiPath('/api/budget-plans/:id/confirm-release', { id }),
    command: `budgets release ${id}`,
    page: pagePath('budget', { id }),
    signer,
  };
};

const Now = ({ reply, again }: { readonly reply: BudgetReply; readonly again: () => void }): Drawn => {
  const { plan, view = [] } = reply;
  const { address } = useWho();
  const { budget_id: label, recipient } = plan;
  const figure = factOf(view, 'Can be released now') ?? '';
  const canRelease = BigInt(plan.releasable_amountOnChain) > 0n;
  return html`<${NowCard}
    label=${say(isSame(recipient, address) ? 'now.you-release' : 'now.recipient-releases')}
    figure=${figure}
    taker=${recipient}
    step=${canRelease ? releaseBudget(label, figure, recipient) : null}
    onDone=${again}
  />`;
};

const assetOfPlan = (reply: BudgetReply) =>
  assetOf(reply, { ...reply.plan, token_category: reply.plan.tokenCategory }, 'Budget');

/** `/app/budgets/:id` */
export const BudgetPage: Page = ({ parameters }) => {
  const asked = useAsked<BudgetReply>(apiPath('/api/budget-plans/:id', parameters));
  return html`<${RecordPage}
    kind="page.budget"
    name=${parameters['id']}
    asked=${asked}
    nameOf=${({ plan }: BudgetReply) => ({
      label: plan.budget_id,
      title: plan.own_label,
      status: plan.status,
    })}
    draw=${(reply: BudgetReply) => html`
      <${Now} reply=${reply} again=${asked.again} />
      <${Measured} draw=${(width: number) => drawBudget(reply, assetOfPlan(reply), width)} />
    `}
  />`;
};
