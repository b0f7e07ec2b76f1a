/** The entry of the `treasury` command. */
import { CommanderError } from 'commander';
import { EXIT, TreasuryError } from '../errors.js';
import { createCall, type Call } from './call.js';
import type { Finish } from './command-from-operation.js';
import { buildProgram } from './program.js';
import { reportError } from './report-error.js';
import { processWorld, type World } from './world.js';

/** The voices for what goes wrong before the command line is understood. */
const callBeforeParsing = (world: World, argv: readonly string[]): Call =>
  createCall(world, { json: argv.includes('--json'), jsonl: argv.includes('--jsonl') }, '');

/** Help and version are no failures, whatever commander throws to end with them. */
const isAnswered = ({ exitCode }: CommanderError): boolean => exitCode === 0;

/** Commander has written the help already when a verb is missing. */
const hasHelp = ({ code }: CommanderError): boolean => code === 'commander.help';

const usageError = (error: CommanderError): TreasuryError => {
  const message = hasHelp(error)
    ? 'a verb is missing'
    : error.message.replace(/^error: /, '').replace('\n', ' ');
  return new TreasuryError('invalid_input', { summary: message, issues: [{ path: '', message }] });
};

/**
 * Runs a command line.
 *
 * @param argv the words after the program's name
 * @returns the exit code
 */
export const run = async (argv: readonly string[], given?: World): Promise<number> => {
  const world = given ?? (await processWorld());
  let exit: number = EXIT.done;
  const finish: Finish = async (work, call) => {
    try {
      exit = await work(call);
    } catch (error) {
      exit = reportError(call.output, error, call.command);
    }
  };
  const early = callBeforeParsing(world, argv);
  try {
    const program = await buildProgram(argv, world, finish);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(early.output, error, early.command);
    if (isAnswered(error)) return EXIT.done;
    if (hasHelp(error) && early.output.mode === 'text') return EXIT.invalid;
    return reportError(early.output, usageError(error), early.command);
  }
};
