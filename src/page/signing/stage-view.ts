/** How far a step is, as it is drawn. */
import { html, type Drawn } from '../html.js';
import { say, type WordKey } from '../say.js';
import { Blocks } from '../ui/blocks.js';
import { Copy } from '../ui/copy.js';
import { Failed } from '../ui/states.js';
import { wallet } from '../who.js';
import type { Stage, Turn } from './step.js';

type StageOf<Kind extends Stage['kind']> = Extract<Stage, { readonly kind: Kind }>;

const TURNS: Readonly<Record<NonNullable<Turn>, WordKey>> = {
  preparation: 'sign.first-of-two',
  'after-preparation': 'sign.second-of-two',
};

/** Which of two prompts it is. */
const TurnNote = ({ turn }: { readonly turn: Turn }): Drawn =>
  turn === null ? null : html`<p class="note">${say(TURNS[turn])}</p>`;

const Review = ({
  stage,
  canSign,
}: {
  readonly stage: StageOf<'review'>;
  readonly canSign: boolean;
}): Drawn =>
  html`<div class="stack">
    <${TurnNote} turn=${stage.turn} />
    <${Blocks} blocks=${stage.view} />
    ${canSign && html`<p class="soft">${say('sign.review-about')}</p>`}
    ${
      canSign &&
      html`<div class="dialog-foot">
        <button type="button" class="main wide" onClick=${() => void stage.agree()}>
          ${say('sign.ask')}
        </button>
      </div>`
    }
  </div>`;

const Waiting = ({ turn, text, digest }: StageOf<'waiting'>): Drawn =>
  html`<div class="stack waiting">
    <${TurnNote} turn=${turn} />
    <p class="figure-small">${say('sign.waiting')}</p>
    ${text !== '' && html`<p role="status">${text}</p>`}
    ${digest !== null && html`<p class="soft">${say('sign.digest')} <code>${digest}</code></p>`}
    <button type="button" onClick=${() => wallet.get()?.cancel()}>${say('phone.stop')}</button>
  </div>`;

/** A transaction by its id. */
const Sent = ({ txid }: { readonly txid: string }): Drawn =>
  html`<p class="sent">
    <span class="soft">${say('sign.transaction')}</span> <code>${txid}</code>
    <${Copy} text=${txid} what=${say('sign.transaction')} />
  </p>`;

const Done = ({
  stage,
  onClose,
}: {
  readonly stage: StageOf<'done'>;
  readonly onClose: () => void;
}): Drawn => {
  const { message } = stage.reply;
  return html`<div class="stack">
    <div class="note" data-tone="good">
      <p><strong>${say('sign.done')}</strong></p>
      ${typeof message === 'string' && html`<p>${message}</p>`}
    </div>
    ${stage.txid !== null && html`<${Sent} txid=${stage.txid} />`}
    <button type="button" class="main" onClick=${onClose}>${say('dialog.close')}</button>
  </div>`;
};

const FailedStep = ({ failure, again, sent }: StageOf<'failed'>): Drawn =>
  html`<div class="stack">
    <${Failed} failure=${failure} again=${() => void again()} />
    ${sent !== null && html`<p>${say('sign.was-sent')}</p>`}
    ${sent !== null && html`<${Sent} txid=${sent} />`}
  </div>`;

type Asked = { readonly stage: Stage; readonly canSign: boolean; readonly onClose: () => void };

/** @param canSign true where a phone is connected */
export const StageView = ({ stage, canSign, onClose }: Asked): Drawn => {
  switch (stage.kind) {
    case 'building':
      return html`<p class="loading">${say('sign.building')}</p>`;
    case 'review':
      return html`<${Review} stage=${stage} canSign=${canSign} />`;
    case 'waiting':
      return html`<${Waiting} ...${stage} />`;
    case 'sending':
      return html`<p>${say('sign.sending')}</p>`;
    case 'confirming':
      return html`<div class="stack">
        <p>${say('sign.confirming')}</p>
        <${Sent} txid=${stage.txid} />
      </div>`;
    case 'done':
      return html`<${Done} stage=${stage} onClose=${onClose} />`;
    case 'nothing':
      return html`<div class="stack">
        <p>${say('sign.nothing')}</p>
        <${Blocks} blocks=${stage.view} />
      </div>`;
    case 'failed':
      return html`<${FailedStep} ...${stage} />`;
  }
};
