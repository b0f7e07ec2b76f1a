/** Who reads, at the top of every page. */
import { shorten } from '../amounts.js';
import { html, type Drawn } from '../html.js';
import { say } from '../say.js';
import { useWho } from '../who.js';
import { openConnect } from './connect-state.js';

/** Says who reads, and opens the dialog in which that is said. */
export const WhoButton = (): Drawn => {
  const { address, session } = useWho();
  const text = address === null ? say('who.nobody') : shorten(address);
  return html`<button type="button" class="who" aria-haspopup="dialog" onClick=${openConnect}>
    ${session !== null && html`<span class="dot" aria-hidden="true"></span>`}
    ${address !== null && html`<span class="unseen">${say(session === null ? 'who.reads-as' : 'who.connected-as')} </span>`}
    ${address === null ? text : html`<code>${text}</code>`}
  </button>`;
};
