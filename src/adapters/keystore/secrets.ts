/**
 * Secrets of the keystore: made, sealed, opened, exported. Loaded with the first call that needs a key.
 *
 * Secrets are kept under scrypt and AES-256-GCM, each bound to its wallet's name, address and role, and leave
 * this module only as a signer or an export. On networks without money a wallet may go without a passphrase.
 */
import { binToHex } from '@bitauth/libauth';
import { dirname } from 'node:path';
import {
  decodeWif,
  DEFAULT_PATH,
  derivePrivateKey,
  encodeMnemonic,
  encodeWif,
  readMnemonic,
  signerOf,
} from '../../bch/keys.js';
import type { Network } from '../../bch/network.js';
import { signMessage } from '../../bch/signed-message.js';
import { signWalletTransaction, type WalletTransaction } from '../../bch/wallet-transaction.js';
import { invalidField, TreasuryError } from '../../errors.js';
import type { KeysPort, NewWallet, Origin, Signed, Signer, WalletInfo } from '../../operation/ports/keys.js';
import {
  findAuthority,
  findEntry,
  readKeystore,
  showEntry,
  changeKeystore,
  keystoreDamaged,
  type Keystore,
  type KeystoreContent,
  type WalletEntry,
  type WalletIdentity,
} from './keystore-file.js';
import { readFace } from './session-face.js';
import { openSecret, SCRYPT_COST, sealSecret } from './sealed-secret.js';

type Secret = { readonly origin: Origin; readonly text: string; readonly path: string | null };

/** 128 bits: 12 words. */
const ENTROPY_BYTES = 16;
const namePattern = /^[a-z0-9][a-z0-9-]{0,39}$/;
const NAME_RULE =
  'expected a name of lower-case letters, digits and dashes that begins with a letter or digit, at most 40 long';
const networksWithoutMoney: readonly Network[] = ['local', 'regtest'];

/** @throws invalid_input */
export const requireName = (name: string): void => {
  if (!namePattern.test(name)) throw invalidField('name', `${NAME_RULE}, not "${name}"`);
};

const requireFreeName = (content: KeystoreContent, name: string): void => {
  if (content.wallets.some((wallet) => wallet.name === name))
    throw new TreasuryError('wallet_exists', { name });
};

/** What a sealed secret is bound to: everything that is said about the wallet. */
const boundTo = ({
  name,
  address,
  publicKey,
  origin,
  path,
  isAuthority,
  createdAt,
}: WalletIdentity): string =>
  JSON.stringify(['treasury keystore 1', name, address, publicKey, origin, path, isAuthority, createdAt]);

/** The seed phrase or WIF of a wallet. @throws wallet_remote, wallet_locked, wrong_passphrase, store_damaged */
const readSecret = async ({ file, askPassphrase }: Keystore, entry: WalletEntry): Promise<string> => {
  if (entry.secret.kind === 'remote') throw remoteKey(entry, file);
  if (entry.secret.kind === 'plain') return entry.secret.text;
  const passphrase = await askPassphrase(entry.name, 'unlock');
  if (passphrase === null) throw new TreasuryError('wallet_locked', { wallet: entry.name });
  const opened = await openSecret(entry.secret, passphrase, boundTo(entry));
  if (opened.state === 'wrong_passphrase')
    throw new TreasuryError('wrong_passphrase', { wallet: entry.name });
  if (opened.state === 'damaged') throw keystoreDamaged(file, `the wallet ${entry.name}`);
  return opened.text;
};

/** What asks for the key of a wallet that has it elsewhere is answered so. */
const remoteKey = ({ name }: WalletEntry, file: string): TreasuryError =>
  new TreasuryError('wallet_remote', {
    wallet: name,
    app: readFace(dirname(file), name).app,
    reason: 'only the app can sign with it or show it, and whoever holds the phone',
  });

const signerFrom = (name: string, secret: Secret, network: Network): Signer =>
  signerOf(
    name,
    secret.origin === 'seed'
      ? derivePrivateKey(secret.text, secret.path ?? DEFAULT_PATH)
      : decodeWif(secret.text, network),
    network,
  );

/** The signer of a secret, or null when the secret is none or is not that of this wallet. */
const signerOfEntry = (entry: WalletEntry, text: string, network: Network): Signer | null => {
  try {
    const signer = signerFrom(entry.name, { origin: entry.origin, path: entry.path, text }, network);
    return binToHex(signer.publicKey) === entry.publicKey ? signer : null;
  } catch (error) {
    if (error instanceof TreasuryError) return null;
    throw error;
  }
};

/** Opens a wallet. @throws wallet_locked, wrong_passphrase, store_damaged (also when the key is not the shown one) */
const openWallet = async (
  keystore: Keystore,
  entry: WalletEntry,
): Promise<{ readonly secret: string; readonly signer: Signer }> => {
  const secret = await readSecret(keystore, entry);
  const signer = signerOfEntry(entry, secret, keystore.network);
  if (signer === null) throw keystoreDamaged(keystore.file, `the wallet ${entry.name}`);
  return { secret, signer };
};

const signerKey = ({ name, publicKey }: WalletIdentity): string => `${name} ${publicKey}`;

