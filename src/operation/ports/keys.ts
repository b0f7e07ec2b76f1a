/** Keys as the operations see them. Secrets leave the keystore only as a signer or an export. */
import type { Address } from '../../bch/address.js';
import type { KeySigner } from '../../bch/keys.js';

/** What may be shown of a wallet. */
export type WalletInfo = {
  readonly name: string;
  readonly address: Address;
  /** 33 bytes as hex. */
  readonly publicKey: string;
  /** How the key was made: from a BIP39 seed phrase at `path`, or imported as WIF. */
  readonly origin: 'seed' | 'wif';
  /** BIP32 path; null for WIF. */
  readonly path: string | null;
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
  /** @throws wallet_not_found, wallet_locked, wrong_passphrase */
  readonly unlock: (name?: string) => Promise<Signer>;
  /** The secrets of a wallet, for a backup. @throws as unlock */
  readonly export: (
    name: string,
  ) => Promise<{ readonly mnemonic: string | null; readonly path: string | null; readonly wif: string }>;
  /** The authority whose public key (hex) is given, or the newest. @throws authority_missing, authority_locked */
  readonly authority: (publicKey?: string) => Promise<Signer>;
  /** Public key (hex) of the newest authority. @throws authority_missing */
  readonly authorityPublicKey: () => Promise<string>;
};
