/** Text (a query string, a flag) to the JSON value that a field's schema takes. The faces use it; `execute` does not. */
import { z } from 'zod';
import type { AnyOperation } from './define.js';

/** The part of a JSON Schema that a face needs to know of one field. */
export type FieldSchema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly default?: unknown;
  readonly anyOf?: readonly FieldSchema[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  /** Names of the properties that have to be there. */
  readonly required?: readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
  /** What amounts of it are always in: `BCH`, `token`, `own` (the token that `symbol` names), `none`. */
  readonly unit?: string;
  /** True for what must not be shown: the command line takes it from a hidden prompt or a file. */
  readonly secret?: boolean;
  /** True for the text of a file: the command line takes the file's name, or `-`. */
  readonly file?: boolean;
  /** True for `{ name, content }` of a file of JSON: the command line takes the file's name. */
  readonly namedFile?: boolean;
  /** True for a document of a transaction: the command line takes raw hex for one too. */
  readonly transaction?: boolean;
};

export type InputSchema = {
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
};

/** The fields of an operation's input, as JSON Schema of its wire side. */
export const inputSchema = ({ input }: Pick<AnyOperation, 'input'>): InputSchema => {
  const schema = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
  }) as Partial<InputSchema>;
  return { properties: schema.properties ?? {}, required: schema.required ?? [] };
};

/** What an operation answers, as JSON Schema of its wire side. */
export const outputSchema = ({ output }: Pick<AnyOperation, 'output'>): FieldSchema =>
  z.toJSONSchema(output, { io: 'input', unrepresentable: 'any' }) as FieldSchema;

const typesOf = (schema: FieldSchema): readonly string[] => [
  ...(schema.type === undefined ? [] : [schema.type].flat()),
  ...(schema.anyOf ?? []).flatMap(typesOf),
];

/** True for a yes-or-no field: a flag without a value. */
export const isSwitch = (schema: FieldSchema): boolean =>
  typesOf(schema).every((type) => type === 'boolean' || type === 'null') &&
  typesOf(schema).includes('boolean');

/**
 * The JSON value of a text. Fields that take a string keep it (an amount `1.10` loses nothing); numbers, booleans and
 * structures are read; what cannot be read stays text, so that the field's own check names it.
 */
export const coerceText = (schema: FieldSchema | undefined, text: string): unknown => {
  const types = schema === undefined ? [] : typesOf(schema);
  if (types.includes('string') || types.length === 0) return text;
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if ((types.includes('number') || types.includes('integer')) && /^-?\d+(?:\.\d+)?$/.test(text))
    return Number(text);
  if (types.includes('null') && text === 'null') return null;
  if (!types.includes('array') && !types.includes('object')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};
