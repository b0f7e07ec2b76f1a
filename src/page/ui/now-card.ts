/** What a record has for its reader now: the figure, and the button that takes it. */
import { html, type Drawn } from '../html.js';
import { say, showDistance, showMoment } from '../say.js';
import { StepButton } from '../signing/step-button.js';
import type { Step } from '../signing/step.js';
import { isSame, useWho } from '../who.js';
import { openConnect } from './connect-state.js';

type Asked = {
  /** What the figure is. */
  readonly label: string;
  readonly figure: string;
  /** What its button says. */
  readonly action: string;
  /** Whose it is to take. */
  readonly taker: string;
  /** What takes it; null: there is nothing to take. */
  readonly step: Step | null;
  readonly onDone: () => void;
  /** When there is more, unix seconds; null: never, or not as things stand. */
  readonly next: number | null;
  /** Of the chain, unix seconds. */
  readonly now: number;
};

/** When there is more, where nothing can be taken yet. */
const Next = ({ next, now }: Pick<Asked, 'next' | 'now'>): Drawn =>
  next === null
    ? null
    : html`<p>${say('now.more', { when: showMoment(next), distance: showDistance(next, now) })}</p>`;

/** The figure. Whoever is not known is asked who they are; others than its taker have no button. */
export const NowCard = ({ label, figure, action, taker, step, onDone, next, now }: Asked): Drawn => {
  const { address } = useWho();
  const isTaker = isSame(taker, address);
  return html`<section class="card now" aria-label=${label}>
    <p class="soft">${label}</p>
    <p class="figure">${figure}</p>
    ${step === null && html`<${Next} next=${next} now=${now} />`}
    ${
      step !== null &&
      isTaker &&
      html`<p class="buttons"><${StepButton} step=${step} onDone=${onDone} text=${action} /></p>`
    }
    ${
      step !== null &&
      address === null &&
      html`<p class="buttons">
        <button type="button" onClick=${openConnect}>${say('record.is-it-yours')}</button>
      </p>`
    }
  </section>`;
};
