/** Records as answers show them: the schema of a reply and what fills it, both derived from the record's own schema. */
import { frozen } from '../bch/remembered.js';
import { z } from 'zod';
import { displayNumber } from '../bch/amount.js';

type Shape = z.core.$ZodShape;
type AmountSchema = z.core.$ZodType<bigint | null>;

/** A field of a record on the wire. An amount stays what it is here. */
type Plain<Field extends z.core.$ZodType> = Field extends AmountSchema
  ? Field
  : z.ZodType<z.output<Field>, z.output<Field>>;

/** What stands for an amount that may be null where the record's may. */
type Nullable<Field, Shown extends z.ZodType> = null extends z.output<Field> ? z.ZodNullable<Shown> : Shown;

/** The fields of a reply: an amount is two. */
type ShownFields<Fields extends Shape> = {
  [Name in keyof Fields]: Fields[Name] extends AmountSchema
    ? Nullable<Fields[Name], z.ZodNumber>
    : Fields[Name];
} & {
  [Name in keyof Fields & string as Fields[Name] extends AmountSchema ? `${Name}OnChain` : never]: Nullable<
    Fields[Name],
    z.ZodString
  >;
};

type Told<Stored extends Shape, Hidden extends string, Computed extends Shape> = ShownFields<
  { [Name in Exclude<keyof Stored, Hidden | keyof Computed>]: Plain<Stored[Name]> } & Computed
>;

/** A {@link Told} as one type. */
type ReplyShape<Stored extends Shape, Hidden extends string, Computed extends Shape> = {
  [Name in keyof Told<Stored, Hidden, Computed>]: Told<Stored, Hidden, Computed>[Name] & z.core.$ZodType;
};

type Values<Fields extends Shape> = keyof Fields extends never ? [] : [values: z.output<z.ZodObject<Fields>>];

/** How a record is shown. */
export type Shown<Stored extends Shape, Hidden extends string, Computed extends Shape> = {
  readonly reply: z.ZodObject<ReplyShape<Stored, Hidden, Computed>>;
  /** A reply: the record, and beside it what was computed, amounts in the smallest unit. */
  readonly show: (
    record: z.output<z.ZodObject<Stored>> & { readonly decimals: number },
    ...computed: Values<Computed>
  ) => z.output<z.ZodObject<ReplyShape<Stored, Hidden, Computed>>>;
};

const described = (schema: z.ZodType, text: string | undefined): z.ZodType =>
  text === undefined ? schema : schema.describe(text);

