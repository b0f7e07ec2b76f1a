/** Failures for people on stderr, with what to do next, or as the API's error body on stdout; and the exit code of each. */
import {
  errorBody,
  ERRORS,
  EXIT,
  isTreasuryError,
  messageOf,
  type TreasuryError,
  type Issue,
} from '../errors.js';
import { localMoments } from '../bch/show-date.js';
import { storageFailure } from '../storage-failure.js';
import type { Call, Takes } from './call.js';
import { kebabCase } from './flags.js';
import type { Output } from './output.js';
import { isInterruption } from './environment.js';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const help = (_error: TreasuryError, command: string): string =>
  `\`treasury ${command === '' ? '' : `${command} `}--help\` shows what it takes`;

/** Names are never guessed: the nearest is only said. */
const contact = ({ details }: TreasuryError): string => {
  const nearest = text(details['nearest']);
  const list = '`treasury contacts list` shows what there is, `treasury contacts add` makes one';
  return nearest === '' ? list : `use @${nearest}, if that is who you mean; ${list}`;
};

/** A name where an address is expected is most likely that of somebody. */
const address = (error: TreasuryError, command: string): string =>
  /^[\w-]+$/.test(text(error.details['value']))
    ? '`treasury wallet list` and `treasury contacts list` show the names that there are'
    : help(error, command);

/** Whole steps build anew; a transaction in a file stays what it is. */
const again = (_error: TreasuryError, command: string): string | null =>
  command.startsWith('tx ') ? null : 'run the same command again';

const HINTS: Readonly<Record<string, (error: TreasuryError, command: string) => string | null>> = {
  contact_not_found: contact,
  invalid_input: help,
  missing_value: help,
  invalid_address: address,
  invalid_amount: () => '`treasury help amounts` shows how amounts are written',
  invalid_setting: () => '`treasury config list --show-origin` shows every setting and where it comes from',
  insufficient_funds: ({ details }) =>
    text(details['asset']) === 'BCH'
      ? `send BCH to ${text(details['address'])} (on \`local\`: \`treasury chain faucet ${text(details['address'])} 1\`)`
      : `send the tokens to ${text(details['address'])}, in its token-aware form`,
  preparation_required: () =>
    'run it without --unsigned, or sign and broadcast the preparation transaction first',
  tx_not_indexed: again,
  tx_conflict: again,
  store_conflict: again,
  store_locked: again,
  store_unreachable: () => 'check that the database runs; then run the same command again',
  tx_missing_inputs: again,
  tx_not_final: again,
  chain_unavailable: () =>
    'check the network, and TREASURY_ELECTRUM if you set it; then run the same command again',
  server_disagrees: () =>
    'run the same command again: another server is asked then; `treasury doctor` shows what each of them says',
  authority_missing: () => '`treasury init` makes the authority key',
  signing_failed: () => '`--wallet` names another wallet; `--unsigned` prints the transaction for any wallet',
  local_only: () => 'use `--network local`',
};

/** One line on what to do next, or null when the message says it all. */
export const hintFor = (error: TreasuryError, command: string): string | null => {
  const known = ERRORS[error.code];
  const list = 'list' in known ? known.list : undefined;
  // Some messages say it themselves.
  if (list !== undefined) {
    return error.message.includes(`treasury ${list}`) ? null : `\`treasury ${list}\` shows what there is`;
  }
  return HINTS[error.code]?.(error, command) ?? null;
};

const isIssue = (value: unknown): value is Issue =>
  typeof value === 'object' && value !== null && 'path' in value && 'message' in value;

/** The name of a field as it is typed: `--total-amount`, or `<id>` for a word by position. */
const typedName = (name: string, { positions }: Takes): string => {
  const flag = kebabCase(name);
  return positions.includes(flag) ? `<${flag}>` : `--${flag}`;
};

/** `3` as `item 4`: who writes a list counts from one. */
export const withinText = (steps: readonly string[]): string =>
  steps.map((step) => (/^\d+$/.test(step) ? `item ${Number(step) + 1}` : step)).join(', ');

