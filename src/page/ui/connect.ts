/** The dialog in which a reader says who they are: by a phone, or by an address alone. */
import { useRef, useState } from 'preact/hooks';
import { get } from '../api.js';
import { failureOf, type PageFailure } from '../failure.js';
import { html, type Drawn } from '../html.js';
import { leave, noteSession } from '../phone.js';
import { say } from '../say.js';
import { useCell } from '../state.js';
import { readAs, useService, useWho, wallet, withPrefix } from '../who.js';
import { connectOpen } from './connect-state.js';
import { Dialog } from './dialog.js';
import { PairPhone } from './pair-phone.js';
import { Failed } from './states.js';

const close = (): void => {
  connectOpen.set(false);
};

/** Reads for an address, once the daemon has said that it is one of this network. */
const takeAddress = async (typed: string, network: string): Promise<void> => {
  const address = withPrefix(typed, network);
  await get(`/api/streams?limit=1&recipient=${encodeURIComponent(address)}`);
  readAs(address);
};

const AddressForm = (): Drawn => {
  const facts = useService();
  const [failure, setFailure] = useState<PageFailure | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const typed = field.current?.value ?? '';
    setBusy(true);
    setFailure(null);
    try {
      await takeAddress(typed, facts?.network ?? '');
      close();
    } catch (error) {
      setFailure(failureOf(error));
    }
    setBusy(false);
  };
  return html`<form onSubmit=${(event: SubmitEvent) => void submit(event)} aria-busy=${isBusy}>
    <label for="who-address">${say('who.address')}</label>
    <p class="soft" id="who-address-about">${say('who.address-about')}</p>
    <input
      ref=${field}
      id="who-address"
      name="address"
      type="text"
      required
      autocomplete="off"
      autocapitalize="none"
      spellcheck=${false}
      aria-describedby="who-address-about"
      aria-invalid=${failure !== null}
      placeholder=${`${withPrefix('q', facts?.network ?? '')}…`}
    />
    ${failure !== null && html`<${Failed} failure=${failure} />`}
    <button type="submit" disabled=${isBusy}>${say('who.show')}</button>
  </form>`;
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
        <${AddressForm} />
      </section>`
    }
  </${Dialog}>`;
};
