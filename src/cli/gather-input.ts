/** From words and flags to the raw input of an operation. What is missing is asked for on a terminal. */
import { TreasuryError } from '../errors.js';
import { coerceText } from '../operation/coerce.js';
import type { Call } from './call.js';
import { choicesOf, type Field } from './fields.js';
import { readDocument, readStructure } from './read-document.js';
import { isInteractive } from './environment.js';

/** What was given on the command line, by field name. */
export type Given = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;

export type RawInput = Readonly<Record<string, unknown>>;

const readList = ({ schema }: Field, texts: readonly string[]): unknown => {
  const [first = ''] = texts;
  if (texts.length === 1 && first.trimStart().startsWith('[')) return coerceText({ type: 'array' }, first);
  return texts.map((text) => coerceText(schema.items, text));
};

/** Files by name; a single text comes from a prompt, where names stand apart by spaces. */
const readFiles = async (
  { name, schema }: Field,
  given: string | readonly string[],
  call: Call,
): Promise<unknown> => {
  const names = typeof given === 'string' ? given.split(/\s+/).filter((word) => word !== '') : given;
  const isTransaction = schema.items?.properties?.['content']?.transaction === true;
  const files: { readonly name: string; readonly content: unknown }[] = [];
  for (const file of names) {
    const content = await readStructure(file, { field: name, isTransaction }, call);
    files.push({ name: file.length > 60 ? `${file.slice(0, 57)}...` : file, content });
  }
  return files;
};

/** A secret from a file. What was given may be the secret itself, by mistake: it is not repeated. @throws invalid_file */
const readSecret = async ({ label }: Field, name: string, call: Call): Promise<string> => {
  try {
    return (await readDocument(name, call)).trim();
  } catch (error) {
    if (!(error instanceof TreasuryError)) throw error;
    const reason = `${String(error.details['reason'])}; it takes the name of a file, and no secret as it stands`;
    throw new TreasuryError('invalid_file', { file: `What ${label} names`, reason });
  }
};

const readValue = async (field: Field, value: Given[string], call: Call): Promise<unknown> => {
  if (typeof value === 'boolean' || value === undefined) return value;
  if (field.kind === 'files') return value.length === 0 ? undefined : readFiles(field, value, call);
  if (typeof value !== 'string') return readList(field, value);
  // A secret on a command line would stand in the shell's history and in the process list.
  if (field.schema.secret === true) return readSecret(field, value, call);
  if (field.schema.file === true) return readDocument(value, call);
  if (field.kind === 'structure') {
    const isTransaction = field.schema.transaction === true;
    return readStructure(value, { field: field.name, isTransaction }, call);
  }
  return coerceText(field.schema, value);
};

const askFor = async (field: Field, call: Call): Promise<unknown> => {
  const { prompts } = call.environment;
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
  if (!isInteractive(call.environment)) throw missingValues(missing);
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
