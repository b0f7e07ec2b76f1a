/** The file of rules in a home: where it is, how it is read, and what a new one says. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Context } from '../operation/context.js';
import { messageOf, TreasuryError } from '../errors.js';
import { KeeperFile, readRules, type Rules } from './rules.js';

/** Beside the records of its network: what is allowed on one is not on another. */
export const rulesFileOf = ({ home, network }: Pick<Context, 'home' | 'network'>): string =>
  join(home, network, 'keeper.json');

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Reads a file of rules. @throws invalid_file, where everybody can write to it too */
export const readRulesFile = (file: string, { textFiles }: Pick<Context, 'textFiles'>): Rules => {
  let text: string;
  try {
    text = textFiles.read(file);
  } catch (error) {
    const reason =
      codeOf(error) === 'ENOENT'
        ? 'there is none: `treasury keeper init` writes one to begin with'
        : messageOf(error);
    throw new TreasuryError('invalid_file', { file, reason });
  }
  // Whoever writes the rules has the wallets that they name.
  if (textFiles.isOpenToAll(file)) {
    const reason = 'everybody can write to it: `chmod o-w` takes that away';
    throw new TreasuryError('invalid_file', { file, reason });
  }
  return readRules(text, file);
};

/** What may stand in the file. */
export const rulesSchema = (): unknown => z.toJSONSchema(KeeperFile, { io: 'input' });

const starterOf = (wallet: string) => ({
  note: 'What the keeper of this home may do. `treasury keeper plan` shows what comes of it, and changes nothing. Amounts have a unit. What may stand here: `treasury keeper rules --schema`.',
  feesPerDay: '0.0005 BCH',
  rules: [
    {
      note: 'Takes the periods of recurring payments that are due. Left alone is what is worth less than `minimum` after its fee, and every token that `minimum` does not name: add "5 GEMS" for one.',
      do: 'payments claim',
      wallet,
      minimum: '0.0001 BCH',
      feeAtMost: '0.00005 BCH',
    },
    { do: 'streams claim', wallet, minimum: '0.0001 BCH', feeAtMost: '0.00005 BCH' },
    { do: 'budgets release', wallet, minimum: '0.0001 BCH', feeAtMost: '0.00005 BCH' },
    {
      note: 'An example of what pays: take "off" out once the labels and limits are yours.',
      off: true,
      do: 'payments refill',
      for: ['PAY-0001'],
      wallet,
      before: '7d',
      periods: 1,
      perDay: '0.1 BCH',
      between: '08:00-20:00',
    },
  ],
});

/** Writes a file to begin with. @returns where it is. @throws invalid_file where there is one already */
export const writeStarter = (context: Context, wallet: string): string => {
  const file = rulesFileOf(context);
  try {
    const text = `${JSON.stringify(starterOf(wallet), null, 2)}\n`;
    context.textFiles.writeNew(file, text);
  } catch (error) {
    const reason =
      codeOf(error) === 'EEXIST' ? 'it is there already, and is left as it is' : messageOf(error);
    throw new TreasuryError('invalid_file', { file, reason });
  }
  return file;
};