/** `entries.3.totalAmount` as `--entries, item 4, totalAmount`: what a person typed; or as `line 5, amount`, `row 4, amount`. */
const issueLine = (
  { path, message, row, line }: Issue & { readonly row?: unknown; readonly line?: unknown },
  takes: Takes,
): string => {
  const [name = '', ...rest] = path.split('.');
  const said = inFlags(message, takes);
  const place = typeof line === 'number' ? `line ${line}` : typeof row === 'number' ? `row ${row}` : null;
  if (place !== null)
    return `  ${[place, ...[rest.slice(1).join('.')].filter((field) => field !== '')].join(', ')}: ${said}`;
  if (name === '') return `  ${said}`;
  return `  ${[typedName(name, takes), ...(rest.length === 0 ? [] : [withinText(rest)])].join(', ')}: ${said}`;
};

/** Words of the API's fields that this command has flags for, as those flags. */
export const inFlags = (message: string, takes: Takes): string =>
  message.replaceAll(/(?<![\w"'-])[a-z]+(?:[A-Z][a-z0-9]*)+(?![\w"'-])/g, (word) => {
    const isTaken = [...takes.positions, ...takes.flags].includes(kebabCase(word));
    return isTaken ? typedName(word, takes) : word;
  });

/** A message that begins with the field that it is about, and names others of the command. */
const messageInFlags = ({ message, details }: TreasuryError, takes: Takes): string => {
  const field = text(details['field']);
  const [name = '', ...rest] = field.split('.');
  if (field === '' || !message.startsWith(`${field}: `)) return inFlags(message, takes);
  const place = [typedName(name, takes), ...(rest.length === 0 ? [] : [withinText(rest)])].join(', ');
  const isTaken = [...takes.positions, ...takes.flags].includes(kebabCase(name));
  return `${isTaken ? place : field}: ${inFlags(message.slice(field.length + 2), takes)}`;
};

/** The part of a call that a report needs. */
type Failed = Pick<Call, 'output' | 'command' | 'takes'>;

const issuesOf = ({ code, details }: TreasuryError): readonly Issue[] => {
  const issues = Array.isArray(details['issues']) ? details['issues'].filter(isIssue) : [];
  // One problem of a code of its own is the message already.
  return issues.length > 1 || code === 'invalid_input' ? issues : [];
};

/** Capital first, full stop last. */
const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.)?]$/.test(text) ? '' : '.'}`;

const sentenceOf = (error: TreasuryError, issues: readonly Issue[], takes: Takes): string => {
  const [first, ...others] = issues;
  if (error.code === 'missing_value' && others.length > 0) {
    const names = issues.map(({ path }) => typedName(path, takes)).join(', ');
    return `These are needed: ${names}. Give them, or run the command on a terminal to be asked.`;
  }
  if (error.code !== 'invalid_input' || first === undefined) return messageInFlags(error, takes);
  return first.path === '' && others.length === 0
    ? sentence(inFlags(first.message, takes))
    : 'This cannot be used:';
};

/** The address that has to be paid before this can work; null when that would not mend it. */
const addressToFund = ({ code, details: { address } }: TreasuryError): string | null =>
  ['insufficient_funds', 'authority_unfunded'].includes(code) && typeof address === 'string' ? address : null;

const reportText = ({ output, command, takes }: Failed, error: TreasuryError): void => {
  const issues = issuesOf(error);
  output.warn(`${output.paintTalk('red', 'Error:')} ${localMoments(sentenceOf(error, issues, takes))}`);
  const listed = error.code === 'missing_value' ? [] : issues;
  for (const issue of listed.filter(({ path }) => path !== '' || issues.length > 1))
    output.warn(localMoments(issueLine(issue, takes)));
  const hint = hintFor(error, command);
  if (hint !== null) output.warn(output.paintTalk('dim', `What to do: ${hint}.`));
  const address = addressToFund(error);
  if (output.drawQr !== null && address !== null) output.warn(output.drawQr(address, output.paintTalk));
};

const writeBody = (output: Output, body: Record<string, unknown>): void => {
  output.data(output.mode === 'json' ? JSON.stringify(body, null, 2) : JSON.stringify(body));
};

const reportDefect = (output: Output, error: unknown): void => {
  const message = messageOf(error);
  if (output.mode !== 'text') {
    writeBody(output, { success: false, code: 'internal_error', error: message, retryable: false });
  }
  output.warn(`${output.paintTalk('red', 'Something unexpected:')} ${message}`);
  if (error instanceof Error && error.stack !== undefined) output.warn(output.paintTalk('dim', error.stack));
};

/** Reports what went wrong. @returns the exit code, from the error table */
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
