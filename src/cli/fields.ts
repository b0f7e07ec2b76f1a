/** What operations and their fields are called on the command line: verbs, and words by position or as flags. */
import {
  ADDRESS_FORMAT,
  AMOUNT_FORMAT,
  CATEGORY_FORMAT,
  DATE_FORMAT,
  DURATION_FORMAT,
  LAST_SECOND_FORMAT,
} from '../bch/fields.js';
import { inputSchema, isSwitch, type FieldSchema } from '../operation/coerce.js';
import type { Action, AnyOperation, CommandFace } from '../operation/define.js';
import { globalNames, kebabCase } from './flags.js';

export type Field = {
  /** Its name in the input. */
  readonly name: string;
  readonly schema: FieldSchema;
  /** `position`: by position; `flag`: its own flag; `global`: a global flag of the same name fills it. */
  readonly place: 'position' | 'flag' | 'global';
  /** `--total-pool`, or `<id>` for a field taken by position. */
  readonly label: string;
  /** `structure` is JSON or a file of it; `list` is a flag that may be given again; `files` are files of JSON. */
  readonly kind: 'text' | 'switch' | 'list' | 'structure' | 'files';
  readonly isRequired: boolean;
  /** The caller's own address fills it when it is left out. */
  readonly isCaller: boolean;
  /** The list that this is one column of: its values, one for each row, are no field of the input. */
  readonly columnOf?: string;
};

/** The schemas of which a value has one. */
export const alternatives = (schema: FieldSchema): readonly FieldSchema[] =>
  schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(alternatives);

/** The part of a field's schema that says how its text is written: of its format. */
export const formatted = (schema: FieldSchema): FieldSchema | undefined =>
  schema.format === undefined ? (schema.anyOf ?? []).map(formatted).find((one) => one !== undefined) : schema;

const hasType = (schema: FieldSchema, type: string): boolean =>
  alternatives(schema).some((one) => [one.type ?? []].flat().includes(type));

const kindOf = (schema: FieldSchema): Field['kind'] => {
  if (isSwitch(schema)) return 'switch';
  if (hasType(schema, 'string')) return 'text';
  const array = alternatives(schema).find((one) => one.type === 'array');
  if (array !== undefined) {
    if (array.items?.namedFile === true) return 'files';
    const isPlain =
      array.items !== undefined && !hasType(array.items, 'object') && !hasType(array.items, 'array');
    return isPlain ? 'list' : 'structure';
  }
  return hasType(schema, 'object') ? 'structure' : 'text';
};

/** The schema of a list's items; undefined for what is no list. */
export const itemsOf = (schema: FieldSchema): FieldSchema | undefined =>
  alternatives(schema).find(({ items }) => items !== undefined)?.items;

/** The flags of the columns of a field, where its operation has some. */
const rowFlags = ({ name, schema }: Field, { rows }: CommandFace): readonly Field[] => {
  const { properties = {}, required = [] } = itemsOf(schema) ?? {};
  return (rows?.[name] ?? []).map((column) => {
    const own = properties[column] ?? {};
    const of = `${kebabCase(name)}: once for each of them`;
    const note = required.includes(column) ? of : `${of}, or once for all`;
    return {
      name: column,
      schema: {
        type: 'array',
        items: own,
        description: `${own.description === undefined ? '' : `${own.description}; `}${note}`,
      },
      place: 'flag',
      label: `--${kebabCase(column)}`,
      kind: 'list',
      isRequired: false,
      isCaller: false,
      columnOf: name,
    };
  });
};

