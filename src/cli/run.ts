/** The entry of the `treasury` command. */
import { CommanderError, type Command } from 'commander';
import { EXIT, invalidField, type TreasuryError } from '../errors.js';
import { createCall, type Call } from './call.js';
import type { Finish } from './command-from-operation.js';
import { leadingWords, readGlobals } from './flags.js';
import { OWN_COMMANDS } from './own-commands.js';
import { buildProgram } from './program.js';
import { reportError } from './report-error.js';
import { processEnvironment, type Environment } from './environment.js';

/** The noun that a command line begins with; empty when it is none. */
const knownNoun = ({ nouns }: Environment, argv: readonly string[]): string => {
  const [first = ''] = leadingWords(argv);
  const names = [...nouns.map(({ noun }) => noun), ...OWN_COMMANDS.map(({ name }) => name)];
  return names.includes(first) ? first : '';
};

/** The voices for what goes wrong before the command line is understood. */
const callBeforeParsing = (environment: Environment, argv: readonly string[]): Call =>
  createCall(
    environment,
    { json: argv.includes('--json'), jsonl: argv.includes('--jsonl') },
    knownNoun(environment, argv),
  );

/** The words of a command line that name a command, as far as there is one. */
const commandWords = (command: Command, [word, ...rest]: readonly string[]): readonly string[] => {
  const child = command.commands.find((one) => one.name() === word);
  return child === undefined ? [] : [child.name(), ...commandWords(child, rest)];
};

/** `rewards fund`: the words that name a command, without the program's. */
const wordsOf = (command: Command): string =>
  command.parent?.parent == null ? command.name() : `${wordsOf(command.parent)} ${command.name()}`;

const callOf = (command: Command, environment: Environment): Call =>
  createCall(environment, readGlobals(command), wordsOf(command), {
    positions: command.registeredArguments.map((argument) => argument.name()),
    flags: command.options.flatMap(({ long }) => (long == null ? [] : [long.replace(/^--/, '')])),
  });

/** With `--qr`, and where people read, the call can draw QR codes. */
const withPictures = async (call: Call): Promise<Call> => {
  if (call.globals.qr !== true || call.output.mode !== 'text') return call;
  const { withQr } = await import('./draw-qr.js');
  return withQr(call);
};

/** Help and version are no failures, whatever commander throws to end with them. */
const isAnswered = ({ exitCode }: CommanderError): boolean => exitCode === 0;

/** Commander has written the help already when a verb is missing. */
const hasHelp = ({ code }: CommanderError): boolean => code === 'commander.help';

const usageError = (error: CommanderError): TreasuryError => {
  const message = hasHelp(error)
    ? 'a verb is missing'
    : error.message.replace(/^error: /, '').replace('\n', ' ');
  return invalidField('', message);
};

/**
 * Runs a command line.
 *
 * @param argv the words after the program's name
 * @returns the exit code
 */
export const run = async (argv: readonly string[], given?: Environment): Promise<number> => {
  const environment = given ?? (await processEnvironment());
  let exit: number = EXIT.done;
  const finish: Finish = async (command, work) => {
    const call = await withPictures(callOf(command, environment));
    try {
      exit = await work(call);
    } catch (error) {
      exit = reportError(call, error);
    }
  };
  const early = callBeforeParsing(environment, argv);
  let program: Command | undefined;
  try {
    program = await buildProgram(argv, environment, finish);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(early, error);
    if (isAnswered(error)) return EXIT.done;
    if (hasHelp(error) && early.output.mode === 'text') return EXIT.invalid;
    const words = program === undefined ? [] : commandWords(program, leadingWords(argv));
    return reportError({ ...early, command: words.join(' ') }, usageError(error));
  }
};
