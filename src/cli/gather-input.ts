/** From words and flags to the raw input of an operation. What is missing is asked for on a terminal. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TreasuryError } from '../errors.js';
import { coerceText } from '../operation/coerce.js';
import type { Call } from './call.js';
import { choicesOf, type Field } from './fields.js';
import { readAll } from './passphrase.js';
import { isInteractive } from './world.js';

/** What was given on the command line, by field name. */
export type Given = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;

export type RawInput = Readonly<Record<string, unknown>>;

/** A file with its name, or standard input for `-`. @throws invalid_file */
const readDocument = async (name: string, { world }: Call): Promise<string> => {
  if (name === '-') return readAll(world.stdin);
  try {
    return await readFile(resolve(world.cwd, name), 'utf8');
  } catch (error) {
    throw new TreasuryError('invalid_file', {
      file: name,
      reason: error instanceof Error ? error.message : String(error),
    });
  }
};

/** JSON as it stands, or the name of a file of it. A document that names the field itself is opened. */
const readStructure = async (name: string, text: string, call: Call): Promise<unknown> => {
  const isInline = /^\s*[[{]/.test(text);
  const json = isInline ? text : await readDocument(text, call);
  let document: unknown;
  try {
    document = JSON.parse(json);
  } catch (error) {
    throw new TreasuryError('invalid_file', {
      file: isInline ? `the value of ${name}` : text,
      reason: `expected JSON: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
  return typeof document === 'object' && document !== null && Object.hasOwn(document, name)
    ? (document as Record<string, unknown>)[name]
    : document;
};

const readList = ({ schema }: Field, texts: readonly string[]): unknown => {
  const [first = ''] = texts;
  if (texts.length === 1 && first.trimStart().startsWith('[')) return coerceText({ type: 'array' }, first);
  return texts.map((text) => coerceText(schema.items, text));
};

const readValue = async (field: Field, value: Given[string], call: Call): Promise<unknown> => {
  if (typeof value === 'boolean' || value === undefined) return value;
  if (typeof value !== 'string') return readList(field, value);
  // A secret on a command line would stand in the shell's history and in the process list.
  if (field.schema.secret === true) return (await readDocument(value, call)).trim();
  if (field.schema.file === true) return readDocument(value, call);
  if (field.kind === 'structure') return readStructure(field.name, value, call);
  return coerceText(field.schema, value);
};

const askFor = async (field: Field, call: Call): Promise<unknown> => {
  const { prompts } = call.world;
  const about = field.schema.description;
  const message = about === undefined ? `${field.label}:` : `${field.label} (${about}):`;
  const choices = choicesOf(field.schema);
  if (field.schema.secret === true) return prompts.secret({ message: `${field.label}:` });
  if (field.kind === 'switch') return prompts.confirm({ message, fallback: false });
  const answer = choices.length > 0 ? prompts.choose({ message, choices }) : prompts.text({ message });
  return readValue(field, field.kind === 'list' ? [await answer] : await answer, call);
};

const missingValues = (fields: readonly Field[]): TreasuryError => {
  const issues = fields.map(({ name }) => ({ path: name, message: 'is required' }));
  return new TreasuryError('missing_value', {
    flag: fields[0]?.label ?? '',
    ...(fields.length > 1 ? { issues } : {}),
  });
};

/**
 * The raw input of an operation, before the caller's own address is filled in.
 *
 * @param filled - required fields that something else fills in later
 * @throws missing_value naming the flag (without a terminal), invalid_file
 */
export const gatherInput = async (
  fields: readonly Field[],
  given: Given,
  call: Call,
  filled: readonly string[] = [],
): Promise<RawInput> => {
  const input: Record<string, unknown> = {};
  for (const field of fields) {
    const value = await readValue(field, given[field.name], call);
    if (value !== undefined) input[field.name] = value;
  }
  const missing = fields.filter(
    ({ name, isRequired, isCaller }) =>
      isRequired && !isCaller && !filled.includes(name) && input[name] === undefined,
  );
  if (missing.length === 0) return input;
  if (!isInteractive(call.world)) throw missingValues(missing);
  for (const field of missing) input[field.name] = await askFor(field, call);
  return input;
};

/** The raw input with the caller's address in the fields that are the caller's. */
export const fillCaller = (
  fields: readonly Field[],
  input: RawInput,
  callerAddress: string | null,
): RawInput => {
  if (callerAddress === null) return input;
  const own = fields.filter(({ name, isCaller }) => isCaller && input[name] === undefined);
  return { ...input, ...Object.fromEntries(own.map(({ name }) => [name, callerAddress])) };
};
