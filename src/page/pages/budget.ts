/** A budget plan: its milestones, and releasing those that have fallen due. */
import { useAsked } from '../asked.js';
import { html, type Drawn } from '../html.js';
import { drawBudget, type BudgetShown } from '../pictures/budget.js';
import { Measured } from '../pictures/measured.js';
import type { Reply } from '../replies.js';
import { say } from '../say.js';
import { releaseBudget } from '../signing/claims.js';
import { assetOf, factOf } from '../ui/view-facts.js';
import { NowCard } from '../ui/now-card.js';
import { isLive, RecordPage } from '../ui/record.js';
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

const Now = ({ reply, again }: { readonly reply: BudgetReply; readonly again: () => void }): Drawn => {
  const { plan, view = [] } = reply;
  const { address } = useWho();
  const { budget_id: label, recipient } = plan;
  const figure = factOf(view, 'Can be released now') ?? '';
  const canRelease = BigInt(plan.releasable_amountOnChain) > 0n;
  return html`<${NowCard}
    label=${say(isSame(recipient, address) ? 'now.you-release' : 'now.recipient-releases')}
    figure=${figure}
    action=${say('step.release-short', { amount: figure })}
    taker=${recipient}
    step=${canRelease ? releaseBudget({ label, figure, signer: recipient }) : null}
    onDone=${again}
    next=${plan.next_unlock}
    now=${reply.chainTime}
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
      ${isLive(reply.plan) && html`<${Now} reply=${reply} again=${asked.again} />`}
      <${Measured} draw=${(width: number) => drawBudget(reply, assetOfPlan(reply), width)} />
    `}
  />`;
};
