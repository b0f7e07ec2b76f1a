/** Keys as the operations see them. Secrets leave the keystore only as a signer or an export. */
import type { Address } from '../../bch/address.js';
import type { KeySigner } from '../../bch/keys.js';
import type { WalletTransaction } from '../../bch/wallet-transaction.js';

/**
 * Where a wallet's key is: here, from a BIP39 seed phrase or imported as WIF; or elsewhere, in an app that is asked over
 * WalletConnect or WizardConnect.
 */
export const ORIGINS = ['seed', 'wif', 'walletconnect', 'wizardconnect'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The protocols over which apps are asked. */
export const PROTOCOLS = ['walletconnect', 'wizardconnect'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** True where the key is elsewhere. */
export const isRemote = (origin: Origin): origin is Protocol => PROTOCOLS.some((one) => one === origin);

/** What may be shown of a wallet. */
export type WalletInfo = {
  readonly name: string;
  readonly address: Address;
  /** 33 bytes as hex. */
  readonly publicKey: string;
  readonly origin: Origin;
  /** BIP32 path in the seed; null for every other origin. */
  readonly path: string | null;
  /** Where the key is elsewhere: the name of the app. */
  readonly app: string | null;
  /** When the session with the app ends or has ended, unix seconds; null: it has no end. */
  readonly sessionEndsAt: number | null;
  /** True when a passphrase protects it. */
  readonly encrypted: boolean;
  /** True for the wallet that commands use when none is named. */
  readonly isDefault: boolean;
  /** True for a claim authority key. */
  readonly isAuthority: boolean;
  /** Unix seconds. */
  readonly createdAt: number;
};

/** A key that can sign. */
export type Signer = KeySigner;

/** What is said and heard while somebody is asked who holds a key elsewhere. */
export type Asking = {
  /** Tells the person what is awaited of them. */
  readonly tell: (text: string) => void;
  /** Shows what an app scans to connect; `picture` is what stands in the QR code, where that is not the same. */
  readonly show: (uri: string, picture?: string) => void | Promise<void>;
  /** Calls back when the person does not want to wait any longer; returns how to stop listening. */
  readonly onInterrupt?: (listener: () => void) => () => void;
  /** Ends the waiting, too. */
  readonly signal?: AbortSignal;
};

/** A transaction with the signatures of one wallet. */
export type Signed = {
  /** Raw hex. */
  readonly transaction: string;
  readonly txid: string;
};

export type NewWallet = {
  readonly name: string;
  /** Null keeps it without one (allowed on `local` only). */
  readonly passphrase: string | null;
  readonly path?: string;
  readonly isAuthority?: boolean;
};

export type KeysPort = {
  readonly list: () => Promise<readonly WalletInfo[]>;
  /** @throws wallet_not_found; without a name, the default wallet */
  readonly show: (name?: string) => Promise<WalletInfo>;
  /** Makes a wallet from fresh entropy. @throws wallet_exists */
  readonly create: (wallet: NewWallet) => Promise<{ readonly wallet: WalletInfo; readonly mnemonic: string }>;
  /** @throws wallet_exists, invalid_input (not a valid phrase or WIF) */
  readonly import: (
    wallet: NewWallet & ({ readonly mnemonic: string } | { readonly wif: string }),
  ) => Promise<WalletInfo>;
  /** Makes a wallet the default. @throws wallet_not_found */
  readonly use: (name: string) => Promise<WalletInfo>;
  /** @throws wallet_not_found, wallet_locked, wrong_passphrase, wallet_remote */
  readonly unlock: (name?: string) => Promise<Signer>;
  /**
   * Signs what waits for a wallet in a wcTransaction, wherever its key is. What an app answers is held against what it was
   * asked; it broadcasts nothing.
   *
   * @throws `SIGN_ERRORS`
   */
  readonly signTransaction: (
    name: string,
    transaction: WalletTransaction,
    asking?: Partial<Asking>,
  ) => Promise<Signed>;
  /** The Bitcoin signed message (65 bytes, base64) of a wallet over a text. @throws `SIGN_ERRORS` */
  readonly signMessage: (name: string, text: string, asking?: Partial<Asking>) => Promise<string>;
  /**
   * Connects an app, which becomes a wallet; or connects that wallet's app anew.
   *
   * @throws wallet_exists, and what `CONNECT_ERRORS` lists
   */
  readonly connect: (wallet: { readonly name: string; readonly protocol: Protocol }) => Promise<WalletInfo>;
  /** Tells an app that it is over, and forgets the wallet. @returns why the app was not told; null: it was. @throws wallet_not_remote */
  readonly disconnect: (
    name: string,
  ) => Promise<{ readonly wallet: WalletInfo; readonly untold: string | null }>;
  /** The secrets of a wallet, for a backup. @throws as unlock */
  readonly export: (
    name: string,
  ) => Promise<{ readonly mnemonic: string | null; readonly path: string | null; readonly wif: string }>;
  /** The authority whose public key (hex) is given, or the newest. @throws authority_missing, authority_locked */
  readonly authority: (publicKey?: string) => Promise<Signer>;
  /** Public key (hex) of the newest authority. @throws authority_missing */
  readonly authorityPublicKey: () => Promise<string>;
};
