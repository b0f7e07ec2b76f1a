/** `treasury help`: of a command, or of a topic. */
import type { Command } from 'commander';
import { ERRORS, EXIT, invalidField, type ErrorCode } from '../errors.js';
import type { Call } from './call.js';
import { showView, writeDocument } from './show-reply.js';

const showExitCodes = ({ output }: Call): number => {
  if (output.mode !== 'text') {
    writeDocument(output, { exitCodes: EXIT_CODES });
    return EXIT.done;
  }
  const rows = EXIT_CODES.map(({ code, meaning }) => [String(code), meaning]);
  showView(output, [{ kind: 'table', head: ['Exit code', 'Meaning'], rows }]);
  return EXIT.done;
};

/** How dates and durations are written. */
const DATES = `Dates and durations, wherever a command takes one:

  2027-12-31                  the day's first second
  2027-12-31 18:00            a time of day, with seconds if you like
  2027-12-31T18:00+02:00      with an offset; Z is UTC
  tomorrow, friday 18:00      words
  +90d, "in 3 months"         from now on
  1800000000                  unix seconds

Without an offset it is the time zone of this machine (TZ). What was understood is said before it counts. Slashes and
dots are refused: 1/2/2027 is two different days.

  30d, 12h, 1h30m, 3600s      durations (s, m, h, d, w)
  "2 weeks", "30 days"        in words
  daily, weekly, monthly      1, 7 and 30 days`;

const findCommand = (command: Command, [word, ...rest]: readonly string[]): Command | null => {
  if (word === undefined) return command;
  const child = command.commands.find((one) => one.name() === word);
  return child === undefined ? null : findCommand(child, rest);
};

/** Writes the help of the topic to stdout. @throws invalid_input when there is none */
export const showHelp = (call: Call, root: Command, topic: readonly string[]): number => {
  if (topic.join(' ') === 'exit-codes') return showExitCodes(call);
  if (topic.join(' ') === 'dates') {
    call.output.data(DATES);
    return EXIT.done;
  }
  const command = findCommand(root, topic);
  if (command === null) {
    const message = `there is no help for "${topic.join(' ')}"`;
    throw invalidField('', message);
  }
  call.output.data(command.helpInformation().trimEnd());
  return EXIT.done;
};

/** Every exit code, what it means, and the error codes that end with it. */
export const EXIT_CODES: readonly {
  readonly code: number;
  readonly meaning: string;
  readonly errors: readonly ErrorCode[];
}[] = (
  [
    [EXIT.done, 'done'],
    [EXIT.unexpected, 'something unexpected'],
    [EXIT.invalid, 'usage, or input that is not valid'],
    [EXIT.notFound, 'not found'],
    [EXIT.notAllowed, 'not allowed'],
    [EXIT.rule, 'the wrong state, or against a rule'],
    [EXIT.refused, 'refused by the chain'],
    [EXIT.network, 'the network, or something this stands on, is down'],
    [EXIT.pending, 'pending: try again'],
    [EXIT.declined, 'declined at the prompt'],
    [EXIT.interrupted, 'interrupted'],
  ] as const
).map(([code, meaning]) => ({
  code,
  meaning,
  errors: (Object.keys(ERRORS) as ErrorCode[]).filter((error) => ERRORS[error].exit === code),
}));
