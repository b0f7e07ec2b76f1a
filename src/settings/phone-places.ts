/** Where the page reaches phones: what it is told of that, and what its policy lets it connect to. */
import { USUAL_RELAYS } from '../wallet-protocols/wizardconnect/uri.js';
import type { Settings } from './settings.js';

/** What the page has to know of wallets on phones. Nothing of it is secret: a browser shows it to whoever looks. */
export type PhonePlaces = {
  /** Null: there is no project id, so nobody can be asked over WalletConnect. */
  readonly walletconnect: { readonly projectId: string; readonly relay: string } | null;
  /** WebSocket addresses, at least one. */
  readonly wizardconnect: { readonly relays: readonly string[]; readonly isUsual: boolean };
  /** How long an answer is waited for, seconds. */
  readonly wait: number;
};

export const phonePlaces = ({
  walletconnectRelayUrl,
  walletconnectProjectId,
  wizardconnectRelayUrl,
  walletWait,
}: Pick<
  Settings,
  'walletconnectRelayUrl' | 'walletconnectProjectId' | 'wizardconnectRelayUrl' | 'walletWait'
>): PhonePlaces => ({
  walletconnect:
    walletconnectProjectId === null
      ? null
      : { projectId: walletconnectProjectId, relay: walletconnectRelayUrl },
  wizardconnect: {
    relays: wizardconnectRelayUrl === null ? [...USUAL_RELAYS] : [wizardconnectRelayUrl],
    isUsual: wizardconnectRelayUrl === null,
  },
  wait: walletWait,
});

/** The origins that the page connects to, as a Content-Security-Policy names them: no path, no query, and nobody's name. */
export const relayOrigins = ({ walletconnect, wizardconnect }: PhonePlaces): readonly string[] => {
  const urls = [...(walletconnect === null ? [] : [walletconnect.relay]), ...wizardconnect.relays];
  const origins = urls.map((url) => {
    const { protocol, host } = new URL(url);
    return `${protocol}//${host}`;
  });
  return [...new Set(origins)];
};
