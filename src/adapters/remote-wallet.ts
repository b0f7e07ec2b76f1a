/** What wallets whose key is elsewhere have in common, whichever protocol they speak. */
import type { z } from 'zod';
import type { Address } from '../bch/address.js';
import type { Network } from '../bch/network.js';
import type { WalletTransaction } from '../bch/wallet-transaction.js';
import { cut, TreasuryError } from '../errors.js';
import type { Asking } from '../operation/ports/keys.js';

/** How wallets elsewhere are reached and waited for. */
export type RemoteSettings = {
  readonly walletconnectRelayUrl: string;
  readonly walletconnectProjectId: string | null;
  /** Null: the one that wallets use. */
  readonly wizardconnectRelayUrl: string | null;
  /** How long a wallet may take to answer, seconds. */
  readonly walletWait: number;
};

/** How wallets elsewhere are reached, and who holds them. */
export type Remote = RemoteSettings & { readonly asking: Asking };

/** The program around a wallet elsewhere. */
export type RemoteSurroundings = {
  readonly settings: RemoteSettings;
  readonly network: Network;
  readonly random: (length: number) => Uint8Array;
  /** Unix milliseconds. */
  readonly nowMs: () => number;
  readonly asking: Asking;
};

/** What is known of a wallet once it is connected. */
export type Connected = {
  readonly address: Address;
  /** 33 bytes as hex. */
  readonly publicKey: string;
  readonly face: Face;
  /** What the protocol keeps. */
  readonly state: unknown;
};

/** What may be said of a session without opening it. */
export type Face = {
  /** The name of the app. */
  readonly app: string;
  /** Unix seconds; null: it has no end. */
  readonly endsAt: number | null;
};

/** A wallet that was connected, as its file has it. */
export type RemoteWallet = RemoteSurroundings & {
  readonly name: string;
  readonly address: Address;
  readonly publicKey: string;
  readonly face: Face;
  readonly state: unknown;
  /** Keeps what has changed, before anything that follows of it is done. */
  readonly save: (state: unknown, face: Face) => Promise<void>;
};

/** A protocol. Each loads what it needs when it is used. */
export type RemoteProtocol = {
  /** Shows what the wallet scans, and waits for it and for its proof. @param name what the wallet will be called */
  readonly connect: (surroundings: RemoteSurroundings, name: string) => Promise<Connected>;
  /** @returns what the wallet answers: raw hex, not checked */
  readonly signTransaction: (wallet: RemoteWallet, transaction: WalletTransaction) => Promise<string>;
  /** @returns base64, not checked. @throws wallet_unsupported */
  readonly signMessage: (wallet: RemoteWallet, text: string) => Promise<string>;
  /** Tells the wallet that it is over. */
  readonly disconnect: (wallet: RemoteWallet) => Promise<void>;
};

/** What is kept of a session, read. @throws wallet_session_ended: it cannot be read */
export const readState = <T>(schema: z.ZodType<T>, { name, state }: RemoteWallet): T => {
  const read = schema.safeParse(state);
  if (read.success) return read.data;
  const where = read.error.issues[0]?.path.join('.') ?? 'the top';
  const reason = `its file is damaged at ${where}`;
  throw new TreasuryError('wallet_session_ended', { wallet: name, reason });
};

/** A question that was left with Ctrl-C. */
const interruption = (): Error => Object.assign(new Error('interrupted'), { name: 'AbortPromptError' });

/**
 * Waits for an answer, and ends with Ctrl-C or when the time is over.
 *
 * @returns null when the time is over
 * @throws an interruption, and what the answer rejects with
 */
export const waitFor = async <T>(
  answer: Promise<T>,
  seconds: number,
  { onInterrupt, signal }: Pick<Asking, 'onInterrupt' | 'signal'>,
): Promise<{ readonly value: T } | null> => {
  let timer: NodeJS.Timeout | undefined;
  let stopListening: (() => void) | undefined;
  const over = new Promise<null>((resolve, reject) => {
    timer = setTimeout(() => {
      resolve(null);
    }, seconds * 1_000);
    const stop = (): void => {
      reject(interruption());
    };
    stopListening = onInterrupt?.(stop);
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([answer.then((value) => ({ value })), over]);
  } finally {
    clearTimeout(timer);
    stopListening?.();
  }
};

/** What somebody else says, as a part of a line: nothing in it steers a terminal or begins a line of its own. */
export const plainText = (text: string): string => cut(text.replace(/[\p{C}\s]+/gu, ' ').trim());

/** A wallet's own error, as it is told. */
export const walletFailed = (
  wallet: string,
  { code, message }: { readonly code: number; readonly message: string },
) =>
  new TreasuryError('wallet_failed', {
    wallet,
    reason:
      [plainText(message), ...(code === 0 ? [] : [`code ${code}`])]
        .filter((part) => part !== '')
        .join(', ') || 'it says no more',
  });

/** Longest name of an app that is kept. */
const LONGEST_NAME = 40;

/** A name that a wallet gives itself, as it may be shown anywhere. */
export const plainName = (name: string): string => {
  const plain = name.replace(/[^\p{L}\p{N} ._'-]/gu, '').trim();
  return plain === '' ? 'the wallet' : plain.slice(0, LONGEST_NAME);
};
