/**
 * Wallets whose key is elsewhere: connected, asked, disconnected. Loaded with the first call that needs one.
 *
 * One process at a time asks a wallet. What it answers is held against what it was asked, whoever it is.
 */
import { hexToBin } from '@bitauth/libauth';
import { dirname, join } from 'node:path';
import { parseAddress } from '../../bch/address.js';
import { hexOf } from '../../bch/hex.js';
import { addressOfPublicKey } from '../../bch/keys.js';
import { recoverSigner } from '../../bch/signed-message.js';
import { decodeWalletTransaction, type WalletTransaction } from '../../bch/wallet-transaction.js';
import { AnswerDiffers, checkWalletAnswer } from '../../bch/wallet-answer.js';
import { invalidField, isTreasuryError, messageOf, TreasuryError } from '../../errors.js';
import {
  isRemote,
  type Asking,
  type KeysPort,
  type Protocol,
  type Signed,
} from '../../operation/ports/keys.js';
import { writing } from '../../storage-failure.js';
import { withFileLock } from '../file-lock.js';
import { files } from '../machine.js';
import type { RemoteSurroundings, RemoteWallet } from '../../wallet-protocols/remote-wallet.js';
import { aroundTerminal, withErrors, type Proven, type ToldProtocol } from '../remote-surroundings.js';
import {
  changeKeystore,
  findEntry,
  readKeystore,
  showEntry,
  type Keystore,
  type KeystoreContent,
  type WalletEntry,
} from './keystore-file.js';
import { choosePassphrase, requireName } from './secrets.js';
import { readFace } from './session-face.js';
import { createSession, openSession, removeSession } from './session-file.js';

/** How long another command that asks the same wallet is waited for. */
const BUSY_MS = 3_000;

const protocolOf = async (origin: Protocol): Promise<ToldProtocol> => {
  if (origin === 'walletconnect')
    return withErrors((await import('../../wallet-protocols/walletconnect/walletconnect.js')).walletconnect);
  return withErrors((await import('../../wallet-protocols/wizardconnect/wizardconnect.js')).wizardconnect);
};

const surroundingsOf = (
  { remote, network, random }: Keystore,
  asking: Partial<Asking>,
): RemoteSurroundings => {
  if (remote == null) throw new Error('this keystore reaches no wallet elsewhere');
  return aroundTerminal({ settings: remote, network, random, asking: { ...remote.asking, ...asking } });
};

/** Works while no other command asks that wallet. @throws wallet_busy */
const alone = async <T>(keystore: Keystore, name: string, work: () => Promise<T>): Promise<T> => {
  const folder = join(dirname(keystore.file), 'sessions');
  writing(folder, () => {
    files().makeFolder(folder);
  });
  const lock = join(folder, `${name}.lock`);
  const own = { begun: false };
  const begin = (): Promise<T> => {
    own.begun = true;
    return work();
  };
  try {
    return await withFileLock(lock, begin, { timeoutMs: BUSY_MS });
  } catch (error) {
    if (own.begun || !isTreasuryError(error) || error.code !== 'store_locked') throw error;
    throw new TreasuryError('wallet_busy', { wallet: name, pid: error.details['pid'] });
  }
};

/** A wallet whose key is elsewhere, as the keystore has it. */
type RemoteEntry = WalletEntry & { readonly origin: Protocol };

const isRemoteEntry = (entry: WalletEntry): entry is RemoteEntry => isRemote(entry.origin);

/** @throws wallet_not_remote */
const remoteEntry = (entry: WalletEntry): RemoteEntry => {
  if (isRemoteEntry(entry)) return entry;
  throw new TreasuryError('wallet_not_remote', { wallet: entry.name });
};

/** @throws wallet_session_ended, wallet_locked, wrong_passphrase, store_damaged */
const openWallet = async (
  keystore: Keystore,
  entry: RemoteEntry,
  asking: Partial<Asking>,
): Promise<RemoteWallet> => ({
  ...surroundingsOf(keystore, asking),
  name: entry.name,
  address: parseAddress(entry.address),
  publicKey: entry.publicKey,
  ...(await openSession(keystore, entry)),
});

const withWallet = <T>(
  keystore: Keystore,
  entry: WalletEntry,
  asking: Partial<Asking>,
  work: (protocol: ToldProtocol, wallet: RemoteWallet) => Promise<T>,
): Promise<T> =>
  alone(keystore, entry.name, async () => {
    const remote = remoteEntry(entry);
    return work(await protocolOf(remote.origin), await openWallet(keystore, remote, asking));
  });

/** The app speaks for another account than the one that was connected. */
const otherAccount = (
  { network }: Keystore,
  { name, address }: Pick<WalletEntry, 'name' | 'address'>,
  publicKey: Uint8Array,
  app: string,
): TreasuryError =>
  new TreasuryError('wallet_account_mismatch', {
    wallet: name,
    expected: address,
    found: addressOfPublicKey(publicKey, network).text,
    app,
  });

