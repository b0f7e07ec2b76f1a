/** What the phone was asked before the page was left: a reader who comes back can go on with it. */
import { html, type Drawn } from '../html.js';
import { say } from '../say.js';
import { useCell } from '../state.js';
import { Note } from '../ui/states.js';
import { noteSession } from '../phone.js';
import { useWho, wallet } from '../who.js';
import { pendingPurpose } from './ports.js';
import { takeUp, taken } from './signing-state.js';

/** A note above the page, as long as something is on the phone that nobody waits for. */
export const PendingStep = (): Drawn => {
  const one = useCell(taken);
  const { session } = useWho();
  const purpose = session === null || one !== null ? null : pendingPurpose();
  if (purpose === null) return null;
  const forget = (): void => {
    wallet.get()?.forget();
    noteSession();
  };
  return html`<${Note} tone="warn">
    <p>${say('pending.about')} <strong>${purpose.step.title}</strong></p>
    <p class="buttons">
      <button
        type="button"
        onClick=${() => {
          takeUp(purpose);
        }}
      >
        ${say('pending.go')}
      </button>
      <button type="button" class="quiet" onClick=${forget}>${say('pending.forget')}</button>
    </p>
  </${Note}>`;
};
