/** What comes from a wallet, for whoever waits for it. */
import { waitFor, type RemoteSurroundings } from '../remote-wallet.js';
import type { SignResponse, WalletMessage, WalletReady } from './state.js';

export const createInbox = () => {
  const readies = new Set<(message: WalletReady, from: string) => void>();
  const responses = new Map<number, SignResponse>();
  const responders = new Map<number, (message: SignResponse) => void>();
  const over = new AbortController();
  return {
    over: over.signal,
    responses,
    take: (message: WalletMessage, from: string, isKept: boolean): void => {
      if (message.action === 'sign_transaction_response') {
        responses.set(message.sequence, message);
        responders.get(message.sequence)?.(message);
      }
      if (message.action === 'disconnect') over.abort(message.message ?? message.reason);
      // What was kept is no sign of life.
      if (message.action === 'wallet_ready' && !isKept) for (const tell of [...readies]) tell(message, from);
    },
    onReady: (tell: (message: WalletReady, from: string) => void): (() => void) => {
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

/** A wallet that has said that it is there, and whose seal that had. */
export type Ready = { readonly message: WalletReady; readonly from: string };

/** Waits for a wallet that is there. @returns null when it does not say so in time; `over`: it does not want to */
export const ready = async (
  inbox: Inbox,
  seconds: number,
  { asking }: Pick<RemoteSurroundings, 'asking'>,
): Promise<Ready | 'over' | null> => {
  const first = new Promise<Ready>((resolve) => {
    const stop = inbox.onReady((message, from) => {
      stop();
      resolve({ message, from });
    });
  });
  const over = new Promise<'over'>((resolve) => {
    inbox.over.addEventListener('abort', () => {
      resolve('over');
    });
  });
  const found = await waitFor(Promise.race([first, over]), seconds, asking);
  return found?.value ?? null;
};
