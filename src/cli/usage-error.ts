/** What commander has against a command line, in words that help whoever typed it. */
import type { Command, CommanderError } from 'commander';
import { invalidField, type TreasuryError } from '../errors.js';

/** The most flags that are said in the place of one that is none. */
const MOST_NAMED = 3;

/** The flags that have most words with one that is none in common: `--amount-per-period` for `--amount`. */
const relatedFlags = (flag: string, command: Command): readonly string[] => {
  const words = flag.replace(/^--/, '').split('-');
  const sharing = command.options
    .flatMap(({ long, hidden }) => (long == null || hidden ? [] : [long]))
    .map((long) => ({
      long,
      shared: words.filter((word) => long.slice(2).split('-').includes(word)).length,
    }));
  const most = Math.max(1, ...sharing.map(({ shared }) => shared));
  const related = sharing.filter(({ shared }) => shared === most).map(({ long }) => long);
  return related.length > MOST_NAMED ? [] : related;
};

const withFlags = (message: string, command: Command): string => {
  const flag = /^unknown option '(--[^']+)'$/.exec(message)?.[1];
  const related = flag === undefined ? [] : relatedFlags(flag, command);
  if (related.length === 0) return message;
  return `${message} (Did you mean ${related.length === 1 ? '' : 'one of '}${related.join(', ')}?)`;
};

const tooMany = (command: Command, words: readonly string[]): string => {
  const names = command.registeredArguments.map((argument) => `<${argument.name()}>`);
  const called = `\`treasury ${words.join(' ')}\``;
  const extra = `"${command.args[names.length] ?? ''}"`;
  if (names.length === 0) return `${called} takes no word like ${extra}: each value has its flag`;
  const takes = names.length === 1 ? 'one word' : `${names.length} words`;
  return `${called} takes ${takes}, ${names.join(' ')}: ${extra} is one too many`;
};

/** @param words that name the command, which is the program itself where they name none */
export const usageError = (
  error: CommanderError,
  command: Command | undefined,
  words: readonly string[],
): TreasuryError => {
  if (error.code === 'commander.help') return invalidField('', 'a verb is missing');
  if (error.code === 'commander.excessArguments' && command !== undefined)
    return invalidField('', tooMany(command, words));
  const message = error.message.replace(/^error: /, '').replace('\n', ' ');
  return invalidField('', command === undefined ? message : withFlags(message, command));
};
