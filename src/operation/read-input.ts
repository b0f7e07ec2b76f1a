/** From raw input to what `run` gets: aliases, decoding, the network of addresses, warnings. */
import { z } from 'zod';
import { readOn, type IssueParams } from '../bch/fields.js';
import type { Network } from '../bch/network.js';
import { cut, TreasuryError, type Issue } from '../errors.js';
import { nearestName } from '../nearest-name.js';
import type { AnyOperation } from './define.js';
import { speakPlainly } from './issue-words.js';

speakPlainly();

type RawInput = Readonly<Record<string, unknown>>;
type ReadIssue = Issue & { readonly params?: IssueParams; readonly input?: unknown };

/** Warnings of one answer, and problems named in one sentence. */
const MOST_WARNINGS = 20;

/** Characters of a sentence of the schema library: it may name every key that it does not know. */
const MOST_MESSAGE = 300;

const dotted = (path: readonly PropertyKey[]): string => path.map(String).join('.');

const show = (value: unknown): string => {
  const isPlain = typeof value === 'string' || typeof value === 'number';
  const text = isPlain ? String(value) : value === undefined ? 'nothing' : JSON.stringify(value);
  return cut(text);
};

/** The value at a dotted path of the raw input, for the message. */
const valueAt = (raw: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    raw,
  );

const addressIssue = (path: readonly PropertyKey[], input: unknown, params: IssueParams): ReadIssue => ({
  path: dotted(path),
  message: `"${show(input)}" is not a usable address: expected ${params.expected}`,
  input,
  params,
});

/** What was given, and what may have been meant by it where few words are taken. */
const gotText = (issue: z.core.$ZodIssue, input: unknown): string => {
  const words = issue.code === 'invalid_value' ? issue.values.map(String) : [];
  const nearest = typeof input === 'string' ? nearestName(input, words) : null;
  return ` (got ${show(input)}${nearest === null ? '' : `; ${nearest}?`})`;
};

const fromZod = (raw: unknown, issue: z.core.$ZodIssue): ReadIssue => {
  const input = valueAt(raw, issue.path);
  // Enums and unions have codes of their own for what is not there.
  const missing = input === undefined && issue.code !== 'custom';
  const params = issue.code === 'custom' ? (issue.params as IssueParams | undefined) : undefined;
  if (params?.code === 'invalid_address') return addressIssue(issue.path, input, params);
  const quoted = input === undefined || input === null || params !== undefined ? '' : gotText(issue, input);
  return {
    path: dotted(issue.path),
    message: missing ? 'is required' : `${issue.message.slice(0, MOST_MESSAGE)}${quoted}`,
    input,
    ...(params === undefined ? {} : { params }),
  };
};

/** One error for all the problems of a request: its own code when there is one problem of one kind. */
export const invalidInput = (issues: readonly ReadIssue[]): TreasuryError => {
  const [first] = issues;
  const plain = issues.map(({ path, message }) => ({ path, message }));
  const code = first?.params?.code;
  if (
    first !== undefined &&
    issues.length === 1 &&
    (code === 'invalid_address' || code === 'invalid_amount')
  ) {
    return new TreasuryError(code, {
      field: first.path,
      value: show(first.input),
      expected: first.params?.expected ?? '',
      issues: plain,
    });
  }
  const told = plain
    .slice(0, MOST_WARNINGS)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const others = plain.length - told.length;
  const summary = [...told, ...(others === 0 ? [] : [`and ${others} more problems`])].join('; ');
  return new TreasuryError('invalid_input', { summary, issues: plain });
};

/** Field names an operation knows, aliases included. */
export const fieldNames = (operation: AnyOperation): readonly string[] =>
  operation.input instanceof z.ZodObject ? Object.keys(operation.input.shape) : [];

/** Fields under their canonical names; of two names of one field the canonical one wins. */
export const applyAliases = (operation: AnyOperation, raw: RawInput): RawInput => {
  // A body of a megabyte may have tens of thousands of fields: it is not copied without need.
  const aliases = Object.entries(operation.aliases ?? {}).filter(([alias]) => alias in raw);
  if (aliases.length === 0) return raw;
  const result: Record<string, unknown> = { ...raw };
  for (const [alias, name] of aliases) {
    if (!(name in result)) result[name] = result[alias];
    delete result[alias]; // eslint-disable-line @typescript-eslint/no-dynamic-delete
  }
  return result;
};

/** What is said of fields that are not known: of at most {@link MOST_WARNINGS}, the last of them for all others. */
const warnOf = (unknown: readonly string[], { id }: AnyOperation): string[] => {
  const shown = unknown.length > MOST_WARNINGS ? unknown.slice(0, MOST_WARNINGS - 1) : unknown;
  const others = unknown.length - shown.length;
  return [
    ...shown.map((name) => `${cut(name)} is not a field of ${id}: it was ignored`),
    ...(others === 0 ? [] : [`${others} more fields are none of ${id}: they were ignored`]),
  ];
};

/**
 * Decodes the input of an operation, its fields under their canonical names.
 *
 * @returns the decoded input, and one warning for each field that is not known (and was ignored)
 * @throws invalid_input, invalid_address, invalid_amount, each with `issues`
 */
export const decodeInput = (
  operation: AnyOperation,
  named: RawInput,
  network: Network,
): { readonly input: unknown; readonly warnings: readonly string[] } => {
  const decoded = readOn(network, () => z.safeDecode(operation.input, named));
  if (!decoded.success) throw invalidInput(decoded.error.issues.map((issue) => fromZod(named, issue)));
  const known = fieldNames(operation);
  const warnings =
    known.length === 0 && !(operation.input instanceof z.ZodObject)
      ? []
      : warnOf(
          Object.keys(named).filter((name) => !known.includes(name)),
          operation,
        );
  return { input: decoded.data, warnings };
};

/** {@link decodeInput}, of fields that may stand under other names too. */
export const readInput = (
  operation: AnyOperation,
  raw: RawInput,
  network: Network,
): ReturnType<typeof decodeInput> => decodeInput(operation, applyAliases(operation, raw), network);