/** Opens a wallet once per process; a failure is not remembered. */
export const unlockEntry = (keystore: Keystore, entry: WalletEntry): Promise<Signer> => {
  const key = signerKey(entry);
  const known = keystore.unlocked.get(key);
  if (known !== undefined) return known;
  const opening = openWallet(keystore, entry).then(({ signer }) => signer);
  keystore.unlocked.set(key, opening);
  opening.catch(() => keystore.unlocked.delete(key));
  return opening;
};

/** The passphrase of a new wallet, or null for none. */
export const choosePassphrase = async (keystore: Keystore, wallet: NewWallet): Promise<string | null> => {
  if (wallet.passphrase === '') throw invalidField('passphrase', 'expected at least one character');
  if (wallet.passphrase !== null || networksWithoutMoney.includes(keystore.network)) return wallet.passphrase;
  const asked = await keystore.askPassphrase(wallet.name, 'new');
  if (asked === null || asked === '') throw new TreasuryError('missing_value', { flag: 'A passphrase' });
  return asked;
};

const addWallet = async (keystore: Keystore, wallet: NewWallet, secret: Secret): Promise<WalletInfo> => {
  const { network, now, random, cost = SCRYPT_COST } = keystore;
  const { name } = wallet;

  // Check: before anybody is asked for a passphrase.
  requireName(name);
  const signer = signerFrom(name, secret, network);
  requireFreeName(await readKeystore(keystore), name);
  const passphrase = await choosePassphrase(keystore, wallet);

  // Build
  const identity: WalletIdentity = {
    name,
    address: signer.address.text,
    publicKey: binToHex(signer.publicKey),
    origin: secret.origin,
    path: secret.path,
    isAuthority: wallet.isAuthority ?? false,
    createdAt: now(),
  };
  const kept: WalletEntry['secret'] =
    passphrase === null
      ? { kind: 'plain', text: secret.text }
      : await sealSecret(secret.text, { passphrase, boundTo: boundTo(identity), cost, random });
  const entry: WalletEntry = { ...identity, secret: kept };

  // Record: the first wallet that is no authority is the default.
  const content = await changeKeystore(keystore, (current) => {
    requireFreeName(current, name);
    const defaultWallet = current.defaultWallet ?? (entry.isAuthority ? null : name);
    return { ...current, defaultWallet, wallets: [...current.wallets, entry] };
  });
  keystore.unlocked.set(signerKey(entry), Promise.resolve(signer));
  return showEntry(entry, content, keystore);
};

/** @throws wallet_exists */
export const createWallet = async (keystore: Keystore, wallet: NewWallet): ReturnType<KeysPort['create']> => {
  const mnemonic = encodeMnemonic(keystore.random(ENTROPY_BYTES));
  const secret: Secret = { origin: 'seed', text: mnemonic, path: wallet.path ?? DEFAULT_PATH };
  return { wallet: await addWallet(keystore, wallet, secret), mnemonic };
};

/** @throws wallet_exists, invalid_input */
export const importWallet = async (
  keystore: Keystore,
  wallet: Parameters<KeysPort['import']>[0],
): Promise<WalletInfo> => {
  if ('wif' in wallet)
    return addWallet(keystore, wallet, { origin: 'wif', text: wallet.wif.trim(), path: null });
  const text = readMnemonic(wallet.mnemonic);
  return addWallet(keystore, wallet, { origin: 'seed', text, path: wallet.path ?? DEFAULT_PATH });
};

/** The passphrase is asked for even when the wallet is unlocked: an export needs its owner. */
export const exportWallet = async (keystore: Keystore, name: string): ReturnType<KeysPort['export']> => {
  const entry = findEntry(await readKeystore(keystore), name);
  const { secret, signer } = await openWallet(keystore, entry);
  return {
    mnemonic: entry.origin === 'seed' ? secret : null,
    path: entry.path,
    wif: encodeWif(signer.privateKey, keystore.network),
  };
};

/** @throws authority_missing, authority_locked */
export const unlockAuthority = async (keystore: Keystore, publicKey?: string): Promise<Signer> => {
  try {
    return await unlockEntry(keystore, await findAuthority(keystore, publicKey));
  } catch (error) {
    if (error instanceof TreasuryError && error.code === 'wallet_locked') {
      throw new TreasuryError('authority_locked', {}, { cause: error });
    }
    throw error;
  }
};

/** Signs with a key of this home. @throws wallet_locked, wrong_passphrase, signing_failed, tx_malformed */
export const signWithKey = async (
  keystore: Keystore,
  entry: WalletEntry,
  transaction: WalletTransaction,
): Promise<Signed> => {
  const { transaction: signed, txid } = signWalletTransaction(
    transaction,
    await unlockEntry(keystore, entry),
  );
  return { transaction: signed, txid };
};

/** Signs a text with a key of this home. @throws wallet_locked, wrong_passphrase */
export const signTextWithKey = async (
  keystore: Keystore,
  entry: WalletEntry,
  text: string,
): Promise<string> => signMessage(text, (await unlockEntry(keystore, entry)).privateKey);
