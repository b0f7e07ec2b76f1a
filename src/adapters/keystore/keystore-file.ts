/** The file of the keystore: what stands in it, how it is read and replaced, found and shown. No secret is touched here. */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { z } from 'zod';
import { addressOfHash, parseAddress } from '../../bch/address.js';
import { networkNames, type Network } from '../../bch/network.js';
import { TreasuryError } from '../../errors.js';
import { isRemote, ORIGINS, type Signer, type WalletInfo } from '../../operation/ports/keys.js';
import { writing } from '../../storage-failure.js';
import { withFileLock } from '../file-lock.js';
import { files, isErrno } from '../machine.js';
import type { Remote } from '../../wallet-protocols/remote-wallet.js';
import { writeWhole } from '../whole-file.js';
import { readFace } from './session-face.js';
import { SealedSecret, type ScryptCost } from './sealed-secret.js';

/** The first version knows no wallet whose key is elsewhere: a keystore without one is still of the first. */
const VERSIONS = [1, 2] as const;
const versionOf = (wallets: readonly WalletEntry[]) =>
  wallets.some(({ origin }) => isRemote(origin)) ? 2 : 1;

/** A seed phrase or a WIF in the clear: for networks without money. */
const PlainSecret = z.object({ kind: z.literal('plain'), text: z.string() });

/** The key is elsewhere; the session with its app is a file of its own. */
const RemoteSecret = z.object({ kind: z.literal('remote'), encrypted: z.boolean() });

const WalletEntry = z.object({
  name: z.string(),
  /** The `q` form. */
  address: z.string(),
  publicKey: z.string().regex(/^0[23][0-9a-f]{64}$/),
  origin: z.enum(ORIGINS),
  path: z.string().nullable(),
  isAuthority: z.boolean(),
  createdAt: z.number(),
  secret: z.discriminatedUnion('kind', [SealedSecret, PlainSecret, RemoteSecret]),
});
/** A wallet as it is kept. Entries stand in the order they were made. */
export type WalletEntry = z.output<typeof WalletEntry>;
/** All of it but the secret. */
export type WalletIdentity = Omit<WalletEntry, 'secret'>;

const KeystoreContent = z.object({
  version: z.literal(VERSIONS),
  network: z.enum(networkNames),
  defaultWallet: z.string().nullable(),
  wallets: z.array(WalletEntry),
});
export type KeystoreContent = z.output<typeof KeystoreContent>;

const RESTORE = 'restore it from a backup, or move it away and import the wallets again';

/** @returns an error that says where the file is damaged, never what stands there */
export const keystoreDamaged = (file: string, where: string): TreasuryError =>
  new TreasuryError('store_damaged', { file, where, remedy: RESTORE });

const readTextOrNull = (file: string): string | null => {
  try {
    return files().readWhole(file).toString('utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
};

const parseJson = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw keystoreDamaged(file, 'its JSON');
  }
};

const requireKnownVersion = (file: string, value: unknown): void => {
  const found = z.object({ version: z.number() }).safeParse(value).data?.version ?? 0;
  const expected = Math.max(...VERSIONS);
  if (found > expected) throw new TreasuryError('store_too_new', { file, found, expected });
};

/** hash160 of hex. Node's own, since libauth's WebAssembly is more than a list of wallets needs. */
const hash160 = (hex: string): Uint8Array =>
  createHash('ripemd160').update(createHash('sha256').update(hex, 'hex').digest()).digest();

/** @throws store_damaged when an address shown to people is not that of the key beside it */
const requireOwnAddresses = (file: string, { wallets, network }: KeystoreContent): void => {
  for (const { name, publicKey, address } of wallets) {
    if (addressOfHash(hash160(publicKey), network).text === address) continue;
    throw keystoreDamaged(file, `the wallet ${name}`);
  }
};

