/**
 * Replies as they stand in JSON: what `z.encode` makes of them, in less time.
 *
 * Our own code makes replies, so nearly all are as their schema says. From a schema follows, once, a function that copies
 * such a value: the fields that are declared, in their order. Where it meets anything else it is unsure, and the schema
 * itself is asked: so it can be slower than that, and never says anything else.
 */
import { z } from 'zod';
import { frozen } from '../bch/remembered.js';

/** Stands for: only the schema can say. */
const UNSURE = Symbol('unsure');

/** What a value is in JSON, or {@link UNSURE}. */
type Encode = (value: unknown) => unknown;
type Schema = z.core.$ZodType;

const encoders = new WeakMap<Schema, Encode>();

const bySchema =
  (schema: Schema): Encode =>
  (value) => {
    const encoded = z.safeEncode(schema, value);
    return encoded.success ? encoded.data : UNSURE;
  };

const where =
  (holds: (value: unknown) => boolean): Encode =>
  (value) =>
    holds(value) ? value : UNSURE;

/** True for what nobody can change any more, to its last part. */
const isSteady = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(isSteady));

/** What was encoded once and is the same from then on; and its text, once somebody has asked for it. */
const texts = new WeakMap<object, string | null>();

/** What is made of a part of a reply that cannot change is kept for as long as that part. */
const keepingSteady = (encode: (value: object) => unknown): Encode => {
  const kept = new WeakMap<object, unknown>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return UNSURE;
    const known = kept.get(value);
    if (known !== undefined) return known;
    const encoded = encode(value);
    if (encoded !== UNSURE && Object.isFrozen(value) && isSteady(value)) {
      kept.set(value, frozen(encoded));
      texts.set(encoded as object, null);
    }
    return encoded;
  };
};

const ofObject = (shape: Readonly<Record<string, Schema>>): Encode => {
  const fields = Object.entries(shape).map(([name, schema]) => {
    const { optin, optout } = schema._zod;
    return { name, encode: encoderOf(schema), mayLack: optin === 'optional' && optout === 'optional' };
  });
  return keepingSteady((value) => {
    const given = value as Readonly<Record<string, unknown>>;
    const encoded: Record<string, unknown> = {};
    for (const { name, encode, mayLack } of fields) {
      const field = given[name];
      if (field === undefined && !(name in given)) {
        if (mayLack) continue;
        return UNSURE;
      }
      const one = encode(field);
      if (one === UNSURE) return UNSURE;
      encoded[name] = one;
    }
    return encoded;
  });
};

const ofArray = (element: Schema): Encode => {
  const encode = encoderOf(element);
  return (value) => {
    if (!Array.isArray(value)) return UNSURE;
    const encoded: unknown[] = [];
    for (const item of value as readonly unknown[]) {
      const one = encode(item);
      if (one === UNSURE) return UNSURE;
      encoded.push(one);
    }
    return encoded;
  };
};

/** The first way that the value can be, as the schema goes through them. */
const ofUnion = (options: readonly Schema[]): Encode => {
  const ways = options.map((option) => [encoderOf(option), bySchema(option)] as const);
  return (value) => {
    for (const [encode, ask] of ways) {
      const encoded = encode(value);
      const one = encoded === UNSURE ? ask(value) : encoded;
      if (one !== UNSURE) return one;
    }
    return UNSURE;
  };
};

/** The function of a schema without checks; null where it is of a kind that is left to the schema. */
const ofKind = (schema: Schema): Encode | null => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return where((value) => typeof value === 'string');
    case 'number':
      return where((value) => Number.isFinite(value));
    case 'boolean':
      return where((value) => typeof value === 'boolean');
    case 'null':
      return where((value) => value === null);
    case 'unknown':
      return (value) => value;
    case 'literal':
    case 'enum':
      return where((value) => schema._zod.values?.has(value as never) === true);
    case 'nullable': {
      const encode = encoderOf(def.innerType);
      return (value) => (value === null ? null : encode(value));
    }
    case 'optional': {
      // A field that may be left out, and is not undefined where it stands, is left to the schema where it is.
      const absent = schema instanceof z.core.$ZodExactOptional ? UNSURE : undefined;
      const encode = encoderOf(def.innerType);
      return schema._zod.optin === 'optional'
        ? (value) => (value === undefined ? absent : encode(value))
        : null;
    }
    case 'readonly':
      return encoderOf(def.innerType);
    case 'array':
      return ofArray(def.element);
    case 'object':
      return def.catchall === undefined && !Object.hasOwn(def.shape, '__proto__')
        ? ofObject(def.shape)
        : null;
    case 'union':
      return 'discriminator' in def || def.inclusive === false ? null : ofUnion(def.options);
    default:
      return null;
  }
};

/** A text of a form, a whole number, what is made into its type first: checks by another name. */
const isRestricted = (def: object): boolean =>
  ('checks' in def && Array.isArray(def.checks) && def.checks.length > 0) ||
  ('format' in def && def.format !== undefined) ||
  ('coerce' in def && def.coerce === true);

const encoderOf = (schema: Schema): Encode => {
  const known = encoders.get(schema);
  if (known !== undefined) return known;
  // A schema that holds itself finds this one.
  encoders.set(schema, bySchema(schema));
  const encode = (isRestricted(schema._zod.def) ? null : ofKind(schema)) ?? bySchema(schema);
  encoders.set(schema, encode);
  return encode;
};

/**
 * `z.encode`, in less time where the value is as the schema says. Its parts that cannot change (frozen to their last
 * part) are encoded once, and what is made of them is frozen too.
 *
 * @throws ZodError as `z.encode`
 */
export const encodeReply = <Output extends z.ZodType>(
  schema: Output,
  reply: z.output<Output>,
): z.input<Output> => {
  const encoded = encoderOf(schema)(reply);
  return encoded === UNSURE ? z.encode(schema, reply) : (encoded as z.input<Output>);
};

/** The text of a field or an item; of what is the same from one reply to the next it is written once. */
const textOf = (part: unknown): string | undefined => {
  if (typeof part !== 'object' || part === null) return JSON.stringify(part);
  // In an array, what is no JSON stands as null.
  if (Array.isArray(part) && !('toJSON' in part))
    return `[${part.map((item) => textOf(item) ?? 'null').join()}]`;
  const known = texts.get(part);
  if (known !== undefined && known !== null) return known;
  const text = JSON.stringify(part);
  if (known === null) texts.set(part, text);
  return text;
};

/**
 * `JSON.stringify` of a reply, in less time where parts of it were in a reply before.
 *
 * @example
 * replyText({ success: true, streams: [] }); // '{"success":true,"streams":[]}'
 */
export const replyText = (reply: Readonly<Record<string, unknown>>): string => {
  const fields: string[] = [];
  for (const [name, value] of Object.entries(reply)) {
    const text = textOf(value);
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join()}}`;
};
