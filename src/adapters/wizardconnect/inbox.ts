/** What comes from a wallet, for whoever waits for it. */
import { waitFor, type RemoteSurroundings } from '../remote-wallet.js';
import type { SignResponse, WalletMessage, WalletReady } from './state.js';

export const createInbox = () => {
  const readies = new Set<(message: WalletReady) => void>();
  const responses = new Map<number, SignResponse>();
  const responders = new Map<number, (message: SignResponse) => void>();
  const over = new AbortController();
  return {
    over: over.signal,
    responses,
    take: (message: WalletMessage, isKept: boolean): void => {
      if (message.action === 'sign_transaction_response') {
        responses.set(message.sequence, message);
        responders.get(message.sequence)?.(message);
      }
      if (message.action === 'disconnect') over.abort(message.message ?? message.reason);
      // What was kept is no sign of life.
      if (message.action === 'wallet_ready' && !isKept) for (const tell of [...readies]) tell(message);
    },
    onReady: (tell: (message: WalletReady) => void): (() => void) => {
      readies.add(tell);
      return () => readies.delete(tell);
    },
    responseTo: (sequence: number): Promise<SignResponse> =>
      new Promise((resolve) => {
        responders.set(sequence, resolve);
      }),
  };
};
export type Inbox = ReturnType<typeof createInbox>;

/** Waits for a wallet that is there. @returns null when it does not say so in time */
export const ready = (
  inbox: Inbox,
  seconds: number,
  { asking }: RemoteSurroundings,
): Promise<WalletReady | null> => {
  const first = new Promise<WalletReady>((resolve) => {
    const stop = inbox.onReady((message) => {
      stop();
      resolve(message);
    });
  });
  return waitFor(first, seconds, asking).then((found) => found?.value ?? null);
};
