/** Passphrases: from standard input, a file, or a hidden prompt; never from a flag's value. */
import { readFile } from 'node:fs/promises';
import type { AppSettings } from '../app.js';
import { messageOf, TreasuryError } from '../errors.js';
import type { Call } from './call.js';
import { stopSpinner, isInteractive, type Source } from './environment.js';

/** All of a stream as text. */
export const readAll = async (source: Source): Promise<string> => {
  const chunks: string[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of source) {
    chunks.push(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }));
  }
  return chunks.join('') + decoder.decode();
};

/** One line end after the passphrase belongs to the editor, not to the passphrase. */
const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '');

/** The secret in a file. @throws invalid_file */
export const readSecretFile = async (file: string): Promise<string> => {
  try {
    return withoutLineEnd(await readFile(file, 'utf8'));
  } catch (error) {
    const reason = messageOf(error);
    throw new TreasuryError('invalid_file', { file, reason });
  }
};

const promptForNew = async ({ environment }: Call, wallet: string): Promise<string | null> => {
  const first = await environment.prompts.secret({ message: `New passphrase for ${wallet}:` });
  if (first === '') return null;
  const second = await environment.prompts.secret({ message: 'The same again:' });
  if (first === second) return first;
  const issues = [{ path: 'passphrase', message: 'the two passphrases differ' }];
  throw new TreasuryError('invalid_input', { summary: 'the two passphrases differ', issues });
};

/**
 * How a home asks for passphrases in this call. Standard input is read once; a passphrase that was typed to unlock a
 * wallet is remembered until the command ends. It answers null when there is nobody to ask, or when a new passphrase
 * is left empty. Where it may not prompt there is nobody to ask.
 *
 * @throws invalid_file, invalid_input (the two typings of a new passphrase differ)
 */
export const passphraseSource = (
  call: Call,
  passphraseFile: string | null,
  { mayPrompt = true }: { readonly mayPrompt?: boolean } = {},
): NonNullable<AppSettings['askPassphrase']> => {
  const remembered = new Map<string, Promise<string>>();
  const remember = (key: string, ask: () => Promise<string>): Promise<string> => {
    const known = remembered.get(key) ?? ask();
    remembered.set(key, known);
    return known;
  };
  return async (wallet, purpose) => {
    if (call.globals.passphraseStdin === true) {
      return remember('stdin', async () => withoutLineEnd(await readAll(call.environment.stdin)));
    }
    if (passphraseFile !== null) return remember('file', () => readSecretFile(passphraseFile));
    if (!mayPrompt || !isInteractive(call.environment)) return null;
    // An operation may need a key while a spinner says that it works.
    stopSpinner(call);
    if (purpose === 'new') return promptForNew(call, wallet);
    return remember(`wallet ${wallet}`, () =>
      call.environment.prompts.secret({ message: `Passphrase of ${wallet}:` }),
    );
  };
};
