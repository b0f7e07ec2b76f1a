/** A secret of a home in a file of its own, readable by its owner only, which all processes of the home share. */
import { join } from 'node:path';
import { messageOf, TreasuryError } from '../errors.js';
import { writing } from '../storage-failure.js';
import { withFileLock } from './file-lock.js';
import { files } from './machine.js';
import { writeWhole } from './whole-file.js';

const SECRET_BYTES = 32;
const MOUNTED_REMEDY =
  'put 64 hexadecimal digits (0-9, a-f) there, the same for every daemon: `openssl rand -hex 32`';

export type SecretFileSettings = {
  /** The data folder; made when it is missing. */
  readonly folder: string;
  /** The name of the file. */
  readonly name: string;
  /** What is to be done when it is damaged: `remove it, and everybody asks for a new token`. */
  readonly remedy: string;
  /** That many random bytes. */
  readonly random: (length: number) => Uint8Array;
  /** A file in its place that somebody else looks after, the same for several daemons: it is read, and never written. */
  readonly mounted?: string | null;
};

export type SecretFile = {
  /** The secret of this moment, whoever made it: 32 bytes. It is made when there is none. */
  readonly read: () => Promise<Uint8Array>;
  /** Puts another in its place. */
  readonly rotate: () => Promise<void>;
};

const parseSecret = (file: string, text: string, remedy: string): Uint8Array => {
  if (/^[0-9a-f]{64}\n?$/.test(text)) return Buffer.from(text.trim(), 'hex');
  throw new TreasuryError('store_damaged', { file, where: 'its only line', remedy });
};

/** Changes whenever the file is replaced: every write makes a new inode. */
const stampOf = (file: string): string => {
  const found = files().stat(file);
  return found === null ? 'none' : `${found.inode} ${found.modifiedNs} ${found.size}`;
};

const readSecret = (file: string, remedy: string): Uint8Array =>
  parseSecret(file, files().readWhole(file).toString('utf8'), remedy);

/** A secret that a secret manager has put there: another one is noticed at the next call. */
const openMounted = (file: string): SecretFile => ({
  read: () => {
    try {
      return Promise.resolve(readSecret(file, MOUNTED_REMEDY));
    } catch (error) {
      if (error instanceof TreasuryError) throw error;
      throw new TreasuryError('store_damaged', { file, where: messageOf(error), remedy: MOUNTED_REMEDY });
    }
  },
  rotate: () => {
    const reason = 'it is looked after by whoever put it there: put another secret in its place';
    return Promise.reject(new TreasuryError('storage_read_only', { file, reason }));
  },
});

/** The calls may throw store_damaged, and store_locked when the secret must be made. */
export const openSecretFile = ({ mounted = null, ...settings }: SecretFileSettings): SecretFile =>
  mounted === null ? openOwn(settings) : openMounted(mounted);

const openOwn = ({ folder, name, remedy, random }: Omit<SecretFileSettings, 'mounted'>): SecretFile => {
  const file = join(folder, name);
  let known: { readonly stamp: string; readonly secret: Uint8Array } | null = null;

  const write = async (): Promise<void> => {
    const text = `${Buffer.from(random(SECRET_BYTES)).toString('hex')}\n`;
    await writeWhole(file, text);
  };
  /** Under the lock, so that of two processes that find no secret one makes it and the other takes that one. */
  const replace = (isWanted: () => boolean): Promise<void> => {
    writing(folder, () => {
      files().makeFolder(folder);
    });
    return withFileLock(`${file}.lock`, async () => {
      if (isWanted()) await write();
    });
  };

  return {
    read: async () => {
      if (!files().exists(file)) await replace(() => !files().exists(file));
      const stamp = stampOf(file);
      if (known?.stamp === stamp) return known.secret;
      const secret = readSecret(file, remedy);
      known = { stamp, secret };
      return secret;
    },
    rotate: () => replace(() => true),
  };
};
