/** The commands that are no operations. Each loads what it does when it is used. */
import type { Command } from 'commander';
import type { Call } from './call.js';

/** A word that a command takes, and what it stands for. */
type Word = { readonly name: string; readonly summary: string };

/** A verb that is no operation. */
export type OwnVerb = Word & {
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** What it takes by position. */
  readonly argument?: readonly [name: string, description: string];
  /** @returns the exit code */
  readonly run: (call: Call, command: Command) => Promise<number>;
};

/** One command of the program itself. */
export type OwnCommand = Word &
  Partial<OwnVerb> & {
    /** Before the nouns in the list of commands, or after them. */
    readonly place: 'first' | 'last';
    readonly verbs?: readonly OwnVerb[];
    /** Words that it takes in the place of a verb. */
    readonly words?: readonly Word[];
  };

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
      ['--trust-address-header', 'take x-user-address on its word, because a gateway has checked it'],
      ['--metrics', 'measure, and show it to Prometheus at /metrics'],
      ['--log-level <level>', 'debug, info, warn, error or silent (default: info)'],
    ],
    run: async (call, command) => (await import('./serve.js')).serve(call, command.opts()),
  },
  {
    name: 'config',
    summary: 'Show the settings and where they come from',
    place: 'last',
    verbs: [
      {
        name: 'list',
        summary: 'Show the settings, with --show-origin also where each comes from',
        options: [['--show-origin', 'where each value comes from']],
        run: async (call, command) => {
          const { listSettings } = await import('./list-settings.js');
          return listSettings(call, command.opts<{ showOrigin?: boolean }>().showOrigin === true);
        },
      },
    ],
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    place: 'last',
    argument: ['[shell]', 'bash, zsh or fish'],
    words: ['bash', 'zsh', 'fish'].map((shell) => ({ name: shell, summary: `For ${shell}` })),
    run: async (call, { args: [shell] }) => {
      const { printCompletion } = await import('./completion.js');
      return printCompletion(call, shell, { commands: OWN_COMMANDS, verbs: OWN_VERBS });
    },
  },
  {
    name: 'help',
    summary: 'Show the help of a command, or exit-codes',
    place: 'last',
    argument: ['[topic...]', 'a command, or exit-codes'],
    words: [{ name: 'exit-codes', summary: 'What exit codes mean' }],
    run: async (call, command) => {
      const { showHelp } = await import('./show-help.js');
      return showHelp(call, command.parent ?? command, command.args);
    },
  },
];

/** Verbs of a noun that are no operations. */
export const OWN_VERBS: Readonly<Record<string, readonly OwnVerb[]>> = {
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
