/**
 * `treasury __complete WORDS...`: what shells ask between two keys. A line for each word that fits, with what is said of it
 * after a tab; `:files` or `:folders` where the shell itself knows.
 *
 * It is an entry of its own, and loads next to nothing.
 */
import { readFileSync } from 'node:fs';
import envPaths from 'env-paths';
import { readSettings } from '../../settings/settings.js';
import type { DescribedCommand } from './describe.js';
import { NO_NAMES, namesOf, type HomeNames } from './home-names.js';
import { offersFor, type Offers } from './offers.js';

/** The value that a flag was given, if it was. */
const valueAfter = (words: readonly string[], flag: string): string | undefined => {
  const at = words.lastIndexOf(flag);
  return at === -1
    ? words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1)
    : words[at + 1];
};

/** The names of the home that the command line is about; none where its settings cannot be read. */
const homeNames = (words: readonly string[]): HomeNames => {
  try {
    const [home, network] = [valueAfter(words, '--home'), valueAfter(words, '--network')];
    const settings = readSettings(
      {
        flags: { ...(home === undefined ? {} : { home }), ...(network === undefined ? {} : { network }) },
        env: process.env,
        cwd: process.cwd(),
        folders: envPaths('treasury', { suffix: '' }),
      },
      { passOverUnknown: true },
    );
    return namesOf(settings);
  } catch {
    return NO_NAMES;
  }
};

/** One line each; a tab parts the word from what is said of it. */
const linesOf = (offers: Offers): readonly string[] =>
  'place' in offers
    ? [`:${offers.place}`]
    : offers.words.map(([word, about]) => `${word}\t${about.replaceAll(/\s+/g, ' ')}`);

/** The commands as the build has described them. */
const readProgram = (): DescribedCommand =>
  JSON.parse(readFileSync(new URL('../commands.json', import.meta.url), 'utf8')) as DescribedCommand;

/** Answers what a shell asks. Completion never fails: what is not known is not offered. */
export const answer = async (words: readonly string[]): Promise<void> => {
  const [first, home = '', network = ''] = words;
  if (first === '--refresh') {
    const { refreshNames } = await import('./refresh.js');
    await refreshNames({ home, network });
    return;
  }
  const offers = offersFor(readProgram(), words, () => homeNames(words));
  process.stdout.write(
    linesOf(offers)
      .map((line) => `${line}\n`)
      .join(''),
  );
};
