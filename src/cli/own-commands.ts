/** The commands that are no operations. Each loads what it does when it is used. */
import type { Command } from 'commander';
import { settingNames } from '../settings/settings.js';
import type { Call } from './call.js';

/** A word that a command takes, and what it stands for. */
type Word = { readonly name: string; readonly summary: string };

/** A verb that is no operation. */
export type OwnVerb = Word & {
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** What it takes by position. */
  readonly args?: readonly (readonly [name: string, description: string])[];
  /** Words that completion offers for the first of these. */
  readonly words?: readonly string[];
  /** @returns the exit code */
  readonly run: (call: Call, command: Command) => Promise<number>;
};

/** One command of the program itself. */
export type OwnCommand = Word &
  Partial<OwnVerb> & {
    /** Before the nouns in the list of commands, or after them. */
    readonly place: 'first' | 'last';
    readonly verbs?: readonly OwnVerb[];
  };

const SETTING = ['[name]', 'name of the setting'] as const;
const IN_PROJECT = ['--project', "the project's treasury.config.json, in this folder or above it"] as const;
const RULES_FILE = ['--rules <file>', 'another file of rules than the keeper.json of this home'] as const;
const isInProject = (command: Command): boolean => command.opts<{ project?: boolean }>().project === true;

/** Flags that say which events are followed. */
const FOLLOWED = [
  ['--since <cursor>', 'begin behind this cursor; 0 is the first event (default: what happens from now on)'],
  ['--types <types>', "types with commas between them, such as 'stream.claimed,payment.*'"],
  ['--subject <record>', 'label or id of the record that they are about'],
  ['--party <address>', 'address of one of those whom they concern, or a wallet, or @name of a contact'],
  ['--certainty <level>', 'seen, confirmed or safe: each move once, when it is at least that sure'],
] as const;

