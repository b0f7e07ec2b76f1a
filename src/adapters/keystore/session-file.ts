/** The file of a session with an app: mode 0600, and under the wallet's passphrase where it has one. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { dirname } from 'node:path';
import { TreasuryError } from '../../errors.js';
import { writing } from '../../storage-failure.js';
import { files } from '../machine.js';
import type { Face } from '../../wallet-protocols/remote-wallet.js';
import { writeWhole } from '../whole-file.js';
import { keystoreDamaged, type Keystore, type WalletEntry } from './keystore-file.js';
import { readSessionFile, sessionFileOf, type SessionFile } from './session-face.js';
import { openSecret, SCRYPT_COST, sealSecret, type SealedSecret } from './sealed-secret.js';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const KEY_BYTES = 32;

/** The key that a session is sealed with, as it is kept and as it is; null: the session stands there as it is. */
type StateKey = { readonly sealed: SealedSecret; readonly key: Buffer } | null;

/** An opened session. */
export type OpenedSession = {
  readonly state: unknown;
  readonly face: Face;
  readonly save: (state: unknown, face: Face) => Promise<void>;
};

type Named = Pick<WalletEntry, 'name' | 'publicKey'>;

/** What the key belongs to: another wallet's session does not open with it. */
const boundTo = ({ name, publicKey }: Named): string =>
  JSON.stringify(['treasury session 1', name, publicKey]);

const sealState = (
  text: string,
  state: StateKey,
  random: Keystore['random'],
  owner: string,
): SessionFile['state'] => {
  if (state === null) return { plain: JSON.parse(text) as unknown };
  const iv = random(IV_BYTES);
  const cipher = createCipheriv(CIPHER, state.key, iv).setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]).toString('hex');
  const tag = cipher.getAuthTag().toString('hex');
  return { sealed: { key: state.sealed, iv: Buffer.from(iv).toString('hex'), tag, ciphertext } };
};

const writeSession = async (
  keystore: Keystore,
  owner: Named,
  key: StateKey,
  { state, face }: Pick<OpenedSession, 'state' | 'face'>,
): Promise<void> => {
  const file = sessionFileOf(dirname(keystore.file), owner.name);
  writing(dirname(file), () => {
    files().makeFolder(dirname(file));
  });
  const content: SessionFile = {
    version: 1,
    ...face,
    state: sealState(JSON.stringify(state), key, keystore.random, boundTo(owner)),
  };
  await writeWhole(file, `${JSON.stringify(content, null, 2)}\n`);
};

/** Keeps a new session. @param passphrase null: it stands there as it is */
export const createSession = async (
  keystore: Keystore,
  owner: Named,
  passphrase: string | null,
  session: Pick<OpenedSession, 'state' | 'face'>,
): Promise<void> => {
  if (passphrase === null) return writeSession(keystore, owner, null, session);
  const { random, cost = SCRYPT_COST } = keystore;
  const key = Buffer.from(random(KEY_BYTES));
  const sealed = await sealSecret(key.toString('hex'), { passphrase, boundTo: boundTo(owner), cost, random });
  return writeSession(keystore, owner, { sealed, key }, session);
};

/** @throws wallet_locked, wrong_passphrase, store_damaged */
const openKey = async (keystore: Keystore, owner: Named, sealed: SealedSecret): Promise<Buffer> => {
  const passphrase = await keystore.askPassphrase(owner.name, 'unlock');
  if (passphrase === null) throw new TreasuryError('wallet_locked', { wallet: owner.name });
  const opened = await openSecret(sealed, passphrase, boundTo(owner));
  if (opened.state === 'wrong_passphrase')
    throw new TreasuryError('wrong_passphrase', { wallet: owner.name });
  if (opened.state === 'damaged') throw damaged(keystore, owner);
  return Buffer.from(opened.text, 'hex');
};

const damaged = (keystore: Keystore, { name }: Named): TreasuryError =>
  keystoreDamaged(sessionFileOf(dirname(keystore.file), name), 'its state');

/** @throws wallet_session_ended (its file is gone), wallet_locked, wrong_passphrase, store_damaged */
export const openSession = async (keystore: Keystore, owner: Named): Promise<OpenedSession> => {
  const folder = dirname(keystore.file);
  if (!files().exists(sessionFileOf(folder, owner.name)))
    throw new TreasuryError('wallet_session_ended', { wallet: owner.name, reason: 'its file is gone' });
  const { state: kept, app, endsAt } = readSessionFile(folder, owner.name);
  const face: Face = { app, endsAt };
  const saving = (key: StateKey) => (state: unknown, next: Face) =>
    writeSession(keystore, owner, key, { state, face: next });
  if ('plain' in kept) return { state: kept.plain, face, save: saving(null) };
  const { key: sealed, iv, tag, ciphertext } = kept.sealed;
  const key = await openKey(keystore, owner, sealed);
  try {
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(iv, 'hex'))
      .setAAD(Buffer.from(boundTo(owner)))
      .setAuthTag(Buffer.from(tag, 'hex'));
    const text = decipher.update(ciphertext, 'hex', 'utf8') + decipher.final('utf8');
    return { state: JSON.parse(text) as unknown, face, save: saving({ sealed, key }) };
  } catch (error) {
    throw Object.assign(damaged(keystore, owner), { cause: error });
  }
};

export const removeSession = (keystore: Keystore, name: string): void => {
  files().remove(sessionFileOf(dirname(keystore.file), name));
};
