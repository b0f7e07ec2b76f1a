/** `--jq`: jq itself, as WebAssembly, over the documents that a command writes. Loaded only when it is asked for. */
import { loadJq } from 'jq-wasm/inline';
import { EXIT, invalidField } from '../errors.js';
import type { Call } from './call.js';
import { withoutExponents } from './output.js';

/** How jq ends when an expression cannot be compiled. Source: the manual of jq, exit status. */
const NOT_COMPILED = 3;

/** What jq says, without its own name and the place in its input. */
const reasonOf = (stderr: string): string =>
  stderr
    .replace(/^jq: error(?: \(at [^)]*\))?: /, '')
    .split('\n')[0]
    ?.replace(/ at <top-level>.*$/, '')
    .trim() ?? '';

/**
 * What jq has written, without the quotes of the strings that stand alone: those of its lines that begin with one. Its own
 * way to leave them out would not tell a number with an exponent from the digits of a key.
 */
const withoutQuotes = (written: string): string =>
  written
    .split('\n')
    .map((line) => (line.startsWith('"') ? (JSON.parse(line) as string) : line))
    .join('\n');

/**
 * Works with an output whose documents go through an expression. It is compiled before anything is done; what a failure
 * writes goes to stderr as it is, so that nothing is taken for a result.
 *
 * @throws invalid_input for an expression that jq does not understand, or that fails
 */
export const withJq = async (
  call: Call,
  expression: string,
  work: (call: Call) => Promise<number>,
): Promise<number> => {
  const jq = await loadJq();
  const trial = jq.raw('null', expression);
  if (trial.exitCode === NOT_COMPILED)
    throw invalidField('jq', `is no expression that jq understands: ${reasonOf(trial.stderr)}`);
  const documents: string[] = [];
  const { output } = call;
  const exit = await work({ ...call, output: { ...output, data: (text) => documents.push(text) } });
  if (exit !== EXIT.done) {
    for (const document of documents) output.warn(document);
    return exit;
  }
  for (const document of documents) {
    const { stdout, stderr, exitCode } = jq.raw(document, expression);
    if (exitCode !== 0) throw invalidField('jq', `fails on this answer: ${reasonOf(stderr)}`);
    if (stdout !== '') output.text(withoutQuotes(withoutExponents(stdout.replace(/\n$/, ''))));
  }
  return exit;
};
