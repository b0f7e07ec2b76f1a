/**
 * What people write on the command line, put into the form that operations take: `@name` of a contact becomes its
 * address, a date unix seconds, a duration seconds. The API keeps its own strict forms.
 */
import { readDate, showLocalDate } from '../bch/date.js';
import { parseSeconds } from '../bch/duration.js';
import { ADDRESS_FORMAT, DATE_FORMAT, DURATION_FORMAT } from '../bch/fields.js';
import { cut, invalidField } from '../errors.js';
import type { FieldSchema } from '../operation/coerce.js';
import { findContact } from '../record/contacts.js';
import type { Context } from '../operation/context.js';
import type { Call } from './call.js';
import { alternatives, type Field } from './fields.js';
import type { RawInput } from './gather-input.js';

type Session = {
  readonly call: Pick<Call, 'output'>;
  readonly context: Pick<Context, 'store' | 'clock'>;
};

/** A text that stands for something else: what its field takes, and where it stands in the input. */
type Written = { readonly format: string; readonly text: string; readonly path: string };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** True for a text that names a contact. */
export const isContactName = (text: string): boolean => text.trimStart().startsWith('@');

const formatOf = (schema: FieldSchema): string | undefined =>
  alternatives(schema).find(({ format }) => format !== undefined)?.format;

/** The digits of a date are a number by now; within a structure a number is the API's own. */
const textOf = (value: unknown, format: string | undefined, path: string): string | null => {
  if (typeof value === 'string') return value;
  return format === DATE_FORMAT && typeof value === 'number' && !path.includes('.') ? String(value) : null;
};

/** The value with something else in the place of every text whose field has a format. */
const replaceIn = (
  schema: FieldSchema,
  value: unknown,
  path: string,
  replace: (written: Written) => unknown,
): unknown => {
  const kinds = alternatives(schema);
  const format = formatOf(schema);
  const text = textOf(value, format, path);
  if (text !== null && format !== undefined) return replace({ format, text, path });
  if (Array.isArray(value)) {
    const items = kinds.find((kind) => kind.items !== undefined)?.items;
    return items === undefined
      ? value
      : value.map((item, index) => replaceIn(items, item, `${path}.${index}`, replace));
  }
  if (!isObject(value)) return value;
  const properties = kinds.find((kind) => kind.properties !== undefined)?.properties ?? {};
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      replaceIn(properties[name] ?? {}, item, `${path}.${name}`, replace),
    ]),
  );
};

/** What a text stands for, and what is to be said of that. */
type Meaning = { readonly value: unknown; readonly note?: string };

type Reader = (written: Written, context: Pick<Context, 'store' | 'clock'>) => Meaning | Promise<Meaning>;

const READERS: Readonly<Record<string, Reader>> = {
  [ADDRESS_FORMAT]: async ({ text }, { store }) => {
    if (!isContactName(text)) return { value: text };
    const { id, address } = await findContact(text.trim(), store);
    return { value: address, note: `@${id} is ${address}` };
  },
  [DATE_FORMAT]: async ({ text, path }, { clock }) => {
    const reading = await readDate(text, clock.now());
    if ('problem' in reading) throw invalidField(path, `"${cut(text)}" is no date: ${reading.problem}`);
    const { value } = reading;
    return /^\d+$/.test(text) ? { value } : { value, note: `"${text}" is ${showLocalDate(value)}` };
  },
  [DURATION_FORMAT]: ({ text, path }) => {
    const value = parseSeconds(text, path);
    return { value, note: `"${text}" is ${value} seconds` };
  },
};

/**
 * The input with what each text in it stands for. That is said on stderr, also with `--quiet`: nobody should sign for a
 * name alone, or for another day than they meant.
 *
 * @throws contact_not_found, invalid_input
 */
export const readWrittenValues = async (
  fields: readonly Field[],
  input: RawInput,
  { call, context }: Session,
): Promise<RawInput> => {
  const replaceAll = (replace: (written: Written) => unknown): RawInput =>
    Object.fromEntries(
      Object.entries(input).map(([name, value]) => {
        const field = fields.find((one) => one.name === name);
        return [name, field === undefined ? value : replaceIn(field.schema, value, name, replace)];
      }),
    );
  const written: Written[] = [];
  replaceAll((one) => {
    written.push(one);
    return one.text;
  });
  const meanings = new Map<string, unknown>();
  const said = new Set<string>();
  for (const one of written) {
    const { value, note } = (await READERS[one.format]?.(one, context)) ?? { value: one.text };
    if (note !== undefined && !said.has(note)) call.output.warn(note);
    if (note !== undefined) said.add(note);
    meanings.set(one.path, value);
  }
  return replaceAll(({ path, text }) => meanings.get(path) ?? text);
};
