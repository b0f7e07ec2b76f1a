/** What of all that a relay gives is a message of the wallet: strangers are passed by, before there is a wallet and after. */
import { hexBytes } from '../bytes.js';
import { createJoiner } from './chunks.js';
import { unwrap } from './gift-wrap.js';
import { isSeen, readWalletMessage, type Heard, type WalletMessage, type WizardState } from './state.js';
import { inFives } from './uri.js';

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const isChunk = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'action' in value && value.action === 'chunk';

/** Wallets write it as they have scanned it, or as hex. */
const isSecret = ({ secret }: WizardState, said: string): boolean =>
  [secret, inFives(hexBytes(secret))].includes(said.toLowerCase());

/** Why somebody who answers a code is not who has scanned it; null: it is, or says no, for which no secret is needed. */
const falsehood = (state: WizardState, from: string, message: WalletMessage): string | null => {
  if (message.action === 'disconnect') return null;
  if (message.action !== 'wallet_ready') return 'it has not said who it is';
  if (message.public_key !== from) return 'it names another key than the one that it signs with';
  return isSecret(state, message.secret) ? null : 'it does not know the secret of the code';
};

/** What relays give with every connection, although it was taken long ago, is not worth its decryption. */
const isOld = (state: WizardState, event: unknown): boolean => {
  const { id } = (typeof event === 'object' && event !== null ? event : {}) as { readonly id?: unknown };
  return typeof id === 'string' && isSeen(state, id);
};

export type Hearing = {
  /** The message of the wallet in an event; null: it is none. */
  readonly hear: (event: unknown) => Heard | null;
  /** The wraps of this line that had nothing of the wallet in them. */
  readonly passedBy: () => readonly string[];
  /** Why the last one was refused who has answered the code; null: there was none. */
  readonly refused: () => string | null;
};

/** @param now unix seconds */
export const createHearing = (state: () => WizardState, now: () => number): Hearing => {
  const privateKey = hexBytes(state().privateKey);
  const join = createJoiner();
  const passedBy = new Set<string>();
  let refused: string | null = null;
  /** What the wallet has said, of a text that somebody has sealed. Null: it is not the wallet, or says nothing. */
  const read = (from: string, value: unknown): WalletMessage | null => {
    const { walletKey } = state();
    if (walletKey !== null && from !== walletKey) return null;
    const found = readWalletMessage(value);
    if (found === null) return null;
    const reason = walletKey === null ? falsehood(state(), from, found) : null;
    if (found.action === 'wallet_ready') refused = reason;
    return reason === null ? found : null;
  };
  return {
    hear: (event) => {
      const opened = isOld(state(), event) ? null : unwrap(event, privateKey);
      if (opened === null) return null;
      const { id, from, content } = opened;
      const value = parse(content);
      if (isChunk(value)) {
        // Only what a wallet says first is heard before it is known, and that is short. Strangers' parts are not put together.
        const whole = from === state().walletKey ? join(value, now()) : null;
        const message = whole === null ? null : read(from, parse(whole));
        return message === null ? null : { id, from, message };
      }
      const message = read(from, value);
      if (message !== null) return { id, from, message };
      passedBy.add(id);
      return null;
    },
    passedBy: () => [...passedBy],
    refused: () => refused,
  };
};
