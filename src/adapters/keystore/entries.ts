/** What stands in the keystore, and how it is found and shown: no secret is touched here. */
import { parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import { TreasuryError } from '../../errors.js';
import type { Signer, WalletInfo } from '../../operation/ports/keys.js';
import { readKeystore, type KeystoreContent, type WalletEntry } from './keystore-file.js';
import type { ScryptCost } from './sealed-secret.js';

export type KeystoreSettings = {
  /** The data folder; made when it is missing. */
  readonly folder: string;
  readonly network: Network;
  /** Asks for a passphrase; null when there is nobody to ask. */
  readonly askPassphrase: (walletName: string, purpose: 'unlock' | 'new') => Promise<string | null>;
  /** Unix seconds. */
  readonly now: () => number;
  /** That many random bytes. */
  readonly random: (length: number) => Uint8Array;
  /** What scrypt may cost for new secrets; default {@link SCRYPT_COST}. */
  readonly cost?: ScryptCost;
};

/** An open keystore. */
export type Keystore = KeystoreSettings & {
  readonly file: string;
  /** Signers of this process, by name and public key: each key is derived once. */
  readonly unlocked: Map<string, Promise<Signer>>;
};

/** A wallet as it is shown: without its secret. */
export const showEntry = (entry: WalletEntry, { defaultWallet }: KeystoreContent): WalletInfo => ({
  name: entry.name,
  address: parseAddress(entry.address),
  publicKey: entry.publicKey,
  origin: entry.origin,
  path: entry.path,
  encrypted: entry.secret.kind !== 'plain',
  isDefault: entry.name === defaultWallet,
  isAuthority: entry.isAuthority,
  createdAt: entry.createdAt,
});

/** @throws as {@link readKeystore} */
export const readContent = ({ file, network }: Keystore): Promise<KeystoreContent> =>
  readKeystore(file, network);

/** The wallet of that name, or the default one. @throws wallet_not_found */
export const findEntry = (content: KeystoreContent, name: string | undefined): WalletEntry => {
  const wanted = name ?? content.defaultWallet;
  const entry = content.wallets.find((wallet) => wallet.name === wanted);
  if (entry === undefined) throw new TreasuryError('wallet_not_found', { name: wanted ?? 'default' });
  return entry;
};

/** The authority with that public key, or the newest. @throws authority_missing */
export const findAuthority = async (keystore: Keystore, publicKey?: string): Promise<WalletEntry> => {
  const { wallets } = await readContent(keystore);
  const entry = wallets.findLast(
    (wallet) => wallet.isAuthority && (publicKey === undefined || wallet.publicKey === publicKey),
  );
  if (entry === undefined)
    throw new TreasuryError('authority_missing', publicKey === undefined ? {} : { publicKey });
  return entry;
};
