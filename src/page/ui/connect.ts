/** The dialog in which a reader says who they are: by a phone, or by an address alone. */
import { useState } from 'preact/hooks';
import { failureOf, type PageFailure } from '../failure.js';
import { html, type Drawn } from '../html.js';
import { leave, noteSession } from '../phone.js';
import { say } from '../say.js';
import { useCell } from '../state.js';
import { useWho, wallet } from '../who.js';
import { AddressForm } from './address-form.js';
import { connectOpen } from './connect-state.js';
import { Dialog } from './dialog.js';
import { PairPhone } from './pair-phone.js';
import { Failed } from './states.js';

const close = (): void => {
  connectOpen.set(false);
};

/** The login that a connected wallet has still to sign. */
const Login = (): Drawn => {
  const [text, setText] = useState<string | null>(null);
  const [failure, setFailure] = useState<PageFailure | null>(null);
  const open = useCell(wallet);
  if (open?.needsLogin() !== true) return null;
  const login = async (): Promise<void> => {
    setFailure(null);
    setText('');
    try {
      await open.login(setText);
    } catch (error) {
      setFailure(failureOf(error));
    }
    setText(null);
    noteSession();
  };
  return html`<div class="stack" aria-busy=${text !== null}>
    <p>${say('phone.login-about')}</p>
    ${failure !== null && html`<${Failed} failure=${failure} />`}
    <p role="status">${text}</p>
    ${
      text === null
        ? html`<button type="button" class="main" onClick=${() => void login()}>
            ${say('phone.login')}
          </button>`
        : html`<button
            type="button"
            onClick=${() => {
              open.cancel();
            }}
          >
            ${say('phone.stop')}
          </button>`
    }
  </div>`;
};

/** Who reads now, and how that is forgotten. */
const Present = (): Drawn => {
  const { address, session } = useWho();
  if (address === null) return null;
  return html`<div class="stack">
    <p>${session === null ? say('who.reads-as') : say('who.connected', { name: session.name })}</p>
    <p><code>${address}</code></p>
    ${session !== null && html`<${Login} />`}
    <button type="button" class="quiet" onClick=${() => void leave()}>${say('who.forget')}</button>
  </div>`;
};

/** The dialog, while it is open. */
export const ConnectDialog = (): Drawn => {
  const isOpen = useCell(connectOpen);
  const { session } = useWho();
  if (!isOpen) return null;
  return html`<${Dialog} title=${say('who.title')} onClose=${close}>
    <${Present} />
    ${
      session === null &&
      html`<section>
        <h3>${say('who.with-phone')}</h3>
        <${PairPhone} onDone=${close} />
      </section>`
    }
    ${
      session === null &&
      html`<section>
        <h3>${say('who.without-phone')}</h3>
        <${AddressForm} onDone=${close} />
      </section>`
    }
  </${Dialog}>`;
};
