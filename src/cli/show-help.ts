/** `treasury help`: of a command, or of a topic. */
import type { Command } from 'commander';
import { ERRORS, EXIT, invalidField, type ErrorCode } from '../errors.js';
import { column } from '../operation/columns.js';
import type { Call } from './call.js';
import { showView, writeDocument } from './show-reply.js';

const showExitCodes = ({ output }: Call): number => {
  if (output.mode !== 'text') {
    writeDocument(output, { exitCodes: EXIT_CODES });
    return EXIT.done;
  }
  const rows = EXIT_CODES.map(({ code, meaning, again }) => [String(code), meaning, again]);
  showView(output, [
    { kind: 'table', head: ['Exit code', column.prose('Meaning'), column.prose('Again?')], rows },
  ]);
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

/** How amounts are written. */
const AMOUNTS = `Amounts, wherever a command takes one:

  0.25                        BCH, or the token that the command or its record is about
  "0.25 BCH", 0.25bch         BCH
  "25000 sats", 1sat          satoshis; 1 BCH is 100000000 of them
  "100 GEMS", 100gems         a token that this home knows (\`treasury tokens list\`)
  50usd, '$50'                dollars of BCH

The unit has to be that of the record. Where a command makes one, \`--total-pool "100 GEMS"\` says that it is in GEMS; of
two tokens with one symbol --token-category names which. Nothing is rounded: an amount with more decimals than its
asset has is refused.

Dollars are taken at the price of BCH that an oracle has signed within the last 10 minutes, and rounded down to a whole
satoshi, so that nobody pays more than was written. Rate, age and BCH are shown, and you are asked; with --yes they are
said. A shell takes the $5 of $50 for something else: write 50usd, or '$50' in single quotes.

Digits and a point, and nothing else: 1,5 and 1,500 (commas), 1e-9 (an exponent), -1 (a sign) and .5 are refused.`;

/** How somebody, or a record, is named. */
const NAMES = `Names, wherever a command takes an address or a record:

  ben                         a wallet of this home (\`treasury wallet list\`)
  @cleo                       a contact (\`treasury contacts list\`)
  bchtest:qq..., qq...        an address, with or without its prefix; the form for tokens too
  STREAM-0001, vote-0001      a record by its label, in any case, with or without #
  GEMS                        a token by its symbol, where its category is asked for

What a name stands for is said before it counts. No name is guessed: one that is a wallet's and also the contact of
somebody else is refused, and so are an address of another network and a symbol of two tokens. Labels are those of this
home: another home gives its own.`;

/** What people may write in the place of values, by topic. */
export const TOPICS: Readonly<Record<string, string>> = { amounts: AMOUNTS, dates: DATES, names: NAMES };

const findCommand = (command: Command, [word, ...rest]: readonly string[]): Command | null => {
  if (word === undefined) return command;
  const child = command.commands.find((one) => one.name() === word);
  return child === undefined ? null : findCommand(child, rest);
};

/** Writes the help of the topic to stdout. @throws invalid_input when there is none */
export const showHelp = (call: Call, root: Command, topic: readonly string[]): number => {
  if (topic.join(' ') === 'exit-codes') return showExitCodes(call);
  const text = Object.hasOwn(TOPICS, topic.join(' ')) ? TOPICS[topic.join(' ')] : undefined;
  if (text !== undefined) {
    call.output.data(text);
    return EXIT.done;
  }
  const command = findCommand(root, topic);
  if (command === null) {
    const message = `there is no help for "${topic.join(' ')}"`;
    throw invalidField('', message);
  }
  command.outputHelp();
  return EXIT.done;
};

/** What a script does with the same command after an exit code: what of the table may be tried again, and by whom. */
const AGAIN: Readonly<Record<number, string>> = {
  [EXIT.done]: '',
  [EXIT.invalid]: 'no: the command is mended first',
  [EXIT.notFound]: 'no: the command is mended first',
  [EXIT.notAllowed]: 'no: somebody else, or with other rights',
  [EXIT.network]: 'yes, later',
  [EXIT.pending]: 'yes, shortly',
  [EXIT.declined]: 'as you like',
  [EXIT.interrupted]: 'yes: it goes on from there',
};

/** Every exit code, what it means, whether a script may try again, and the error codes that end with it. */
export const EXIT_CODES: readonly {
  readonly code: number;
  readonly meaning: string;
  readonly again: string;
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
  again: AGAIN[code] ?? 'no: somebody has to look',
  errors: (Object.keys(ERRORS) as ErrorCode[]).filter((error) => ERRORS[error].exit === code),
}));
