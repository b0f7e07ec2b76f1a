/** Connecting a wallet on a phone: the code that its app scans. */
import { html, type Drawn } from '../html.js';
import { say } from '../say.js';

/** @param onDone called once a wallet is connected */
export const PairPhone = (_: { readonly onDone: () => void }): Drawn =>
  html`<p class="soft">${say('phone.none')}</p>`;
