/** What the file of a session with an app says without being opened: the name of the app, and when the session ends. */
import { join } from 'node:path';
import { z } from 'zod';
import { TreasuryError } from '../../errors.js';
import { files, isErrno } from '../machine.js';
import type { Face } from '../../wallet-protocols/remote-wallet.js';
import { SealedSecret } from './sealed-secret.js';

const hexText = z.string().regex(/^(?:[0-9a-f]{2})*$/);

/** The state under a key of its own, which is sealed like other secrets: it changes often, and scrypt is slow. */
export const SealedState = z.object({
  key: SealedSecret,
  iv: hexText,
  tag: hexText,
  ciphertext: hexText,
});

export const SessionFile = z.object({
  version: z.literal(1),
  app: z.string(),
  /** Unix seconds. */
  endsAt: z.int().nullable(),
  /** Where no money is real it stands there as it is. */
  state: z.union([z.object({ sealed: SealedState }), z.object({ plain: z.unknown() })]),
});
export type SessionFile = z.output<typeof SessionFile>;

/** Where the session of a wallet is kept. */
export const sessionFileOf = (folder: string, name: string): string =>
  join(folder, 'sessions', `${name}.json`);

/** @throws store_damaged */
export const readSessionFile = (folder: string, name: string): SessionFile => {
  const file = sessionFileOf(folder, name);
  const remedy = `remove it, and connect again: \`treasury wallet connect --name ${name}\``;
  try {
    const read = SessionFile.safeParse(JSON.parse(files().readWhole(file).toString('utf8')));
    if (read.success) return read.data;
    const where = read.error.issues[0]?.path.join('.') ?? 'the top';
    throw new TreasuryError('store_damaged', { file, where, remedy });
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new TreasuryError('store_damaged', { file, where: 'its JSON', remedy });
    throw error;
  }
};

/** A session whose file is gone or damaged is over: whoever asks for it is told why. */
export const readFace = (folder: string, name: string): Face => {
  try {
    const { app, endsAt } = readSessionFile(folder, name);
    return { app, endsAt };
  } catch (error) {
    if (isErrno(error, 'ENOENT') || error instanceof TreasuryError) return { app: 'no app', endsAt: 0 };
    throw error;
  }
};
