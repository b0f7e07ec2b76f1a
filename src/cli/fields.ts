/** What operations and their fields are called on the command line: verbs, and words by position or as flags. */
import { ADDRESS_FORMAT, DATE_FORMAT, DURATION_FORMAT } from '../bch/fields.js';
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
};

/** The schemas of which a value has one. */
export const alternatives = (schema: FieldSchema): readonly FieldSchema[] =>
  schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(alternatives);

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
  return names.map((name) => {
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
};

/** What people may write in the place of a value, by the format of its field. */
const WRITTEN: Readonly<Record<string, { readonly name: string; readonly note: string }>> = {
  [ADDRESS_FORMAT]: { name: 'address', note: 'or @name of a contact' },
  [DATE_FORMAT]: { name: 'date', note: 'or a date: `treasury help dates`' },
  [DURATION_FORMAT]: { name: 'duration', note: 'or a duration such as 30d' },
};

/** What people may write in the place of a field's value; undefined for one that is taken as it is. */
export const writtenForm = (schema: FieldSchema): (typeof WRITTEN)[string] | undefined =>
  alternatives(schema)
    .map(({ format, items }) => WRITTEN[items?.format ?? format ?? ''])
    .find((form) => form !== undefined);

/** The values a field may have, where they are few. */
export const choicesOf = (schema: FieldSchema): readonly string[] =>
  alternatives(schema).flatMap((one) => (one.enum ?? []).filter((value) => value !== null).map(String));

/** What a field is, in one line of help. */
export const describeField = ({ schema, kind, isRequired, isCaller }: Field): string => {
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
  return [schema.description ?? '', notes.length === 0 ? '' : `(${notes.join('; ')})`]
    .filter((part) => part !== '')
    .join(' ');
};

/** The face of an operation; null when it has no command. */
export const faceOf = ({ cli }: AnyOperation): CommandFace | null => (cli === false ? null : (cli ?? {}));

/** The verb of an operation: its own, or the last part of its id. */
export const verbOf = (operation: AnyOperation): string =>
  faceOf(operation)?.verb ?? operation.id.split('.').at(-1) ?? operation.id;

/** The verb that confirms an action. */
export const confirmVerb = ({ confirm }: Action): string => verbOf(confirm);
