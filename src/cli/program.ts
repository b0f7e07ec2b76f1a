/** The commander program: light at the top, and only the noun that is used is loaded. */
import { Argument, Command, Help } from 'commander';
import type { Noun } from '../operation/define.js';
import { ownPackage } from '../operation/own-package.js';
import { offerAt } from './complete/offer-at.js';
import type { Finish } from './command-from-operation.js';
import { addGlobalFlags, globalFlagLines, leadingWords } from './flags.js';
import { OWN_COMMANDS, OWN_VERBS, type OwnCommand, type OwnVerb } from './own-commands.js';
import type { Environment } from './environment.js';

/** Lines of help longer than these are not read well. */
const widthOfHelp = (columns: number | undefined): number =>
  Math.min(columns ?? USUAL_COLUMNS, USUAL_COLUMNS);

/** What a command takes by position, as its usage shows it. */
const argumentsOf = (command: Command): string => command.usage().replace(/ ?\[(?:options|command)\]/g, '');

/** The columns that help takes where there is no terminal, and the most that it takes anywhere. */
const USUAL_COLUMNS = 100;

/** The part of the width that terms take at most: what is longer has its description in the lines below it. */
const MOST_FOR_TERMS = 0.45;

/** Descriptions in fewer columns are not broken into lines. */
const LEAST_FOR_TEXT = 16;

const padWidth = (command: Command, helper: Help): number => {
  const most = Math.floor((helper.helpWidth ?? USUAL_COLUMNS) * MOST_FOR_TERMS);
  return Math.min(Help.prototype.padWidth.call(helper, command, helper), most);
};

const formatItem = (term: string, width: number, text: string, helper: Help): string => {
  const format = (shown: string) => Help.prototype.formatItem.call(helper, shown, width, text, helper);
  return helper.displayWidth(term) <= width || text === '' ? format(term) : `  ${term}\n${format('')}`;
};

/** The layout of commander, but that commands come before options. */
const formatOwnFirst = (command: Command, helper: Help): string => {
  const text = Help.prototype.formatHelp.call(helper, command, helper);
  const [, before = text, options = '', commands = ''] =
    /^([\s\S]*?\n)((?:Everywhere|Options):\n[\s\S]*?\n)(Commands:\n[\s\S]*)$/.exec(text) ?? [];
  return commands === '' ? text : `${before}${commands.trimEnd()}\n\n${options.trimEnd()}\n`;
};

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
      formatHelp: (command, helper) => formatOwnFirst(command, helper),
      padWidth,
      formatItem,
      minWidthToWrap: LEAST_FOR_TEXT,
    })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      // Usage errors are reported as all others are.
      outputError: () => undefined,
      getOutHelpWidth: () => widthOfHelp(stdout.columns),
      getErrHelpWidth: () => widthOfHelp(stderr.columns),
    });
  addGlobalFlags(program);
  program.addHelpText('after', '\n`treasury help exit-codes` lists the exit codes.');
  program.addHelpText('afterAll', ({ command }) =>
    command.parent === null ? '' : `\n${globalFlagLines(widthOfHelp(stdout.columns))}`,
  );
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
