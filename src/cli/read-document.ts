/** Files that the command line names, and standard input for `-`. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TreasuryError } from '../errors.js';
import type { Call } from './call.js';
import { readAll } from './passphrase.js';

/** What the usual failures of reading a file mean. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
  ENAMETOOLONG: 'that is too long for the name of a file',
};

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code = '' } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? error.message;
};

/** How a file is called in a message. */
const titleOf = (name: string): string => (name === '-' ? 'Standard input' : name);

/** A file with its name, or standard input for `-`. @throws invalid_file */
export const readDocument = async (name: string, { environment }: Call): Promise<string> => {
  if (name === '-') return readAll(environment.stdin);
  try {
    return await readFile(resolve(environment.cwd, name), 'utf8');
  } catch (error) {
    throw new TreasuryError('invalid_file', { file: name, reason: reasonOf(error) });
  }
};

/** Long enough for a transaction, and too long to be the name of a file. */
const RAW_TRANSACTION = /^(?:[0-9a-f]{2}){60,}$/i;

/** What a value is to be read as. */
export type Reading = {
  /** The field it is for. A document that names it is opened. */
  readonly field: string;
  /** True where raw hex stands for `{ transaction }`. */
  readonly isTransaction: boolean;
};

/** JSON as it stands, or the name of a file of it. @throws invalid_file */
export const readStructure = async (
  text: string,
  { field, isTransaction }: Reading,
  call: Call,
): Promise<unknown> => {
  const isRaw = (content: string) => isTransaction && RAW_TRANSACTION.test(content.trim());
  const isInline = /^\s*[[{]/.test(text) || isRaw(text);
  const content = isInline ? text : await readDocument(text, call);
  if (isRaw(content)) return { transaction: content.trim() };
  const refuse = (reason: string) =>
    new TreasuryError('invalid_file', { file: isInline ? `The value of ${field}` : titleOf(text), reason });
  if (content.trim() === '') throw refuse('it is empty');
  let document: unknown;
  try {
    document = JSON.parse(content);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw refuse(`expected JSON: ${reason.replace(/\s+/g, ' ')}`);
  }
  return typeof document === 'object' && document !== null && Object.hasOwn(document, field)
    ? (document as Record<string, unknown>)[field]
    : document;
};
