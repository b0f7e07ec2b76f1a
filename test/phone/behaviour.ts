/** What the person with the phone, and the phone itself, do with what comes. Plain JSON: it goes to another process. */
import type { ChainName } from './key.js';
import type { Lie, MessageLie } from './lies.js';

/** What is done with one request (of either protocol). */
export type Behaviour = {
  /**
   * - `accept`: signs. With `lie`, in another way than was asked.
   * - `decline`: error 5000.
   * - `error`: the wallet's own error, `code` and `message`.
   * - `emptyError`: `error: {}`.
   * - `answer`: `result` as it stands, whatever it is.
   * - `silence`: shows it and does nothing. `phone.tap` decides later.
   * - `leave`: ends the session instead of answering.
   * - `stranger`: turns to another account first (it says so), and signs with that.
   */
  readonly do: 'accept' | 'decline' | 'error' | 'emptyError' | 'answer' | 'silence' | 'leave' | 'stranger';
  /** Which request it is for; without it, the next that is signed (or asks for addresses, if there are more kinds). */
  readonly for?: string;
  readonly lie?: Lie | MessageLie;
  /** Of the lie: see `LieOptions`. */
  readonly index?: number;
  readonly type?: number;
  readonly after?: boolean;
  readonly code?: number;
  readonly message?: string;
  readonly result?: unknown;
  /** Milliseconds before it is answered. */
  readonly delay?: number;
  /** The line is cut when it has come, and it is answered when the phone is back: after these milliseconds, or by `come`. */
  readonly offline?: number | 'until told';
  /** The answer is published twice: once more in another envelope. */
  readonly twice?: boolean;
  /** What was asked is published again by the phone before it is answered, letter by letter. */
  readonly echo?: boolean;
  /** An answer with another id comes first, honest otherwise. */
  readonly wrongId?: boolean;
  /** This account is announced in mid-request: `wc_sessionUpdate` and `addressesChanged`, and the answer comes of the old one. */
  readonly update?: number;
};

/** What is done with a proposal to connect. */
export type Meeting = {
  /**
   * - `accept`, `decline` (5000), `silence`.
   * - `error`: `code` and `message`.
   */
  readonly do: 'accept' | 'decline' | 'error' | 'silence';
  readonly code?: number;
  readonly message?: string;
  readonly delay?: number;
  /** Settles this chain, whatever was asked. */
  readonly chain?: ChainName;
  /** Grants these methods, whatever was asked. */
  readonly methods?: readonly string[];
  /** Names these accounts, like `bch:bchtest:q…`. */
  readonly accounts?: readonly string[];
  /** Settles as another controller than the one that answered. */
  readonly otherController?: boolean;
  /** Settles before it answers. */
  readonly settleFirst?: boolean;
  /** Answers and never settles. */
  readonly neverSettle?: boolean;
  /** Settles once more, with the address of a stranger. */
  readonly settleAgain?: boolean;
  /** How long the session lasts, seconds: seven days unless it is said. */
  readonly seconds?: number;
  /** WizardConnect: how the secret is given back. As it stands in the URI, unless it is said. */
  readonly secretAs?: 'uri' | 'hex' | 'wrong';
  /** WizardConnect: names another key than the one that seals. */
  readonly otherPublicKey?: boolean;
  /** WizardConnect: the protocols that it says it speaks. */
  readonly protocols?: readonly string[];
};

/** What the phone tells: one object per thing that happens. `kind` says what. */
export type PhoneEvent = { readonly kind: string } & Record<string, unknown>;

/** What is the phone's own. */
export type PhoneOptions = {
  /** A seed phrase, or 16 to 64 bytes as hex. */
  readonly seed: string;
  readonly chain: ChainName;
  /** Of WalletConnect. */
  readonly relay?: string;
  readonly projectId?: string;
  readonly name?: string;
  /** `bch_getAddresses` answers with a bare text instead of a list. */
  readonly bareAddress?: boolean;
  /** It knows bch_cancelPendingRequests. */
  readonly cancels?: boolean;
  /** What a request's expiry has to be, at least and at most, seconds from its making; false: anything is taken. */
  readonly strictExpiry?: boolean;
  /** It says nothing to settle, update, extend, ping, delete and events, as the SDK does. */
  readonly quiet?: boolean;
  /** WizardConnect: xpubs have the version of the test networks. */
  readonly tpub?: boolean;
  /** WizardConnect: it does not take messages in chunks. */
  readonly noChunks?: boolean;
};
