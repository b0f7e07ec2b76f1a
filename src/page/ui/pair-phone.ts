/** Connecting a wallet on a phone: the code that its app scans, and the same as a link. */
import { useEffect, useState } from 'preact/hooks';
import { failureOf, type PageFailure } from '../failure.js';
import { html, type Drawn } from '../html.js';
import { noteSession, openWallet } from '../phone.js';
import { say } from '../say.js';
import type { Protocol, WalletSession } from '../wallet/port.js';
import { isTrusted, useService, wallet } from '../who.js';
import { Copy } from './copy.js';
import { Qr } from './qr.js';
import { Failed } from './states.js';

type State =
  | { readonly kind: 'choose' }
  | {
      readonly kind: 'asking';
      readonly uri: string | null;
      readonly picture: string;
      readonly text: string;
    }
  | { readonly kind: 'failed'; readonly failure: PageFailure };

type Asked = {
  /** Called once a wallet is connected. */
  readonly onDone: (session: WalletSession) => void;
};

/** What there is to choose from. */
const Choice = ({ choose }: { readonly choose: (protocol: Protocol) => void }): Drawn => {
  const facts = useService()?.page ?? null;
  if (facts === null) return html`<p class="soft">${say('phone.none')}</p>`;
  const hasWizard = facts.wizardconnect.relays.length > 0;
  return html`<div class="stack">
    ${
      facts.walletconnect !== null &&
      html`<div class="choice">
        <button type="button" class="main" onClick=${choose.bind(null, 'walletconnect')}>
          WalletConnect
        </button>
        <p class="soft">${say('phone.walletconnect')}</p>
      </div>`
    }
    ${
      hasWizard &&
      html`<div class="choice">
        <button type="button" onClick=${choose.bind(null, 'wizardconnect')}>WizardConnect</button>
        <p class="soft">
          ${say('phone.wizardconnect')} ${isTrusted() ? '' : say('phone.wizardconnect-login')}
        </p>
      </div>`
    }
    ${facts.walletconnect === null && !hasWizard && html`<p class="soft">${say('phone.none')}</p>`}
  </div>`;
};

/** The code, while an app is waited for. */
const Code = ({ uri, picture, text }: Omit<Extract<State, { readonly kind: 'asking' }>, 'kind'>): Drawn =>
  html`<div class="stack" aria-busy="true">
    ${
      uri !== null &&
      html`<p>${say('phone.scan')}</p>
        <${Qr} text=${picture} label=${say('phone.qr')} />
        <p class="buttons">
          <a class="button" href=${uri}>${say('phone.open')}</a>
          <${Copy} text=${uri} what=${say('phone.link')} />
        </p>`
    }
    <p role="status">${text === '' ? say(uri === null ? 'phone.begin' : 'phone.wait') : text}</p>
  </div>`;

/** Connects a wallet, and says how far that is. */
export const PairPhone = ({ onDone }: Asked): Drawn => {
  const [state, setState] = useState<State>({ kind: 'choose' });
  // Whoever leaves waits no more.
  useEffect(() => () => wallet.get()?.cancel(), []);
  const choose = async (protocol: Protocol): Promise<void> => {
    let asking = { kind: 'asking' as const, uri: null as string | null, picture: '', text: '' };
    const show = (more: Partial<typeof asking>): void => {
      asking = { ...asking, ...more };
      setState(asking);
    };
    show({});
    try {
      const open = await openWallet();
      const session = await open.connect({
        protocol,
        onUri: (uri, picture) => {
          show({ uri, picture });
        },
        tell: (text) => {
          show({ text });
        },
      });
      noteSession();
      onDone(session);
    } catch (error) {
      const failure = failureOf(error);
      setState(failure.code === 'interrupted' ? { kind: 'choose' } : { kind: 'failed', failure });
    }
  };
  return html`<div class="stack">
    ${state.kind === 'failed' && html`<${Failed} failure=${state.failure} />`}
    ${
      state.kind === 'asking'
        ? html`<${Code} ...${state} />
            <button type="button" onClick=${() => wallet.get()?.cancel()}>${say('phone.stop')}</button>`
        : html`<${Choice} choose=${(protocol: Protocol) => void choose(protocol)} />`
    }
  </div>`;
};