/** Every command of the program itself. */
export const OWN_COMMANDS: readonly OwnCommand[] = [
  {
    name: 'demo',
    summary: 'Run the whole story on a fresh embedded chain',
    place: 'first',
    run: async ({ environment: { stdout, stderr }, output }) => {
      const { runDemo } = await import('../demo/demo.js');
      return runDemo({ stdout, stderr, json: output.mode === 'json' });
    },
  },
  {
    name: 'serve',
    summary: 'Answer the HTTP API',
    place: 'first',
    options: [
      ['--port <port>', 'port to listen on; 0 takes a free one (default: 4280)'],
      ['--host <host>', 'address to listen on (default: 127.0.0.1)'],
      ['--cors-origin <origin...>', 'web origins that may call'],
      ['--rate-per-minute <n>', 'requests a minute per address or IP (default: 300, no limit on loopback)'],
      ['--page', 'serve the page for browsers at /app/ beyond loopback too'],
      ['--trust-address-header', 'take x-user-address on its word, because a gateway has checked it'],
      ['--require-keys', 'take keys for scripts and nothing else (see keys create)'],
      ['--metrics', 'measure, and show it to Prometheus at /metrics'],
      ['--log-level <level>', 'debug, info, warn, error or silent (default: info)'],
      ['--keeper', 'do what is due too, by the rules in keeper.json (see `treasury keeper`)'],
    ],
    run: async (call, command) => (await import('./serve.js')).serve(call, command.opts()),
  },
  {
    name: 'keeper',
    summary: 'The keeper: does what is due, by the rules in keeper.json and with the wallets that these name',
    place: 'first',
    verbs: [
      {
        name: 'init',
        summary: 'Write a keeper.json to begin with, which takes what the default wallet is paid',
        run: async (call) => (await import('./keeper.js')).initKeeper(call),
      },
      {
        name: 'rules',
        summary: 'Check keeper.json, and show how it is understood',
        options: [RULES_FILE, ['--schema', 'print what may stand in the file, as a JSON Schema']],
        run: async (call, command) => (await import('./keeper.js')).showRules(call, command.opts()),
      },
      {
        name: 'plan',
        summary: 'Show what it would do, when, and what that would cost; nothing is signed or sent',
        options: [RULES_FILE],
        run: async (call, command) => (await import('./keeper.js')).planKeeper(call, command.opts()),
      },
      {
        name: 'once',
        summary: 'Do what is due now',
        options: [
          RULES_FILE,
          ['--again', 'try what is left alone after a fault again too, now that it is mended'],
        ],
        run: async (call, command) => (await import('./keeper.js')).keepOnce(call, command.opts()),
      },
      {
        name: 'run',
        summary: 'Do what is due, until it is ended; a second one waits until the first has gone',
        options: [RULES_FILE, ['--every <time>', 'how often it looks, such as 1m (default: 30s)']],
        run: async (call, command) => (await import('./keeper.js')).keepOn(call, command.opts()),
      },
    ],
  },
  {
    name: 'database',
    summary: 'The PostgreSQL database that holds the records in the place of files, where there is one',
    place: 'last',
    verbs: [
      {
        name: 'status',
        summary: 'Show which version the database is of, and what it lacks for this program',
        run: async (call) => (await import('./database.js')).showDatabase(call),
      },
      {
        name: 'migrate',
        summary: 'Make the tables that this version needs; an older daemon goes on reading',
        run: async (call) => (await import('./database.js')).migrate(call),
      },
      {
        name: 'copy',
        summary: 'Copy every record between the files of this home and the database, and compare the two',
        options: [
          ['--from-home', 'from the files of this home into the database, which must be empty'],
          ['--to-home', 'from the database into the files of this home, which must hold no records'],
        ],
        run: async (call, command) => (await import('./database.js')).copy(call, command.opts()),
      },
      {
        name: 'check',
        summary: 'Read everything, and compare the documents with what they are found by',
        run: async (call) => (await import('./database.js')).check(call),
      },
    ],
  },
  {
    name: 'config',
    summary: 'Settings: where each comes from, and what it is set to',
    place: 'last',
    verbs: [
      {
        name: 'list',
        summary: 'Show the settings, with --show-origin also where each comes from',
        options: [['--show-origin', 'where each value comes from']],
        run: async (call, command) => {
          const { listSettings } = await import('./config.js');
          return listSettings(call, command.opts<{ showOrigin?: boolean }>().showOrigin === true);
        },
      },
      {
        name: 'get',
        summary: 'Show one setting as it stands, and on stderr where it comes from',
        args: [SETTING],
        words: settingNames,
        run: async (call, { args: [name] }) => (await import('./config.js')).getSetting(call, name),
      },
      {
        name: 'set',
        summary: "Set a setting in your own file, with --project in the project's",
        args: [SETTING, ['[value]', 'what it is to be']],
        words: settingNames,
        options: [IN_PROJECT],
        run: async (call, command) =>
          (await import('./config.js')).setSetting(call, command.args, isInProject(command)),
      },
      {
        name: 'unset',
        summary: "Take a setting out of your own file, with --project out of the project's",
        args: [SETTING],
        words: settingNames,
        options: [IN_PROJECT],
        run: async (call, command) =>
          (await import('./config.js')).unsetSetting(call, command.args[0], isInProject(command)),
      },
    ],
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    place: 'last',
    args: [['[shell]', 'bash, zsh or fish']],
    words: ['bash', 'zsh', 'fish'],
    run: async (call, { args: [shell] }) => {
      const { printCompletion } = await import('./completion.js');
      return printCompletion(call, shell);
    },
  },
  {
    name: 'help',
    summary: 'Show the help of a command or of a topic: exit-codes, dates, amounts, names',
    place: 'last',
    args: [['[topic...]', 'a command, exit-codes, dates, amounts or names']],
    words: ['exit-codes', 'dates', 'amounts', 'names'],
    run: async (call, command) => {
      const { showHelp } = await import('./show-help.js');
      return showHelp(call, command.parent ?? command, command.args);
    },
  },
];

/** Verbs of a noun that are no operations. */
export const OWN_VERBS: Readonly<Record<string, readonly OwnVerb[]>> = {
  events: [
    {
      name: 'tail',
      summary: 'Print what happens as it happens, until Ctrl-C',
      options: FOLLOWED,
      run: async (call, command) => (await import('./events/tail.js')).tailEvents(call, command.opts()),
    },
    {
      name: 'listen',
      summary: 'Forward what happens to a program of yours as signed webhooks, until Ctrl-C',
      options: [
        ['--forward-to <url>', 'where to: http://127.0.0.1:3000/hooks, or https anywhere'],
        [
          '--secret-file <file>',
          'a file with the secret to sign with (default: a new one, which is printed)',
        ],
        ...FOLLOWED,
      ],
      run: async (call, command) => (await import('./events/listen.js')).listenEvents(call, command.opts()),
    },
  ],
  chain: [
    {
      name: 'serve',
      summary: 'Offer the embedded chain over the Electrum Cash protocol, for development and tests',
      options: [
        ['--tcp <port>', 'TCP port; 0 takes a free one (default: 50001, with WebSocket on 50003)'],
        ['--ws <port>', 'WebSocket port; 0 takes a free one'],
        ['--host <host>', 'address to listen on (default: 127.0.0.1)'],
        [
          '--index-delay <time>',
          'show what was broadcast only after this time, such as 2s or 500ms (default: 0s)',
        ],
      ],
      run: async (call, command) => (await import('./chain-serve.js')).serveChain(call, command.opts()),
    },
  ],
};