const isAmount = (schema: z.ZodType): boolean => {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return isAmount(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodCodec && schema.out instanceof z.ZodBigInt;
};

/** What a reply promises of a field: its kind, and not the limits within which it is stored. */
const plain = (schema: z.ZodType): z.ZodType => {
  const kind = (): z.ZodType => {
    if (schema instanceof z.ZodDefault) return plain(schema.unwrap() as z.ZodType);
    if (schema instanceof z.ZodNullable) return plain(schema.unwrap() as z.ZodType).nullable();
    if (schema instanceof z.ZodArray) return z.array(plain(schema.element as z.ZodType));
    if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return z.string();
    return schema instanceof z.ZodNumber ? z.number() : schema;
  };
  return described(kind(), schema.description);
};

/** What the two figures of an amount are called; a description of the field stands for that of the first. */
type Words = readonly [shown: string, exact: string];

const amountPair = (name: string, schema: z.ZodType, [shown, exact]: Words): [string, z.ZodType][] => {
  const both = [z.number().describe(schema.description ?? shown), z.string().describe(exact)];
  const [number, text] = schema instanceof z.ZodNullable ? both.map((one) => one.nullable()) : both;
  return [
    [name, number as z.ZodType],
    [`${name}OnChain`, text as z.ZodType],
  ];
};

type Source = Readonly<{ [name: string]: unknown }>;

/** A field of what is shown, worked out once: whether it is an amount, and whether a record has it. */
type ToldField = { readonly name: string; readonly isPair: boolean; readonly isComputed: boolean };

/**
 * Derives how a record is shown from its schema. An amount becomes two fields, by the record's decimals: `x`, a number
 * in display units, and `xOnChain`, exact text. Descriptions of the record's fields are those of the reply's.
 *
 * @param told.hidden fields of the record that no reply has
 * @param told.computed fields that the record does not have, or that say more than the record's own of that name
 */
export const defineShown = <
  Stored extends Shape,
  const Hidden extends keyof Stored & string = never,
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- nothing is computed
  Computed extends Shape = {},
>(
  record: z.ZodObject<Stored>,
  told: { readonly hidden?: readonly Hidden[]; readonly computed?: Computed; readonly words?: Words },
): Shown<Stored, Hidden, Computed> => {
  const { hidden = [], words = ['Display units', 'Smallest unit'] } = told;
  const computed = (told.computed ?? {}) as Readonly<{ [name: string]: z.ZodType }>;
  const isHidden = (name: string) => (hidden as readonly string[]).includes(name);
  const stored = Object.entries(record.shape as unknown as typeof computed)
    .filter(([name]) => !isHidden(name))
    .map(([name, schema]) => [name, isAmount(schema) ? schema : plain(schema)] as const);
  const fields = Object.entries({ ...Object.fromEntries(stored), ...computed });
  const reply = z.object(
    Object.fromEntries(
      fields.flatMap(([name, schema]) =>
        isAmount(schema) ? amountPair(name, schema, words) : [[name, schema]],
      ),
    ),
  );
  const toldFields = fields.map(([name, schema]): ToldField => {
    return { name, isPair: isAmount(schema), isComputed: Object.hasOwn(computed, name) };
  });
  const show = (from: Source & { readonly decimals: number }, values: Source) => {
    const entries: [name: string, value: unknown][] = [];
    for (const { name, isPair, isComputed } of toldFields) {
      const source = isComputed ? values : from;
      if (!Object.hasOwn(source, name)) continue;
      const value = source[name] as bigint | null;
      if (!isPair) entries.push([name, value]);
      else
        entries.push(
          [name, value === null ? null : displayNumber(value, from.decimals)],
          [`${name}OnChain`, value === null ? null : value.toString()],
        );
    }
    return Object.fromEntries(entries);
  };
  return { reply, show } as unknown as Shown<Stored, Hidden, Computed>;
};

/**
 * What was last made of each record on some grounds, for as long as the record lives and its grounds are the same.
 *
 * A record of the store is frozen, and another one once it has changed: by itself, through the chain, or because the chain
 * took something back. So what was made of it is right for as long as nothing else that it was made of has changed, and
 * that is what the grounds are: all of it, each a value or an object that is frozen in the same way. Of a record that is
 * not frozen nothing is kept.
 */
export const lastMade = <R extends object, const Grounds extends readonly unknown[], Made extends object>(
  make: (record: R, ...grounds: Grounds) => Made,
): ((record: R, ...grounds: Grounds) => Readonly<Made>) => {
  const kept = new WeakMap<R, { readonly grounds: Grounds; readonly made: Readonly<Made> }>();
  return (record, ...grounds) => {
    const last = kept.get(record);
    if (last?.grounds.every((ground, index) => Object.is(ground, grounds[index])) === true) return last.made;
    const made = frozen(make(record, ...grounds));
    if (Object.isFrozen(record)) kept.set(record, { grounds, made });
    return made;
  };
};

/** What is shown of a record with how deep its last transaction is. Both stay the same object for as long as they are. */
export const withConfirmations = lastMade(
  (shown: Readonly<Record<string, unknown>>, confirmations: number) => ({ ...shown, confirmations }),
) as <Shown extends object>(
  shown: Shown,
  confirmations: number,
) => Readonly<Shown & { readonly confirmations: number }>;
