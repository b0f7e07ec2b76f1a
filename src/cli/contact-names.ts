/** `@name` on the command line: the address of a contact, put in its place before the operation sees the input. */
import { ADDRESS_FORMAT } from '../bch/fields.js';
import type { FieldSchema } from '../operation/coerce.js';
import { findContact } from '../record/contacts.js';
import type { Context } from '../operation/context.js';
import type { Call } from './call.js';
import { alternatives, type Field } from './fields.js';
import type { RawInput } from './gather-input.js';

type Resolve = (text: string) => string;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** True for a text that names a contact. */
export const isContactName = (text: string): boolean => text.trimStart().startsWith('@');

/** The value with an address in the place of every name, wherever the schema has an address. */
const resolveIn = (schema: FieldSchema, value: unknown, resolve: Resolve): unknown => {
  const kinds = alternatives(schema);
  if (typeof value === 'string') {
    const isAddress = kinds.some(({ format }) => format === ADDRESS_FORMAT);
    return isAddress && isContactName(value) ? resolve(value) : value;
  }
  if (Array.isArray(value)) {
    const items = kinds.find((kind) => kind.items !== undefined)?.items;
    return items === undefined ? value : value.map((item) => resolveIn(items, item, resolve));
  }
  if (!isObject(value)) return value;
  const properties = kinds.find((kind) => kind.properties !== undefined)?.properties ?? {};
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, resolveIn(properties[name] ?? {}, item, resolve)]),
  );
};

/**
 * The input with the address of each contact that it names. What each name stands for is said on stderr, also with
 * `--quiet`: nobody should sign for a name alone.
 *
 * @throws contact_not_found
 */
export const resolveContacts = async (
  fields: readonly Field[],
  input: RawInput,
  { call, context }: { readonly call: Pick<Call, 'output'>; readonly context: Pick<Context, 'store'> },
): Promise<RawInput> => {
  const resolveAll = (resolve: Resolve): RawInput =>
    Object.fromEntries(
      Object.entries(input).map(([name, value]) => {
        const field = fields.find((one) => one.name === name);
        return [name, field === undefined ? value : resolveIn(field.schema, value, resolve)];
      }),
    );
  const addresses = new Map<string, string>();
  resolveAll((text) => {
    addresses.set(text, text);
    return text;
  });
  const said = new Set<string>();
  for (const text of addresses.keys()) {
    const { id, address } = await findContact(text.trim(), context.store);
    if (!said.has(id)) call.output.warn(`@${id} is ${address}`);
    said.add(id);
    addresses.set(text, address);
  }
  return resolveAll((text) => addresses.get(text) ?? text);
};