/** What an app has signed. @throws `SIGN_ERRORS` */
export const signRemotely = (
  keystore: Keystore,
  entry: WalletEntry,
  transaction: WalletTransaction,
  asking: Partial<Asking>,
): Promise<Signed> =>
  withWallet(keystore, entry, asking, async (protocol, wallet) => {
    const request = decodeWalletTransaction(transaction);
    const answer = await protocol.signTransaction(wallet, transaction);
    try {
      const owner = { address: wallet.address, publicKey: hexToBin(entry.publicKey) };
      const { transaction: signed, txid } = checkWalletAnswer(request, answer, owner);
      return { transaction: signed, txid };
    } catch (error) {
      if (!(error instanceof AnswerDiffers)) throw error;
      const { foreignKey, message: reason } = error;
      if (foreignKey !== null) throw otherAccount(keystore, entry, foreignKey, wallet.face.app);
      throw new TreasuryError('wallet_answer_differs', { wallet: entry.name, reason }, { cause: error });
    }
  });

/** What an app has signed of a text. @throws `SIGN_ERRORS` */
export const signTextRemotely = (
  keystore: Keystore,
  entry: WalletEntry,
  text: string,
  asking: Partial<Asking>,
): Promise<string> =>
  withWallet(keystore, entry, asking, async (protocol, wallet) => {
    const signature = await protocol.signMessage(wallet, text);
    const publicKey = recoverSigner(text, signature);
    if (publicKey === null) {
      const reason = 'it is no signed message';
      throw new TreasuryError('wallet_answer_differs', { wallet: entry.name, reason });
    }
    if (hexOf(publicKey) === entry.publicKey) return signature.trim();
    throw otherAccount(keystore, entry, publicKey, wallet.face.app);
  });

/** The wallet of that name, where an app may be connected anew; null: the name is free. @throws wallet_exists */
const knownApp = ({ wallets }: KeystoreContent, name: string): RemoteEntry | null => {
  const known = wallets.find((wallet) => wallet.name === name);
  if (known === undefined) return null;
  if (isRemoteEntry(known)) return known;
  throw new TreasuryError('wallet_exists', { name });
};

/** An app that is connected anew is the one that it was. @throws wallet_account_mismatch, wallet_exists */
const checkIdentity = (
  content: KeystoreContent,
  name: string,
  { address, publicKey, face }: Proven,
): void => {
  const known = knownApp(content, name);
  if (known !== null && known.publicKey !== publicKey)
    throw new TreasuryError('wallet_account_mismatch', {
      wallet: name,
      expected: known.address,
      found: address.text,
      app: face.app,
    });
  const other = content.wallets.find((one) => one.publicKey === publicKey && one.name !== name);
  if (other !== undefined)
    throw invalidField('name', `the wallet ${other.name} has the key of ${address.text} already`);
};

/** @throws wallet_exists, and what `CONNECT_ERRORS` lists */
export const connectApp = (
  keystore: Keystore,
  { name, protocol: origin }: Parameters<KeysPort['connect']>[0],
): ReturnType<KeysPort['connect']> => {
  requireName(name);
  return alone(keystore, name, async () => {
    // Check: before anybody is asked for anything.
    knownApp(await readKeystore(keystore), name);
    const protocol = await protocolOf(origin);
    const passphrase = await choosePassphrase(keystore, { name, passphrase: null });
    const connected = await protocol.connect(surroundingsOf(keystore, {}), name);
    checkIdentity(await readKeystore(keystore), name, connected);

    // Record: the session first, since a wallet without one is of no use.
    const { address, publicKey } = connected;
    await createSession(keystore, { name, publicKey }, passphrase, connected);
    const entry: WalletEntry = {
      name,
      address: address.text,
      publicKey,
      origin,
      path: null,
      isAuthority: false,
      createdAt: keystore.now(),
      secret: { kind: 'remote', encrypted: passphrase !== null },
    };
    const content = await changeKeystore(keystore, (current) => {
      checkIdentity(current, name, connected);
      const others = current.wallets.filter((one) => one.name !== name);
      return { ...current, defaultWallet: current.defaultWallet ?? name, wallets: [...others, entry] };
    });
    return showEntry(entry, content, keystore);
  });
};

/** Tells the app, where it can be told. @returns why it could not; null: it was */
const tellApp = async (keystore: Keystore, entry: RemoteEntry): Promise<string | null> => {
  const { endsAt } = readFace(dirname(keystore.file), entry.name);
  if (endsAt !== null && endsAt <= keystore.now()) return null;
  const protocol = await protocolOf(entry.origin);
  const wallet = await openWallet(keystore, entry, {});
  try {
    await protocol.disconnect(wallet);
    return null;
  } catch (error) {
    return messageOf(error);
  }
};

/** @throws wallet_not_found, wallet_not_remote, wallet_busy, wallet_locked, wrong_passphrase */
export const disconnectApp = async (keystore: Keystore, name: string): ReturnType<KeysPort['disconnect']> => {
  const content = await readKeystore(keystore);
  const entry = remoteEntry(findEntry(content, name));
  return alone(keystore, name, async () => {
    const wallet = showEntry(entry, content, keystore);
    const untold = await tellApp(keystore, entry);
    await changeKeystore(keystore, (current) => {
      const wallets = current.wallets.filter((one) => one.name !== name);
      const [next = null] = wallets.filter(({ isAuthority }) => !isAuthority).map((one) => one.name);
      const defaultWallet = current.defaultWallet === name ? next : current.defaultWallet;
      return { ...current, wallets, defaultWallet };
    });
    removeSession(keystore, name);
    return { wallet, untold };
  });
};
