/** Replies told once: each field with its schema, and beside it what fills it. */
import { z } from 'zod';

type Told<Source, Fields extends z.ZodRawShape> = {
  readonly [Name in keyof Fields]: readonly [
    schema: Fields[Name],
    from: (source: Source) => z.output<Fields[Name]>,
  ];
};

/** A reply: its schema, and how it is made of a source. */
export type ToldReply<Source, Fields extends z.ZodRawShape> = {
  readonly reply: z.ZodObject<Fields>;
  readonly show: (source: Source) => z.output<z.ZodObject<Fields>>;
};

/** Declares a reply made of a `Source`. A field that comes out undefined is left out. */
export const defineReply =
  <Source>() =>
  <Fields extends z.ZodRawShape>(told: Told<Source, Fields>): ToldReply<Source, Fields> => {
    const fields = Object.entries<Told<Source, z.ZodRawShape>[string]>(told as never);
    const shape = Object.fromEntries(fields.map(([name, [schema]]) => [name, schema]));
    const show = (source: Source): unknown =>
      Object.fromEntries(
        fields.map(([name, [, from]]) => [name, from(source)]).filter(([, value]) => value !== undefined),
      );
    return { reply: z.object(shape), show } as unknown as ToldReply<Source, Fields>;
  };
