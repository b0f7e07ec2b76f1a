/** What waits for whoever reads, with the buttons that act on it. */
import { useState } from 'preact/hooks';
import { html, type Drawn } from '../html.js';
import { say } from '../say.js';
import { StepButton } from '../signing/step-button.js';
import { sumsOf, sumText, type Takeable } from './waiting.js';

/** Things that are shown at first. */
const SHOWN = 5;

const One = ({ one, again }: { readonly one: Takeable; readonly again: () => void }): Drawn => {
  const { label, own, what, sum, step } = one;
  return html`<li>
    <p><a href=${step.page}>${own === null ? label : `“${own}”`}</a></p>
    <p class="sum">${sumText(sum)}</p>
    <p class="soft">${own === null ? '' : `${label} `}${say(what)}</p>
    <${StepButton}
      step=${step}
      onDone=${again}
      text=${say(what === 'waiting.budget' ? 'waiting.release' : 'waiting.claim')}
    />
  </li>`;
};

/** What can be claimed; a sentence where nothing can. */
export const WaitingCard = ({
  found,
  again,
}: {
  readonly found: readonly Takeable[];
  readonly again: () => void;
}): Drawn => {
  const [isWhole, setWhole] = useState(false);
  if (found.length === 0) return html`<p class="soft">${say('waiting.nothing')}</p>`;
  const shown = isWhole ? found : found.slice(0, SHOWN);
  return html`<section class="card now">
    <h2 class="soft">${say('waiting.title')}</h2>
    ${sumsOf(found).map((sum) => html`<p class="figure">${sumText(sum)}</p>`)}
    <ul class="waiting-list">
      ${shown.map((one) => html`<${One} key=${one.label} one=${one} again=${again} />`)}
    </ul>
    ${
      shown.length < found.length &&
      html`<button
        type="button"
        class="quiet"
        onClick=${() => {
          setWhole(true);
        }}
      >
        ${say('list.more', { count: found.length - shown.length })}
      </button>`
    }
  </section>`;
};