/** The path's `:segments`. */
export const pathSegments = (operation: AnyOperation): readonly string[] =>
  [...(operation.http?.path ?? '').matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');

/** The fields of an operation in order: those taken by position first. */
export const fieldsOf = (
  operation: AnyOperation,
  positionalDefault: readonly string[] = pathSegments(operation),
): readonly Field[] => {
  const face = operation.cli === false ? {} : (operation.cli ?? {});
  const { properties, required } = inputSchema(operation);
  const positional = face.positional ?? positionalDefault;
  const names = [
    ...positional,
    ...Object.keys(properties).filter((name) => !positional.includes(name) && !face.hidden?.includes(name)),
  ];
  const fields = names.map((name): Field => {
    const schema = properties[name] ?? {};
    const place = positional.includes(name) ? 'position' : globalNames.includes(name) ? 'global' : 'flag';
    return {
      name,
      schema,
      place,
      label: place === 'position' ? `<${kebabCase(name)}>` : `--${kebabCase(name)}`,
      kind: kindOf(schema),
      isRequired: required.includes(name),
      isCaller: face.callerFields?.includes(name) ?? false,
    };
  });
  return fields.flatMap((field) => [field, ...rowFlags(field, face)]);
};

/** What people may write in the place of a value, by the format of its field. */
const WRITTEN: Readonly<Record<string, { readonly name: string; readonly note: string }>> = {
  [ADDRESS_FORMAT]: { name: 'address', note: 'or a wallet, or @name of a contact' },
  [AMOUNT_FORMAT]: { name: 'amount', note: 'see `treasury help amounts`' },
  [CATEGORY_FORMAT]: { name: 'token', note: 'or the symbol of a token' },
  [DATE_FORMAT]: { name: 'date', note: 'see `treasury help dates`' },
  [LAST_SECOND_FORMAT]: { name: 'date', note: 'see `treasury help dates`; a day counts to its end' },
  [DURATION_FORMAT]: { name: 'duration', note: 'such as 30d' },
};

/** What people may write in the place of a field's value; undefined for one that is taken as it is. */
export const writtenForm = (schema: FieldSchema): (typeof WRITTEN)[string] | undefined => {
  const items = alternatives(schema).find((kind) => kind.items !== undefined)?.items;
  const { format = '', unit } = formatted(items ?? schema) ?? {};
  return unit === 'none' ? undefined : WRITTEN[format];
};

/** The values a field may have, where they are few. */
export const choicesOf = (schema: FieldSchema): readonly string[] =>
  alternatives(schema).flatMap((one) => (one.enum ?? []).filter((value) => value !== null).map(String));

/** What is said of a field, without what only programs write, and with the flags of the fields that it names. */
const inOwnWords = (description: string, fields: readonly Field[]): string => {
  const said = description
    .replace(/^unix seconds\b[;,.]?/i, '')
    .replace(/[;,]? ?(?:\bin )?\bdisplay units\b/i, '')
    .replace(/^[;,:\s]+/, '')
    .replaceAll(/\b[a-z]+[A-Z]\w*/g, (word) => fields.find(({ name }) => name === word)?.label ?? word);
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
};

/** What a field is, in one line of help. @param fields of its command */
export const describeField = (
  { schema, kind, isRequired, isCaller }: Field,
  fields: readonly Field[] = [],
): string => {
  const choices = choicesOf(schema);
  const form = writtenForm(schema);
  const notes = [
    ...(choices.length > 0 && !choices.every((choice) => schema.description?.includes(choice))
      ? [`one of ${choices.join(', ')}`]
      : []),
    ...(kind === 'structure' ? ['JSON, or the name of a file of it, or - for standard input'] : []),
    ...(kind === 'files' ? ['names of files'] : []),
    ...(schema.file === true ? ['the name of a file, or - for standard input'] : []),
    ...(kind === 'list' ? ['may be given again'] : []),
    ...(form === undefined ? [] : [form.note]),
    ...(schema.default === undefined || kind === 'switch'
      ? []
      : [`default: ${JSON.stringify(schema.default)}`]),
    ...(isCaller ? ['default: you'] : isRequired ? ['required'] : []),
  ];
  return [inOwnWords(schema.description ?? '', fields), notes.length === 0 ? '' : `(${notes.join('; ')})`]
    .filter((part) => part !== '')
    .join(' ');
};

/** True for an operation that only looks: it can be asked again and again. */
export const isReading = (operation: AnyOperation): boolean =>
  operation.http?.method === 'GET' || faceOf(operation)?.readsOnly === true;

/** True for a list that comes in pages. */
export const isPaged = (operation: AnyOperation): boolean => {
  const { properties } = inputSchema(operation);
  return 'page' in properties && 'limit' in properties;
};

/** The face of an operation; null when it has no command. */
export const faceOf = ({ cli }: AnyOperation): CommandFace | null => (cli === false ? null : (cli ?? {}));

/** The verb of an operation: its own, or the last part of its id. */
export const verbOf = (operation: AnyOperation): string =>
  faceOf(operation)?.verb ?? operation.id.split('.').at(-1) ?? operation.id;

/** The verb that confirms an action. */
export const confirmVerb = ({ confirm }: Action): string => verbOf(confirm);
