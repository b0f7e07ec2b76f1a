/** The entry of the `treasury` command. */
import { CommanderError, type Command } from 'commander';
import { EXIT, invalidField } from '../errors.js';
import { createCall, type Call } from './call.js';
import type { Finish } from './command-from-operation.js';
import { leadingWords, readGlobals } from './flags.js';
import { OWN_COMMANDS } from './own-commands.js';
import { buildProgram } from './program.js';
import { reportError } from './report-error.js';
import { processEnvironment, type Environment } from './environment.js';
import { usageError } from './usage-error.js';

/** The noun that a command line begins with; empty when it is none. */
const knownNoun = ({ nouns }: Environment, argv: readonly string[]): string => {
  const [first = ''] = leadingWords(argv);
  const names = [...nouns.map(({ noun }) => noun), ...OWN_COMMANDS.map(({ name }) => name)];
  return names.includes(first) ? first : '';
};

/** The noun that says how things stand. */
const OVERVIEW = 'overview';

/** Without a word that names a command, it is asked how things stand. */
const alone = (argv: readonly string[], { nouns }: Environment): readonly string[] =>
  leadingWords(argv).length === 0 &&
  nouns.some(({ noun }) => noun === OVERVIEW) &&
  !argv.some((word) => ['-h', '--help', '--version'].includes(word))
    ? [OVERVIEW, ...argv]
    : argv;

/** The voices for what goes wrong before the command line is understood. */
const callBeforeParsing = (environment: Environment, argv: readonly string[]): Call =>
  createCall(
    environment,
    { json: argv.includes('--json'), jsonl: argv.includes('--jsonl') },
    knownNoun(environment, argv),
  );

/** The commands that the words of a command line name, as far as there are some. */
const namedCommands = (command: Command, [word, ...rest]: readonly string[]): readonly Command[] => {
  const child = command.commands.find((one) => one.name() === word);
  return child === undefined ? [] : [child, ...namedCommands(child, rest)];
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

/** Works; with `--jq`, its documents go through that. @throws invalid_input when there is no sense in it */
const filtered = async (call: Call, work: (call: Call) => Promise<number>): Promise<number> => {
  const { columns, jq, json, jsonl } = call.globals;
  if (columns !== undefined && call.output.mode !== 'text')
    throw invalidField(
      'columns',
      `is for tables: with ${jq === undefined ? '--json' : '--jq'}, let a jq expression choose`,
    );
  if (jq === undefined) return work(call);
  if (json === true && jsonl === true) throw invalidField('jsonl', 'stands for other documents than --json');
  const { withJq } = await import('./jq.js');
  return withJq(call, jq, work);
};

/** With `--jq`, nothing of a failure stands where results are looked for: it is said to people. */
const failing = (call: Call): Call =>
  call.globals.jq === undefined
    ? call
    : { ...call, output: { ...call.output, mode: 'text', data: call.output.warn } };

/** Help and version are no failures, whatever commander throws to end with them. */
const isAnswered = ({ exitCode }: CommanderError): boolean => exitCode === 0;

/** Commander has written the help already when a verb is missing. */
const hasHelp = ({ code }: CommanderError): boolean => code === 'commander.help';

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
      exit = await filtered(call, work);
    } catch (error) {
      exit = reportError(failing(call), error);
    }
  };
  const words = alone(argv, environment);
  const early = callBeforeParsing(environment, argv);
  let program: Command | undefined;
  try {
    program = await buildProgram(words, environment, finish);
    if (words.length === 0) program.outputHelp();
    else await program.parseAsync(words, { from: 'user' });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(early, error);
    if (isAnswered(error)) return EXIT.done;
    if (hasHelp(error) && early.output.mode === 'text') return EXIT.invalid;
    const named = program === undefined ? [] : namedCommands(program, leadingWords(argv));
    const typed = named.map((command) => command.name());
    return reportError(
      { ...early, command: typed.join(' ') },
      usageError(error, named.at(-1) ?? program, typed),
    );
  }
};
