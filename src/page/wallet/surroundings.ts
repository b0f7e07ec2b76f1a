/** What a protocol finds around it in a page: its words, its sockets, and a daemon that checks what a wallet says of itself. */
import type { RemoteSurroundings } from '../../wallet-protocols/remote-wallet.js';
import { openSocket, random } from './browser.js';
import { asFailure } from './failure.js';
import type { PageWalletSettings, Tell } from './port.js';
import { sentenceOf, UNNAMED, WORDS } from './words.js';

/** How somebody is told what is awaited of them, and shown what an app scans. */
export type Asked = { readonly tell: Tell; readonly onUri?: (uri: string, picture: string) => void };

export const surroundingsOf = (
  { facts, origin }: PageWalletSettings,
  proof: RemoteSurroundings['proof'],
  { tell, onUri = () => undefined }: Asked,
  signal: AbortSignal,
): RemoteSurroundings => ({
  settings: {
    walletconnectRelayUrl: facts.walletconnect?.relay ?? '',
    walletconnectProjectId: facts.walletconnect?.projectId ?? null,
    wizardconnectRelayUrl: facts.wizardconnect.isUsual ? null : (facts.wizardconnect.relays[0] ?? null),
    walletWait: facts.wait,
  },
  network: facts.network,
  random,
  nowMs: Date.now,
  asking: {
    tell,
    show: (uri, picture = uri) => {
      onUri(uri, picture);
    },
    signal,
  },
  words: {
    ...WORDS,
    sayFailure: (error) => {
      const { code, details, message } = asFailure(error, UNNAMED);
      return sentenceOf(code, details) ?? message;
    },
  },
  proof,
  openSocket,
  origin,
  platform: 'browser/page',
});
