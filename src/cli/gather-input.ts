/** From words, flags and the files that they name to the raw input of an operation. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf, TreasuryError } from '../errors.js';
import { coerceText } from '../operation/coerce.js';
import type { Call } from './call.js';
import { isInteractive } from './environment.js';
import { choicesOf, itemsOf, type Field } from './fields.js';
import { foldRows } from './row-flags.js';
import { readAll } from './passphrase.js';

/** What the usual failures of reading a file mean. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
  ENAMETOOLONG: 'that is too long for the name of a file',
};

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code = '' } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? error.message;
};

/** How a file is called in a message. */
const titleOf = (name: string): string => (name === '-' ? 'Standard input' : name);

/** A file with its name, or standard input for `-`. @throws invalid_file */
export const readDocument = async (name: string, { environment }: Call): Promise<string> => {
  if (name === '-') return readAll(environment.stdin);
  try {
    return await readFile(resolve(environment.cwd, name), 'utf8');
  } catch (error) {
    throw new TreasuryError('invalid_file', { file: name, reason: reasonOf(error) });
  }
};

/** Long enough for a transaction, and too long to be the name of a file. */
const RAW_TRANSACTION = /^(?:[0-9a-f]{2}){60,}$/i;

/** What a value is to be read as. */
export type Reading = {
  /** The field it is for. A document that names it is opened. */
  readonly field: string;
  /** True where raw hex stands for `{ transaction }`. */
  readonly isTransaction: boolean;
};

/** JSON as it stands, or the name of a file of it. @throws invalid_file */
const readStructure = async (
  text: string,
  { field, isTransaction }: Reading,
  call: Call,
): Promise<unknown> => {
  const isRaw = (content: string) => isTransaction && RAW_TRANSACTION.test(content.trim());
  const isInline = /^\s*[[{]/.test(text) || isRaw(text);
  const content = isInline ? text : await readDocument(text, call);
  if (isRaw(content)) return { transaction: content.trim() };
  const refuse = (reason: string) =>
    new TreasuryError('invalid_file', { file: isInline ? `The value of ${field}` : titleOf(text), reason });
  if (content.trim() === '') throw refuse('it is empty');
  let document: unknown;
  try {
    document = JSON.parse(content);
  } catch (error) {
    const reason = messageOf(error);
    throw refuse(`expected JSON: ${reason.replace(/\s+/g, ' ')}`);
  }
  return typeof document === 'object' && document !== null && Object.hasOwn(document, field)
    ? (document as Record<string, unknown>)[field]
    : document;
};

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

/** What a text, a list of texts or a switch stands for. @throws invalid_file */
export const readValue = async (field: Field, value: Given[string], call: Call): Promise<unknown> => {
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
  // Of a few words, any case is meant.
  const choice = choicesOf(field.schema).find((one) => one.toLowerCase() === value.toLowerCase());
  return coerceText(field.schema, choice ?? value);
};

/** The flags that a field is given with: those of its columns, where rows have flags. */
const flagsOf = (field: Field, all: readonly Field[]): readonly Field[] => {
  const required = itemsOf(field.schema)?.required ?? [];
  const columns = all.filter(({ columnOf, name }) => columnOf === field.name && required.includes(name));
  return columns.length === 0 ? [field] : columns;
};

const missingValues = (missing: readonly Field[], all: readonly Field[]): TreasuryError => {
  const fields = missing.flatMap((field) => flagsOf(field, all));
  const issues = fields.map(({ name }) => ({ path: name, message: 'is required' }));
  return new TreasuryError('missing_value', {
    flag: fields[0]?.label ?? '',
    ...(fields.length > 1 ? { issues } : {}),
  });
};

/** Fields that are required, and neither there nor filled in by something else. */
export const missingFields = (
  fields: readonly Field[],
  input: RawInput,
  filled: readonly string[] = [],
): readonly Field[] =>
  fields.filter(
    ({ name, isRequired, isCaller }) =>
      isRequired && !isCaller && !filled.includes(name) && input[name] === undefined,
  );

/**
 * The raw input of an operation as far as it was given, before the caller's own address is filled in. On a terminal what
 * is missing is asked for once the home is open, by `askMissing`.
 *
 * @param filled - required fields that something else fills in later
 * @throws missing_value naming the flag (without a terminal), invalid_file, invalid_input (flags of rows that do not pair)
 */
export const gatherInput = async (
  fields: readonly Field[],
  given: Given,
  call: Call,
  filled: readonly string[] = [],
): Promise<RawInput> => {
  const read: Record<string, unknown> = {};
  for (const field of fields) {
    const value = await readValue(field, given[field.name], call);
    if (value !== undefined) read[field.name] = value;
  }
  const input = foldRows(fields, read);
  const missing = missingFields(fields, input, filled);
  if (missing.length > 0 && !isInteractive(call.environment)) throw missingValues(missing, fields);
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
