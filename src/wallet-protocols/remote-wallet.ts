/** What wallets whose key is elsewhere have in common, whichever protocol they speak: at the terminal and in a page. */
import type { Network } from '../bch/network.js';
import type { CashAddress } from './cash-address.js';
import { WalletFailure } from './failure.js';
import { Unreadable, type Reader } from './shape.js';
import type { OpenSocket } from './socket.js';
import type { Patience } from './waiting.js';

/** How wallets elsewhere are reached and waited for. */
export type RemoteSettings = {
  readonly walletconnectRelayUrl: string;
  readonly walletconnectProjectId: string | null;
  /** Null: the one that wallets use. */
  readonly wizardconnectRelayUrl: string | null;
  /** How long a wallet may take to answer, seconds. */
  readonly walletWait: number;
};

/** What is said and heard while somebody is asked who holds a key elsewhere. */
export type Asking = Patience & {
  /** Tells the person what is awaited of them. */
  readonly tell: (text: string) => void;
  /** Shows what an app scans to connect; `picture` is what stands in the QR code, where that is not the same. */
  readonly show: (uri: string, picture?: string) => void | Promise<void>;
};

/** How wallets elsewhere are reached, and who holds them. */
export type Remote = RemoteSettings & { readonly asking: Asking };

/** A wallet as it is spoken of: the name of the app, and its name here. */
export type Whom = { readonly app: string; readonly wallet: string };

/** The words that differ by where somebody sits. Those that are part of a sentence end none. */
export type Words = {
  /** What an app shows of whoever asks. */
  readonly description: string;
  /** @param isTakenBack true: whoever stops waiting takes it back */
  readonly asked: (whom: Whom, what: string, isTakenBack: boolean) => string;
  readonly askedAlready: (whom: Whom, what: string) => string;
  readonly agreedMeanwhile: (whom: Whom) => string;
  readonly openApp: (app: string) => string;
  readonly appIsGone: (app: string) => string;
  /** What to do after a silence: the request was taken back, may still be there, or could not be taken back. */
  readonly takenBack: string;
  readonly stillThere: string;
  readonly notTakenBack: string;
  /** @param network its name, with its chain in parentheses */
  readonly nobodyCame: (network: string) => string;
  /** A failure as an app is told it. */
  readonly sayFailure: (error: unknown) => string;
};

/** How an app shows whose its address is. */
export type Proof = {
  /** What it signs; null: nothing is asked of it. */
  readonly textFor: (address: CashAddress) => Promise<string | null>;
  /** The key (33 bytes as hex) that has signed the text. @throws wallet_proof_failed, in the words of whoever checks it */
  readonly check: (signed: {
    readonly address: CashAddress;
    readonly text: string;
    readonly signature: string;
    readonly app: string;
  }) => Promise<string>;
};

/** The program around a wallet elsewhere. */
export type RemoteSurroundings = {
  readonly settings: RemoteSettings;
  readonly network: Network;
  readonly random: (length: number) => Uint8Array;
  /** Unix milliseconds. */
  readonly nowMs: () => number;
  readonly asking: Asking;
  readonly words: Words;
  readonly proof: Proof;
  readonly openSocket: OpenSocket;
  /** Where whoever asks is, as apps show it: `http://localhost`. */
  readonly origin: string;
  /** What kind of program this is, as relays are told: `linux/node`. */
  readonly platform: string;
};

/** What is known of a wallet once it is connected. */
export type Connected = {
  readonly address: CashAddress;
  /** 33 bytes as hex; null: nothing was asked that shows it. */
  readonly publicKey: string | null;
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

/** A wallet that was connected, as it was kept. */
export type RemoteWallet = RemoteSurroundings & {
  readonly name: string;
  readonly address: CashAddress;
  readonly publicKey: string | null;
  readonly face: Face;
  readonly state: unknown;
  /** Keeps what has changed, before anything that follows of it is done. */
  readonly save: (state: unknown, face: Face) => Promise<void>;
};

/** A wcTransaction as it travels: plain JSON. */
export type WalletTransaction = {
  readonly transaction: string;
  readonly sourceOutputs: readonly unknown[];
  readonly userPrompt?: string;
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
export const readState = <T>(reader: Reader<T>, { name, state }: Pick<RemoteWallet, 'name' | 'state'>): T => {
  try {
    return reader(state, '');
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const reason = `its file is damaged at ${error.path === '' ? 'the top' : error.path}`;
    throw new WalletFailure('wallet_session_ended', { wallet: name, reason });
  }
};

/** Characters that are shown of what somebody else says. */
const MOST_SHOWN = 100;

/** What somebody else says, as a part of a line: nothing in it steers a terminal or begins a line of its own. */
export const plainText = (text: string): string => {
  const plain = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return plain.length > MOST_SHOWN ? `${plain.slice(0, MOST_SHOWN - 3)}...` : plain;
};

/** A wallet's own error, as it is told. */
export const walletFailed = (
  wallet: string,
  { code, message }: { readonly code: number; readonly message: string },
) =>
  new WalletFailure('wallet_failed', {
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