const contentOf = ({ file, network }: Pick<Keystore, 'file' | 'network'>): KeystoreContent => {
  const text = readTextOrNull(file);
  if (text === null) return { version: 1, network, defaultWallet: null, wallets: [] };
  const value = parseJson(file, text);
  requireKnownVersion(file, value);
  const result = KeystoreContent.safeParse(value);
  if (!result.success) throw keystoreDamaged(file, result.error.issues[0]?.path.join('.') ?? 'the top');
  if (result.data.network !== network) {
    throw new TreasuryError('network_mismatch', { found: result.data.network, expected: network });
  }
  requireOwnAddresses(file, result.data);
  return result.data;
};

/**
 * What the file holds; nothing when there is none.
 *
 * @throws store_damaged, store_too_new, network_mismatch (keys are kept per network)
 */
export const readKeystore = (keystore: Pick<Keystore, 'file' | 'network'>): Promise<KeystoreContent> =>
  Promise.resolve().then(() => contentOf(keystore));

/**
 * Replaces the file by what `change` makes of it, while no other process does. It is on disk when this resolves,
 * readable by its owner only; when `change` throws, nothing has happened.
 *
 * @throws as {@link readKeystore}; store_locked, storage_full, storage_read_only; and whatever `change` throws
 */
export const changeKeystore = (
  { file, network }: Pick<Keystore, 'file' | 'network'>,
  change: (content: KeystoreContent) => KeystoreContent,
): Promise<KeystoreContent> => {
  const folder = dirname(file);
  writing(folder, () => {
    files().makeFolder(folder);
  });
  return withFileLock(`${file}.lock`, async () => {
    const changed = change(contentOf({ file, network }));
    const content = { ...changed, version: versionOf(changed.wallets) } as const;
    // A lost key is lost money: the rename itself is on disk too when this returns.
    await writeWhole(file, `${JSON.stringify(content, null, 2)}\n`);
    return content;
  });
};

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
  /** How apps on phones are reached; without it there are none. */
  readonly remote?: Remote | null;
};

/** An open keystore. */
export type Keystore = KeystoreSettings & {
  readonly file: string;
  /** Signers of this process, by name and public key: each key is derived once. */
  readonly unlocked: Map<string, Promise<Signer>>;
};

const sessionOf = (
  { name, origin }: WalletEntry,
  file: string,
): Pick<WalletInfo, 'app' | 'sessionEndsAt'> => {
  if (!isRemote(origin)) return { app: null, sessionEndsAt: null };
  const { app, endsAt } = readFace(dirname(file), name);
  return { app, sessionEndsAt: endsAt };
};

/** A wallet as it is shown: without its secret. */
export const showEntry = (
  entry: WalletEntry,
  { defaultWallet }: KeystoreContent,
  { file }: Pick<Keystore, 'file'>,
): WalletInfo => ({
  name: entry.name,
  address: parseAddress(entry.address),
  publicKey: entry.publicKey,
  origin: entry.origin,
  path: entry.path,
  ...sessionOf(entry, file),
  encrypted: entry.secret.kind === 'remote' ? entry.secret.encrypted : entry.secret.kind !== 'plain',
  isDefault: entry.name === defaultWallet,
  isAuthority: entry.isAuthority,
  createdAt: entry.createdAt,
});

/** The wallet of that name, or the default one. @throws wallet_not_found */
export const findEntry = (content: KeystoreContent, name: string | undefined): WalletEntry => {
  const wanted = name ?? content.defaultWallet;
  const entry = content.wallets.find((wallet) => wallet.name === wanted);
  if (entry === undefined) throw new TreasuryError('wallet_not_found', { name: wanted ?? 'default' });
  return entry;
};

/** The authority with that public key, or the newest. @throws authority_missing */
export const findAuthority = async (keystore: Keystore, publicKey?: string): Promise<WalletEntry> => {
  const { wallets } = await readKeystore(keystore);
  const entry = wallets.findLast(
    (wallet) => wallet.isAuthority && (publicKey === undefined || wallet.publicKey === publicKey),
  );
  if (entry === undefined)
    throw new TreasuryError('authority_missing', publicKey === undefined ? {} : { publicKey });
  return entry;
};
