/** Walking an input: every text of it that stands for something else, by the format of its field. */
import { DATE_FORMAT, LAST_SECOND_FORMAT } from '../bch/fields.js';
import type { FieldSchema } from '../operation/coerce.js';
import type { AnyOperation } from '../operation/define.js';
import { alternatives, formatted, type Field } from './fields.js';
import type { RawInput } from './gather-input.js';

/** What an input is for. */
export type Target = { readonly operation: AnyOperation; readonly fields: readonly Field[] };

/** The nearest object around a value that names a token: `tokenCategory` stands in it, or may. */
export type Scope = {
  /** Dotted; '' is the input itself. */
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** True: `tokenType` stands beside it. */
  readonly hasType: boolean;
};

/** A text that stands for something else: what its field takes, and where it stands in the input. */
export type Written = {
  readonly format: string;
  readonly text: string;
  /** Dotted. */
  readonly path: string;
  /** What amounts of its field are always in, where that is said. */
  readonly unit?: string | undefined;
  readonly scope: Scope | null;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const DATES: readonly string[] = [DATE_FORMAT, LAST_SECOND_FORMAT];

/** The digits of a date are a number by now; within a structure a number is the API's own. */
const textOf = (value: unknown, format: string, path: string): string | null => {
  if (typeof value === 'string') return value;
  return DATES.includes(format) && typeof value === 'number' && !path.includes('.') ? String(value) : null;
};

/** Where a walk stands. */
type Place = { readonly path: string; readonly scope: Scope | null };

type Walk = {
  readonly replace: (written: Written) => unknown;
  /** What is put into a scope beside what stands there. */
  readonly added: (path: string) => Readonly<Record<string, unknown>>;
};

const within = (path: string, name: string | number): string => (path === '' ? `${name}` : `${path}.${name}`);

const walkObject = (
  properties: Readonly<Record<string, FieldSchema>>,
  values: Readonly<Record<string, unknown>>,
  { path, scope: outer }: Place,
  walk: Walk,
): unknown => {
  const isScope = Object.hasOwn(properties, 'tokenCategory');
  const hasType = Object.hasOwn(properties, 'tokenType');
  const scope = isScope ? { path, values, hasType } : outer;
  const walked = Object.entries(values).map(([name, item]) => [
    name,
    walkValue(properties[name] ?? {}, item, { path: within(path, name), scope }, walk),
  ]);
  return { ...Object.fromEntries(walked), ...(isScope ? walk.added(path) : {}) };
};

/** The value with something else in the place of every text whose field has a format. */
const walkValue = (schema: FieldSchema, value: unknown, place: Place, walk: Walk): unknown => {
  const field = formatted(schema);
  const format = field?.format;
  const text = format === undefined ? null : textOf(value, format, place.path);
  if (text !== null && format !== undefined)
    return walk.replace({ format, text, unit: field?.unit, ...place });
  const kinds = alternatives(schema);
  if (Array.isArray(value)) {
    const items = kinds.find((kind) => kind.items !== undefined)?.items;
    if (items === undefined) return value;
    return value.map((item, index) =>
      walkValue(items, item, { ...place, path: within(place.path, index) }, walk),
    );
  }
  if (!isObject(value)) return value;
  return walkObject(
    kinds.find((kind) => kind.properties !== undefined)?.properties ?? {},
    value,
    place,
    walk,
  );
};

/** The input with something else in the place of every text that stands for it, and with what is added to its scopes. */
export const replaceWritten = (
  { fields }: Target,
  input: RawInput,
  replace: Walk['replace'],
  added: Walk['added'] = () => ({}),
): RawInput => {
  const properties = Object.fromEntries(fields.map(({ name, schema }) => [name, schema]));
  const place = { path: '', scope: null };
  return walkObject(properties, input, place, { replace, added }) as RawInput;
};

/** Every text of an input that stands for something else. */
export const writtenIn = (target: Target, input: RawInput): readonly Written[] => {
  const found: Written[] = [];
  replaceWritten(target, input, (written) => {
    found.push(written);
    return written.text;
  });
  return found;
};
