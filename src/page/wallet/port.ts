/**
 * What the page has of a wallet on a phone: types alone. `openPageWallet` (`open-wallet.ts`) makes a {@link PageWallet}; it is loaded
 * when somebody connects or a session is restored, and WizardConnect's part of it when that is chosen.
 */

export type Protocol = 'walletconnect' | 'wizardconnect';

/** How `fetch` is done by the page: JSON in, JSON out. */
export type AskDaemon = {
  /**
   * Asks the daemon. Credentials of the caller are not sent with what a wallet asks.
   *
   * @returns the reply's body
   * @throws {@link Failure}, with the code and the words of the daemon; `service_unavailable` where nobody answers
   */
  (method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown>;
};

/** What `GET /api` answers of phones, under `page`; null where no page is served. */
export type PhoneFacts = {
  /** Name of the network that wallets are asked for. */
  readonly network: 'local' | 'regtest' | 'chipnet' | 'testnet3' | 'testnet4' | 'mainnet';
  /** True: the daemon takes `x-user-address` on its word, so no login is needed. */
  readonly trustsAddressHeader: boolean;
  /** Null: the daemon has no project id, and WalletConnect cannot be chosen. */
  readonly walletconnect: { readonly projectId: string; readonly relay: string } | null;
  readonly wizardconnect: { readonly relays: readonly string[]; readonly isUsual: boolean };
  /** How long an answer is waited for, seconds. */
  readonly wait: number;
};

/** Every failure that a wallet's call rejects with. The codes are those of the command line and the API. */
export type Failure = Error & {
  /** `wallet_declined`, `relay_unavailable`, `wallet_answer_differs`, …; `interrupted` after {@link PageWallet.cancel}. */
  readonly code: string;
  /** `message` is a sentence that says what happened and what to do next. */
  readonly message: string;
  /** True when the same may succeed later without being changed. */
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
};

/** A connected wallet, as far as it may be shown. */
export type WalletSession = {
  readonly protocol: Protocol;
  /** The `q` form, with its prefix. */
  readonly address: string;
  /** 33 bytes as hex; null: not known yet (WalletConnect without a login or a signature). */
  readonly publicKey: string | null;
  /** What the app calls itself: plain text. */
  readonly name: string;
  /** Unix seconds; null: it has no end. */
  readonly expires: number | null;
  /** False over WizardConnect: no messages, so no logins. */
  readonly signsMessages: boolean;
};

/** A wcTransaction as the API hands it out (`wcTransaction`, `preparationTransaction`): passed on as it stands. */
export type WalletTransaction = {
  readonly transaction: string;
  readonly sourceOutputs: readonly unknown[];
  readonly broadcast: boolean;
  readonly userPrompt?: string;
  readonly digest?: string;
};

/** What a wallet has signed, found right by the daemon (`POST /api/transactions/check`). Nothing was sent. */
export type SignedAnswer = {
  /** Raw hex: goes to `POST /api/transactions/broadcast`, or a vault's to `…/signatures`. */
  readonly transaction: string;
  readonly txid: string;
  /** False: others have to sign too. */
  readonly isComplete: boolean;
  /** The key that has signed, 33 bytes as hex. */
  readonly publicKey: string;
};

/** What somebody is waited for, in words to be shown (`aria-live`). */
export type Tell = (text: string) => void;

export type ConnectRequest = {
  readonly protocol: Protocol;
  /**
   * Shows what the app scans. On the phone itself `uri` is a link.
   *
   * @param picture what stands in the QR code: the same but for WizardConnect, where it is shorter
   */
  readonly onUri: (uri: string, picture: string) => void;
  readonly tell: Tell;
};

export type SignRequest = {
  readonly tell: Tell;
  /**
   * What the signature is for, in the page's own JSON: the address of the page and the step that follows. It is kept with what
   * was asked, so that a page that was reloaded meanwhile knows what to do with the answer ({@link PageWallet.pending}).
   */
  readonly purpose: unknown;
};

/** What was asked, and what for. */
export type PendingRequest = {
  readonly transaction: WalletTransaction;
  readonly purpose: unknown;
  /** Unix seconds. */
  readonly askedAt: number;
};

/** A wallet on a phone. One call at a time: `wallet_busy` for another. Every failure is a {@link Failure}. */
export type PageWallet = {
  /** The wallet that is connected; null: none. It may have changed after any call. */
  readonly session: () => WalletSession | null;
  /** Takes up the session of this tab after a reload. Asks nobody: null where there is none. */
  readonly restore: () => WalletSession | null;
  /**
   * Connects an app. Where the daemon does not trust the address header, a WalletConnect app is asked to sign the login with it.
   *
   * @throws project_id_missing, project_id_refused, relay_unavailable, wallet_not_paired, wallet_declined, wallet_failed,
   *   wallet_network_mismatch, wallet_unsupported, wallet_proof_failed, interrupted
   */
  readonly connect: (request: ConnectRequest) => Promise<WalletSession>;
  /**
   * Logs in by a signed message where that is needed: after a reload, since the token is in memory only. Nothing is asked where the
   * header is trusted or the token is good for a while.
   *
   * @throws wallet_unsupported (WizardConnect signs no messages), and as signMessage
   */
  readonly login: (tell: Tell) => Promise<void>;
  /** True: {@link PageWallet.login} would ask the phone. */
  readonly needsLogin: () => boolean;
  /** Forgets the token: the daemon does not take it any more (`token_expired`, `invalid_token`). */
  readonly forgetLogin: () => void;
  /** The headers that name the caller to the API: `authorization`, or `x-user-address` where that is trusted. Empty: nobody. */
  readonly headers: () => Readonly<Record<string, string>>;
  /**
   * Asks for a signature, and lets the daemon check the answer.
   *
   * @throws wallet_declined, wallet_silent, wallet_offline, wallet_failed, wallet_answer_differs, wallet_account_mismatch,
   *   wallet_session_ended, relay_unavailable, interrupted
   */
  readonly sign: (transaction: WalletTransaction, request: SignRequest) => Promise<SignedAnswer>;
  /**
   * What was asked and is not done with: until it failed, or until {@link PageWallet.forget}. So a page that is left between a
   * signature and what follows of it goes on from there; null: nothing.
   */
  readonly pending: () => PendingRequest | null;
  /** Goes on with {@link PageWallet.pending}; an answer that came meanwhile, or before, is there at once. @throws as sign */
  readonly resume: (tell: Tell) => Promise<SignedAnswer>;
  /** Forgets what is pending: call it once what was signed is sent and confirmed. */
  readonly forget: () => void;
  /** @returns base64 (65 bytes), not checked. @throws wallet_unsupported, and as sign */
  readonly signMessage: (text: string, tell: Tell) => Promise<string>;
  /** Ends the call under way with `interrupted`; what was asked is taken back from the phone where the app lets that be done. */
  readonly cancel: () => void;
  /** Ends the session and forgets it. @returns why the app was not told; null: it was */
  readonly disconnect: () => Promise<string | null>;
};

/** What a wallet needs of the page. */
export type PageWalletSettings = {
  readonly ask: AskDaemon;
  readonly facts: PhoneFacts;
  /** Keeps the session for as long as the tab is open: `sessionStorage`. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Where the page is, as apps show it: `location.origin`. */
  readonly origin: string;
};

/** `import('./wallet/open-wallet.js')` has it under this name. */
export type OpenPageWallet = (settings: PageWalletSettings) => PageWallet;

type Storage = {
  readonly getItem: (key: string) => string | null;
  readonly setItem: (key: string, value: string) => void;
  readonly removeItem: (key: string) => void;
};
