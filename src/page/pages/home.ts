/** What is the reader's own: what waits for them on top, then all of it. */
import { html, type Drawn } from '../html.js';
import { say } from '../say.js';
import { openConnect } from '../ui/connect-state.js';
import { AddressForm } from '../ui/address-form.js';
import { Heading } from '../ui/heading.js';
import { useWho } from '../who.js';
import { Mine } from './home-lists.js';

/** For whoever has not said who they are. */
const Welcome = (): Drawn =>
  html`<div class="stack welcome">
    <p>${say('home.about')}</p>
    <section class="card">
      <h2>${say('who.with-phone')}</h2>
      <p class="soft">${say('home.phone-about')}</p>
      <p class="buttons">
        <button type="button" class="main" onClick=${openConnect}>${say('who.connect')}</button>
      </p>
    </section>
    <section class="card">
      <h2>${say('who.without-phone')}</h2>
      <${AddressForm} onDone=${() => undefined} />
    </section>
  </div>`;

/** `/app/` */
export const HomePage = (): Drawn => {
  const { address } = useWho();
  return html`<${Heading} title=${say(address === null ? 'home.welcome' : 'home.title')} />
    ${address === null ? html`<${Welcome} />` : html`<${Mine} key=${address} address=${address} />`}`;
};
