/** Records as answers show them: the schema of a reply and what fills it, both derived from the record's own schema. */
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
  const show = (
    from: Readonly<{ [name: string]: unknown }> & { readonly decimals: number },
    values: object,
  ) =>
    Object.fromEntries(
      fields.flatMap(([name, schema]): [string, unknown][] => {
        const source = (Object.hasOwn(computed, name) ? values : from) as typeof from;
        if (!Object.hasOwn(source, name)) return [];
        const value = source[name] as bigint | null;
        if (!isAmount(schema)) return [[name, value]];
        return [
          [name, value === null ? null : displayNumber(value, from.decimals)],
          [`${name}OnChain`, value === null ? null : value.toString()],
        ];
      }),
    );
  return { reply, show } as unknown as Shown<Stored, Hidden, Computed>;
};
