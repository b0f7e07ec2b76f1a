/** The commands that are no operations. Each loads what it does when it is used. */
import type { Command } from 'commander';
import { createCall, type Call } from './call.js';
import type { Finish } from './command-from-operation.js';
import { readGlobals } from './flags.js';
import type { Environment } from './environment.js';

/** A verb that is no operation. */
export type OwnVerb = {
  readonly name: string;
  readonly summary: string;
  /** Adds its arguments and flags, and what it does. */
  readonly add: (command: Command, site: OwnSite) => void;
};

/** One command of the program itself. */
export type OwnCommand = {
  readonly name: string;
  readonly summary: string;
  /** Before the nouns in the list of commands, or after them. */
  readonly place: 'first' | 'last';
  /** Adds its arguments and flags, and what it does, when it is more than its verbs. */
  readonly add?: OwnVerb['add'];
  readonly verbs?: readonly OwnVerb[];
  /** Words that it takes in the place of a verb. */
  readonly words?: readonly { readonly name: string; readonly summary: string }[];
};

/** What a command of the program itself works with. */
export type OwnSite = { readonly environment: Environment; readonly finish: Finish };

const callOf = (command: Command, { environment }: OwnSite, words: string): Call =>
  createCall(environment, readGlobals(command), words);

const addServe = (command: Command, site: OwnSite): void => {
  command
    .option('--port <port>', 'port to listen on; 0 takes a free one (default: 4280)')
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option('--cors-origin <origin...>', 'web origins that may call')
    .option(
      '--rate-per-minute <n>',
      'requests a minute per address or IP (default: 300, no limit on loopback)',
    )
    .option('--trust-address-header', 'take x-user-address on its word, because a gateway has checked it')
    .option('--metrics', 'measure, and show it to Prometheus at /metrics')
    .option('--log-level <level>', 'debug, info, warn, error or silent (default: info)')
    .action(async () => {
      const { serve } = await import('./serve.js');
      await site.finish((call) => serve(call, command.opts()), callOf(command, site, 'serve'));
    });
};

const addChainServe = (command: Command, site: OwnSite): void => {
  command
    .option('--tcp <port>', 'TCP port; 0 takes a free one (default: 50001, with WebSocket on 50003)')
    .option('--ws <port>', 'WebSocket port; 0 takes a free one')
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option(
      '--index-delay <time>',
      'show what was broadcast only after this time, such as 2s or 500ms (default: 0s)',
    )
    .action(async () => {
      const { serveChain } = await import('./chain-serve.js');
      await site.finish((call) => serveChain(call, command.opts()), callOf(command, site, 'chain serve'));
    });
};

const addDemo = (command: Command, site: OwnSite): void => {
  command.action(async () => {
    const work = async ({ environment, output }: Call): Promise<number> => {
      const { runDemo } = await import('../demo/demo.js');
      return runDemo({
        stdout: environment.stdout,
        stderr: environment.stderr,
        json: output.mode === 'json',
      });
    };
    await site.finish(work, callOf(command, site, 'demo'));
  });
};

const addConfigList = (command: Command, site: OwnSite): void => {
  command.option('--show-origin', 'where each value comes from').action(async () => {
    const { listSettings } = await import('./list-settings.js');
    const { showOrigin } = command.opts<{ showOrigin?: boolean }>();
    await site.finish(
      (call) => listSettings(call, showOrigin === true),
      callOf(command, site, 'config list'),
    );
  });
};

const addCompletion = (command: Command, site: OwnSite): void => {
  command.argument('[shell]', 'bash, zsh or fish').action(async (shell: string | undefined) => {
    const { printCompletion } = await import('./completion.js');
    await site.finish(
      (call) => printCompletion(call, shell, { commands: OWN_COMMANDS, verbs: OWN_VERBS }),
      callOf(command, site, 'completion'),
    );
  });
};

const addHelp = (command: Command, site: OwnSite): void => {
  command.argument('[topic...]', 'a command, or exit-codes').action(async (topic: readonly string[]) => {
    const { showHelp } = await import('./show-help.js');
    const root = command.parent ?? command;
    await site.finish((call) => Promise.resolve(showHelp(call, root, topic)), callOf(command, site, 'help'));
  });
};

/** Every command of the program itself. */
export const OWN_COMMANDS: readonly OwnCommand[] = [
  { name: 'demo', summary: 'Run the whole story on a fresh embedded chain', place: 'first', add: addDemo },
  { name: 'serve', summary: 'Answer the HTTP API', place: 'first', add: addServe },
  {
    name: 'config',
    summary: 'Show the settings and where they come from',
    place: 'last',
    verbs: [
      {
        name: 'list',
        summary: 'Show the settings, with --show-origin also where each comes from',
        add: addConfigList,
      },
    ],
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    place: 'last',
    add: addCompletion,
    words: ['bash', 'zsh', 'fish'].map((shell) => ({ name: shell, summary: `For ${shell}` })),
  },
  {
    name: 'help',
    summary: 'Show the help of a command, or exit-codes',
    place: 'last',
    add: addHelp,
    words: [{ name: 'exit-codes', summary: 'What exit codes mean' }],
  },
];

/** Verbs of a noun that are no operations. */
export const OWN_VERBS: Readonly<Record<string, readonly OwnVerb[]>> = {
  chain: [
    {
      name: 'serve',
      summary: 'Offer the embedded chain over the Electrum Cash protocol, for development and tests',
      add: addChainServe,
    },
  ],
};
