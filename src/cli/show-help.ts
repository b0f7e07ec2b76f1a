/** `treasury help`: of a command, or of a topic. */
import type { Command } from 'commander';
import { EXIT, TreasuryError } from '../errors.js';
import type { Call } from './call.js';
import { EXIT_CODES } from './exit-codes.js';
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

const findCommand = (command: Command, [word, ...rest]: readonly string[]): Command | null => {
  if (word === undefined) return command;
  const child = command.commands.find((one) => one.name() === word);
  return child === undefined ? null : findCommand(child, rest);
};

/**
 * Writes the help of the topic to stdout.
 *
 * @throws invalid_input when there is none
 */
export const showHelp = (call: Call, root: Command, topic: readonly string[]): number => {
  if (topic.join(' ') === 'exit-codes') return showExitCodes(call);
  const command = findCommand(root, topic);
  if (command === null) {
    const message = `there is no help for "${topic.join(' ')}"`;
    throw new TreasuryError('invalid_input', { summary: message, issues: [{ path: '', message }] });
  }
  call.output.data(command.helpInformation().trimEnd());
  return EXIT.done;
};
