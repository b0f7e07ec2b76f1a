/** A stream: what has vested of it, and claiming that. */
import { useAsked } from '../asked.js';
import { html, type Drawn } from '../html.js';
import { Measured } from '../pictures/measured.js';
import { drawStream } from '../pictures/stream.js';
import type { StreamShown } from '../pictures/stream-shape.js';
import type { Reply } from '../replies.js';
import { say } from '../say.js';
import { claimStream } from '../signing/claims.js';
import { assetOf, factOf, type HasAsset } from '../ui/view-facts.js';
import { NowCard } from '../ui/now-card.js';
import { isLive, RecordPage } from '../ui/record.js';
import { isSame, useWho } from '../who.js';
import { apiPath, type Page } from './page.js';

type StreamReply = Reply &
  StreamShown & {
    readonly stream: StreamShown['stream'] &
      HasAsset & {
        readonly recipient: string;
        readonly sender: string;
        readonly own_label: string | null;
      };
  };

const Now = ({ reply, again }: { readonly reply: StreamReply; readonly again: () => void }): Drawn => {
  const { stream, view = [] } = reply;
  const { address } = useWho();
  const { stream_id: label, recipient } = stream;
  const figure = factOf(view, 'Claimable') ?? '';
  const canClaim = BigInt(stream.claimable_amountOnChain) > 0n;
  const isMine = isSame(recipient, address);
  return html`<${NowCard}
    label=${say(isMine ? 'now.you-claim' : 'now.recipient-claims')}
    figure=${figure}
    action=${say('step.claim-short', { amount: figure })}
    taker=${recipient}
    step=${canClaim ? claimStream({ label, figure, signer: recipient }) : null}
    onDone=${again}
    next=${stream.next_unlock}
    now=${reply.chainTime}
  />`;
};

/** `/app/streams/:id` */
export const StreamPage: Page = ({ parameters }) => {
  const asked = useAsked<StreamReply>(apiPath('/api/streams/:id', parameters));
  return html`<${RecordPage}
    kind="page.stream"
    name=${parameters['id']}
    asked=${asked}
    nameOf=${({ stream }: StreamReply) => ({
      label: stream.stream_id,
      title: stream.own_label,
      status: stream.status,
    })}
    draw=${(reply: StreamReply) => html`
      ${isLive(reply.stream) && html`<${Now} reply=${reply} again=${asked.again} />`}
      <${Measured}
        draw=${(width: number) => drawStream(reply, assetOf(reply, reply.stream, 'Total'), width)}
      />
    `}
  />`;
};
