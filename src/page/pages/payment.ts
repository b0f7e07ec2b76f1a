/** A recurring payment: what is due of it, how long it lasts, and claiming that. */
import { useAsked } from '../asked.js';
import { html, type Drawn } from '../html.js';
import { Measured } from '../pictures/measured.js';
import { drawPayment, type PaymentShown } from '../pictures/payment.js';
import type { Reply } from '../replies.js';
import { say } from '../say.js';
import { claimPayment } from '../signing/claims.js';
import { amountOf, assetOf, factOf, type HasAsset } from '../ui/view-facts.js';
import { NowCard } from '../ui/now-card.js';
import { isLive, RecordPage } from '../ui/record.js';
import { isSame, useWho } from '../who.js';
import { apiPath, type Page } from './page.js';

type PaymentReply = Reply &
  PaymentShown & {
    readonly payment: PaymentShown['payment'] &
      HasAsset & {
        readonly recipient: string;
        readonly own_label: string | null;
        readonly recipient_name: string | null;
      };
  };

const Now = ({ reply, again }: { readonly reply: PaymentReply; readonly again: () => void }): Drawn => {
  const { payment, view = [] } = reply;
  const { address } = useWho();
  const { payment_id: label, recipient } = payment;
  const figure = amountOf(factOf(view, 'Claimable') ?? '');
  return html`<${NowCard}
    label=${say(isSame(recipient, address) ? 'now.you-claim' : 'now.recipient-claims')}
    figure=${figure}
    action=${say('step.claim-short', { amount: figure })}
    taker=${recipient}
    step=${payment.claimable_periods > 0 ? claimPayment({ label, figure, signer: recipient }) : null}
    onDone=${again}
    next=${payment.next_payment_date}
    now=${reply.chainTime}
  />`;
};

/** `/app/payments/:id` */
export const PaymentPage: Page = ({ parameters }) => {
  const asked = useAsked<PaymentReply>(apiPath('/api/payments/:id', parameters));
  return html`<${RecordPage}
    kind="page.payment"
    name=${parameters['id']}
    asked=${asked}
    nameOf=${({ payment }: PaymentReply) => ({
      label: payment.payment_id,
      title: payment.own_label,
      status: payment.status,
    })}
    draw=${(reply: PaymentReply) => html`
      ${isLive(reply.payment) && html`<${Now} reply=${reply} again=${asked.again} />`}
      <${Measured}
        draw=${(width: number) => drawPayment(reply, assetOf(reply, reply.payment, 'Pays'), width)}
      />
    `}
  />`;
};
