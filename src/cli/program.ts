/** The commander program: light at the top, and only the noun that is used is loaded. */
import { Argument, Command } from 'commander';
import type { Noun } from '../operation/define.js';
import { ownPackage } from '../operation/own-package.js';
import { offerAt } from './complete/offer-at.js';
import type { Finish } from './command-from-operation.js';
import { addGlobalFlags, leadingWords } from './flags.js';
import { OWN_COMMANDS, OWN_VERBS, type OwnCommand, type OwnVerb } from './own-commands.js';
import type { Environment } from './environment.js';

/** What a command takes by position, as its usage shows it. */
const argumentsOf = (command: Command): string => command.usage().replace(/ ?\[(?:options|command)\]/g, '');

const createProgram = ({ stdout, stderr }: Environment): Command => {
  const program = new Command('treasury')
    .description('A toolkit for Bitcoin Cash treasuries, at the terminal and over HTTP.')
    .version(ownPackage.version, '--version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({
      subcommandTerm: (command) => `${command.name()} ${argumentsOf(command)}`.trim(),
      // A switch that can be turned off is one line.
      optionTerm: ({ flags, negate }) => (negate ? flags.replace('--no-', '--[no-]') : flags),
    })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      // Usage errors are reported as all others are.
      outputError: () => undefined,
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    });
  addGlobalFlags(program);
  program.addHelpText('after', '\n`treasury help exit-codes` lists the exit codes.');
  return program;
};

const addSummary = (program: Command, name: string, summary: string): Command => {
  const command = program.command(name).summary(summary).description(`${summary}.`).helpCommand(false);
  addGlobalFlags(command);
  return command;
};

/** The noun that a command line is about: `rewards` of `rewards fund` and of `help rewards`. */
const nounOf = (argv: readonly string[]): string | undefined => {
  const [first, second] = leadingWords(argv);
  return first === 'help' ? second : first;
};

/**
 * The program for a command line. Only the module of the noun that it names is loaded.
 *
 * @throws what loading that module throws
 */
export const buildProgram = async (
  argv: readonly string[],
  environment: Environment,
  finish: Finish,
): Promise<Command> => {
  const program = createProgram(environment);
  const addWork = (command: Command, { options = [], args = [], words, run }: Partial<OwnVerb>): void => {
    for (const [flags, description] of options) command.option(flags, description);
    for (const [index, [name, description]] of args.entries()) {
      const offers = index === 0 && words !== undefined ? { words } : null;
      command.addArgument(offerAt(new Argument(name, description), offers));
    }
    if (run !== undefined) command.action(() => finish(command, (call) => run(call, command)));
  };
  const addVerbs = (noun: Command, verbs: readonly OwnVerb[]): void => {
    for (const verb of verbs) addWork(addSummary(noun, verb.name, verb.summary), verb);
  };
  const addOwn = (own: OwnCommand): void => {
    const command = addSummary(program, own.name, own.summary);
    addWork(command, own);
    addVerbs(command, own.verbs ?? []);
  };
  const addNoun = async ({ noun: name, summary, load, alone = {} }: Noun): Promise<void> => {
    const noun = addSummary(program, name, summary);
    if (nounOf(argv) !== name) return;
    const light = alone[leadingWords(argv)[1] ?? ''];
    const [{ addOffers }, operations] = await Promise.all([
      import('./command-from-operation.js'),
      light === undefined ? load().then((loaded) => loaded.operations) : Promise.all([light()]),
    ]);
    addOffers({ noun, finish }, operations);
    addVerbs(noun, OWN_VERBS[name] ?? []);
  };
  for (const command of OWN_COMMANDS.filter(({ place }) => place === 'first')) addOwn(command);
  for (const noun of environment.nouns) await addNoun(noun);
  for (const command of OWN_COMMANDS.filter(({ place }) => place === 'last')) addOwn(command);
  return program;
};
