/** The flags that every command takes, before or after its verb. */
import { Option, type Command } from 'commander';
import { GLOBAL_VALUES, offerAt } from './complete/offer-at.js';
import type { SettingName } from '../settings/settings.js';
import type { OutputMode } from './output.js';

export type Globals = {
  readonly home?: string;
  readonly network?: string;
  readonly wallet?: string;
  readonly as?: string;
  readonly checkpoint?: string;
  readonly databaseUrl?: string;
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly columns?: string;
  readonly jq?: string;
  readonly qr?: boolean;
  readonly yes?: boolean;
  readonly quiet?: boolean;
  readonly passphraseStdin?: boolean;
  readonly wait?: string;
};

const GLOBAL_FLAGS: readonly (readonly [name: keyof Globals, flags: string, description: string])[] = [
  ['home', '--home <folder>', 'data folder'],
  ['network', '--network <name>', 'network to work on'],
  ['wallet', '--wallet <name>', 'wallet that signs'],
  ['as', '--as <who>', 'who is asking: a wallet, an address or @name of a contact'],
  ['checkpoint', '--checkpoint <height:hash>', 'block that you trust, for a single Electrum server'],
  ['databaseUrl', '--database-url <url>', 'PostgreSQL database that holds the records'],
  ['json', '--json', 'exactly one JSON document on stdout'],
  ['jsonl', '--jsonl', 'one JSON line per element of a list'],
  ['columns', '--columns <names>', 'columns of a table and their order, such as label,status'],
  ['jq', '--jq <expression>', 'what jq makes of the JSON document; strings come without quotes'],
  ['qr', '--qr', 'show the address to be paid, or else of the page, as a QR code too'],
  ['yes', '--yes', 'answer confirmations with yes'],
  ['quiet', '--quiet', 'say nothing on stderr but errors and warnings'],
  ['wait', '--wait <seconds>', 'how long to wait for a wallet on a phone'],
  ['passphraseStdin', '--passphrase-stdin', 'read the passphrase from standard input'],
];

/** Names of the global flags, as commander keeps them. */
export const globalNames: readonly string[] = GLOBAL_FLAGS.map(([name]) => name);

/** Global flags that come with a value: what follows them is not a noun. */
const VALUE_FLAGS = GLOBAL_FLAGS.filter(([, flags]) => flags.includes('<')).map(
  ([, flags]) => flags.split(' ')[0],
);

/** Stands in the help for every flag that all commands take. */
const HEADING = 'Everywhere:';

/**
 * Adds the global flags to a command. The help of the program itself explains them, that of a command names them in a few
 * lines after its own.
 */
export const addGlobalFlags = (command: Command): void => {
  const isProgram = command.parent === null;
  for (const [name, flags, description] of GLOBAL_FLAGS) {
    const option = new Option(flags, description).helpGroup(HEADING).hideHelp(!isProgram);
    command.addOption(offerAt(option, GLOBAL_VALUES[name] ?? null));
  }
};

/** The names of the global flags in lines of at most that many columns. */
export const globalFlagLines = (columns: number): string => {
  const lines: string[] = [];
  for (const [, flags] of GLOBAL_FLAGS) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + flags.length + 2 <= columns)
      lines[lines.length - 1] = `${line}  ${flags}`;
    else lines.push(`  ${flags}`);
  }
  return `${HEADING} (\`treasury --help\` explains them)\n${lines.join('\n')}`;
};

/** The global flags of a command and of those above it; the nearest to the verb wins. */
export const readGlobals = (command: Command): Globals => ({
  ...(command.parent === null ? {} : readGlobals(command.parent)),
  ...Object.fromEntries(Object.entries(command.opts()).filter(([name]) => globalNames.includes(name))),
});

/** The settings among the global flags. */
const SETTING_FLAGS = [
  ['home', 'home'],
  ['network', 'network'],
  ['wallet', 'wallet'],
  ['as', 'as'],
  ['checkpoint', 'checkpoint'],
  ['databaseUrl', 'databaseUrl'],
  ['wait', 'walletWait'],
] as const satisfies readonly (readonly [keyof Globals, SettingName])[];

/** The settings among the global flags that were given. */
export const settingFlags = (globals: Globals): Partial<Record<SettingName, unknown>> =>
  Object.fromEntries(
    SETTING_FLAGS.flatMap(([flag, setting]) =>
      globals[flag] === undefined ? [] : [[setting, globals[flag]]],
    ),
  );

/** What `--json`, `--jsonl` and `--jq` ask for. */
export const outputMode = ({ json, jsonl, jq }: Globals): OutputMode =>
  jsonl === true && json !== true ? 'jsonl' : json === true || jq !== undefined ? 'json' : 'text';

/** A column as `--columns` names it: `Next payment` as `next-payment`. */
export const columnName = (title: string): string => title.trim().toLowerCase().replace(/\s+/g, '-');

/** The columns that `--columns` names; null: it names none. */
export const chosenColumns = ({ columns }: Globals): readonly string[] | null =>
  columns === undefined
    ? null
    : columns
        .split(',')
        .map(columnName)
        .filter((name) => name !== '');

/**
 * The words of a command line that are no global flags: the noun first. Enough to know what to load before the
 * command line is parsed in full.
 */
export const leadingWords = (argv: readonly string[]): readonly string[] => {
  const words: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (VALUE_FLAGS.includes(word)) index += 1;
    else if (!word.startsWith('-')) words.push(word);
  }
  return words;
};

export const kebabCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/_/g, '-')
    .toLowerCase();
