/** Failures for people on stderr, or as the API's error body on stdout; and the exit code that goes with each. */
import { errorBody, EXIT, TreasuryError, type Issue } from '../errors.js';
import { storageFailure } from '../storage-failure.js';
import type { Call } from './call.js';
import { kebabCase } from './kebab-case.js';
import { hintFor } from './hints.js';
import type { Output } from './output.js';
import { isInterruption } from './prompts.js';

/** True for a failure with a name. */
export const isTreasuryError = (error: unknown): error is TreasuryError => error instanceof TreasuryError;

const isIssue = (value: unknown): value is Issue =>
  typeof value === 'object' && value !== null && 'path' in value && 'message' in value;

/** `entries.3.totalAmount` as `--entries 3.totalAmount`: what a person typed; or as `row 4, totalAmount`. */
const issueLine = (
  { path, message, row }: Issue & { readonly row?: unknown },
  positions: readonly string[],
): string => {
  const [name = '', ...rest] = path.split('.');
  if (typeof row === 'number')
    return `  ${[`row ${row}`, ...[rest.slice(1).join('.')].filter((field) => field !== '')].join(', ')}: ${message}`;
  if (name === '') return `  ${message}`;
  const flag = kebabCase(name);
  const typed = positions.includes(flag) ? `<${flag}>` : `--${flag}`;
  return `  ${[typed, ...(rest.length === 0 ? [] : [rest.join('.')])].join(' ')}: ${message}`;
};

/** The part of a call that a report needs. */
type Failed = Pick<Call, 'output' | 'command' | 'positions'>;

const issuesOf = ({ code, details }: TreasuryError): readonly Issue[] => {
  const issues = Array.isArray(details['issues']) ? details['issues'].filter(isIssue) : [];
  // One problem of a code of its own is the message already.
  return issues.length > 1 || code === 'invalid_input' ? issues : [];
};

/** Capital first, full stop last. */
const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.)?]$/.test(text) ? '' : '.'}`;

const sentenceOf = (error: TreasuryError, issues: readonly Issue[]): string => {
  const [first, ...others] = issues;
  if (error.code !== 'invalid_input' || first === undefined) return error.message;
  return first.path === '' && others.length === 0 ? sentence(first.message) : 'The request is not valid:';
};

/** The address that has to be paid before this can work; null when that would not mend it. */
const addressToFund = ({ code, details: { address } }: TreasuryError): string | null =>
  ['insufficient_funds', 'authority_unfunded'].includes(code) && typeof address === 'string' ? address : null;

const reportText = ({ output, command, positions }: Failed, error: TreasuryError): void => {
  const issues = issuesOf(error);
  output.warn(`${output.paintTalk('red', 'Error:')} ${sentenceOf(error, issues)}`);
  for (const issue of issues.filter(({ path }) => path !== '' || issues.length > 1))
    output.warn(issueLine(issue, positions));
  const hint = hintFor(error, command);
  if (hint !== null) output.warn(output.paintTalk('dim', `What to do: ${hint}.`));
  const address = addressToFund(error);
  if (output.drawQr !== null && address !== null) output.warn(output.drawQr(address, output.paintTalk));
};

const writeBody = (output: Output, body: Record<string, unknown>): void => {
  output.data(output.mode === 'json' ? JSON.stringify(body, null, 2) : JSON.stringify(body));
};

const reportDefect = (output: Output, error: unknown): void => {
  const message = error instanceof Error ? error.message : String(error);
  if (output.mode !== 'text') {
    writeBody(output, { success: false, code: 'internal_error', error: message, retryable: false });
  }
  output.warn(`${output.paintTalk('red', 'Something unexpected:')} ${message}`);
  if (error instanceof Error && error.stack !== undefined) output.warn(output.paintTalk('dim', error.stack));
};

/**
 * Reports what went wrong.
 *
 * @returns the exit code, from the error table
 */
export const reportError = (failed: Failed, error: unknown): number => {
  const { output } = failed;
  if (isInterruption(error)) {
    output.warn('Interrupted: nothing more was done.');
    return EXIT.interrupted;
  }
  const known = isTreasuryError(error) ? error : storageFailure(error);
  if (known === null) {
    reportDefect(output, error);
    return EXIT.unexpected;
  }
  if (output.mode === 'text') reportText(failed, known);
  else writeBody(output, errorBody(known));
  return known.exit;
};
