import test from 'ava';
import fc from 'fast-check';
import { z } from 'zod';
import { Units } from '../../src/bch/fields.js';
import { openApp } from '../../src/app.js';
import { encodeReply, replyText } from '../../src/operation/encode-reply.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

fc.configureGlobal({ seed: 20_260_601 });

type Schema = z.core.$ZodType;

/** What an encoding came to: JSON, and what it holds beside that (fields that are undefined, an order). */
const outcomeOf = (encode: () => unknown): unknown => {
  try {
    const value = encode();
    return { value, text: JSON.stringify(value) };
  } catch (error) {
    return error instanceof z.ZodError ? { issues: error.issues } : { message: String(error) };
  }
};

const isSame = (
  t: { readonly deepEqual: (a: unknown, b: unknown) => boolean },
  schema: z.ZodType,
  reply: unknown,
) =>
  t.deepEqual(
    outcomeOf(() => encodeReply(schema, reply)),
    outcomeOf(() => z.encode(schema, reply)),
  );

const anything = fc.oneof(
  fc.string(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined, 1n, [], {}),
);

/** What a schema takes; where it is `odd`, now and then something else in the place of a part. */
const like = (schema: Schema, isOdd: boolean): fc.Arbitrary<unknown> =>
  isOdd
    ? fc.oneof({ arbitrary: made(schema, isOdd), weight: 300 }, { arbitrary: anything, weight: 1 })
    : made(schema, isOdd);

const made = (schema: Schema, isOdd: boolean): fc.Arbitrary<unknown> => {
  const near = (part: Schema) => like(part, isOdd);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string': {
      const checks = (def.checks ?? []) as readonly {
        readonly _zod: { readonly def: { readonly pattern?: RegExp } };
      }[];
      const pattern = checks[0]?._zod.def.pattern;
      return pattern === undefined ? fc.string() : fc.stringMatching(pattern);
    }
    case 'number':
      return 'format' in def
        ? fc.nat()
        : fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'boolean':
      return fc.boolean();
    case 'literal':
    case 'enum':
      return fc.constantFrom(...(schema._zod.values ?? []));
    case 'null':
      return fc.constant(null);
    case 'nullable':
      return fc.option(near(def.innerType), { nil: null });
    case 'optional':
      return fc.option(near(def.innerType), { nil: undefined });
    case 'readonly':
      return near(def.innerType);
    case 'array':
      return fc.array(near(def.element), { maxLength: 3 });
    case 'union':
      return fc.oneof(...def.options.map(near));
    case 'record':
      return fc.dictionary(fc.string(), near(def.valueType), { maxKeys: 3, noNullPrototype: true });
    case 'object': {
      const fields = Object.entries(def.shape);
      const isLeftOut = ([, field]: (typeof fields)[number]) => field._zod.optin === 'optional';
      const shape = Object.fromEntries(fields.map(([name, field]) => [name, near(field)]));
      const requiredKeys = fields.filter((field) => !isLeftOut(field)).map(([name]) => name);
      return fc
        .tuple(
          fc.record(shape, { requiredKeys: requiredKeys as never[], noNullPrototype: true }),
          fc.option(fc.dictionary(fc.string(), anything, { maxKeys: 1, noNullPrototype: true }), {
            freq: 20,
          }),
          isOdd ? fc.option(fc.constantFrom('', ...Object.keys(shape))) : fc.constant(null),
        )
        .map(([value, more, left]) =>
          Object.fromEntries(Object.entries({ ...more, ...value }).filter(([name]) => name !== left)),
        );
    }
    case 'unknown':
      return fc.jsonValue();
    default:
      return anything;
  }
};

test('a reply › of any operation, as its schema says and not › it is encoded as by the schema itself', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  const app = await openApp({ home, network: 'local' });
  t.teardown(async () => {
    await app.close();
    rmSync(home, { recursive: true });
  });
  t.true(app.operations.length > 50);
  for (const { id, output } of app.operations) {
    let sounds = 0;
    const sound = fc.property(like(output, false), (reply) => {
      if (!z.safeEncode(output, reply).success) return;
      sounds += 1;
      const before = structuredClone(reply);
      isSame(t, output, reply);
      t.deepEqual(reply, before);
      const body = { success: true, ...(encodeReply(output, reply as never) as object) };
      t.is(replyText(body), JSON.stringify(body));
      t.is(replyText(body), JSON.stringify(body), 'and once more');
    });
    fc.assert(sound, { numRuns: 20 });
    t.true(sounds > 0, id);
    const odd = fc.property(like(output, true), (reply) => {
      isSame(t, output, reply);
    });
    fc.assert(odd, { numRuns: 20 });
  }
});

const odd: readonly (readonly [what: string, schema: z.ZodType, ...replies: unknown[]])[] = [
  [
    'a codec',
    z.object({ amount: Units, none: Units.nullable() }),
    { amount: 5n, none: null },
    { amount: 5, none: 1n },
  ],
  ['a text with a rule', z.object({ name: z.string().max(2) }), { name: 'ab' }, { name: 'abc' }],
  ['a text of a form', z.object({ id: z.uuid() }), { id: 'no' }],
  ['a whole number', z.object({ count: z.int() }), { count: 1 }, { count: 1.5 }],
  ['a default', z.object({ note: z.string().default('none') }), {}, { note: 'a' }, { note: undefined }],
  [
    'a default that may be left out',
    z.object({ note: z.string().default('none').optional() }),
    {},
    { note: undefined },
  ],
  [
    'a field that is left out or there',
    z.object({ note: z.string().exactOptional() }),
    {},
    { note: 'a' },
    { note: undefined },
  ],
  ['an object with rules', z.object({ a: z.number() }).refine(({ a }) => a > 1), { a: 2 }, { a: 1 }],
  ['an object that keeps all', z.looseObject({ a: z.number() }), { a: 1, b: 2 }],
  ['an object that takes no more', z.strictObject({ a: z.number() }), { a: 1 }, { a: 1, b: 2 }],
  [
    'the first of several ways, and the next',
    z.union([z.object({ a: z.number(), b: z.unknown().optional() }), z.object({ a: z.unknown() })]),
    { a: 1, b: undefined },
    { a: 'x', b: 3 },
    {},
  ],
  [
    'ways told apart',
    z.discriminatedUnion('k', [z.object({ k: z.literal(1) }), z.object({ k: z.literal(2) })]),
    { k: 2, l: 1 },
    { k: 3 },
  ],
  ['what is inherited', z.object({ a: z.number() }), Object.create({ a: 1 }) as object],
  ['numbers that are none', z.array(z.number()), [NaN], [Infinity], [1]],
  [
    'one that holds itself',
    z.object({
      a: z.number(),
      get more() {
        return z.array(z.object({ b: z.string() }));
      },
    }),
    { a: 1, more: [{ b: '', c: 1 }] },
  ],
];
for (const [what, schema, ...replies] of odd) {
  test(`a reply › with ${what} › it is encoded as by the schema itself`, (t) => {
    for (const reply of replies) isSame(t, schema, reply);
  });
}

test('a reply › with a part that cannot change › it is encoded once, and nobody can change what is shared', (t) => {
  const schema = z.object({ rows: z.array(z.object({ name: z.string(), tags: z.array(z.string()) })) });
  const row = Object.freeze({ name: 'a', tags: Object.freeze(['b']) as string[], more: 1 });
  const [first, second] = [encodeReply(schema, { rows: [row] }), encodeReply(schema, { rows: [row, row] })];
  t.deepEqual(first, { rows: [{ name: 'a', tags: ['b'] }] });
  t.is(first.rows[0], second.rows[1]);
  t.true(Object.isFrozen(first.rows[0]));
  t.true(Object.isFrozen(first.rows[0]?.tags));
  t.false(Object.isFrozen(first.rows));
});

test('a reply › with a frozen part that holds what can change › it is encoded anew each time', (t) => {
  const schema = z.object({ row: z.object({ tags: z.array(z.string()) }) });
  const row = Object.freeze({ tags: ['a'] });
  t.deepEqual(encodeReply(schema, { row }), { row: { tags: ['a'] } });
  row.tags.push('b');
  t.deepEqual(encodeReply(schema, { row }), { row: { tags: ['a', 'b'] } });
});

test('the text of a reply › with what is no JSON, and what writes itself › it is as JSON.stringify has it', (t) => {
  const replies = [
    {},
    {
      a: undefined,
      b: [undefined, () => 1, Symbol('x'), NaN],
      c: () => 1,
      d: new Date(0),
      é: '\u2028"\\',
      e: [[], [[1]]],
    },
    {
      a: Object.freeze({ toJSON: () => 5 }),
      b: Object.assign([1], { toJSON: () => 6 }),
      c: null,
      d: [{ e: undefined }],
    },
  ];
  for (const reply of replies) t.is(replyText(reply), JSON.stringify(reply));
});

test('the text of a reply › with a part that cannot change › it is the same text as of any other', (t) => {
  const schema = z.object({ rows: z.array(z.object({ name: z.string(), note: z.string().optional() })) });
  const row = Object.freeze({ name: 'é', note: undefined });
  const replies = [1, 2, 3].map((count) =>
    encodeReply(schema, { rows: Array.from({ length: count }, () => row) }),
  );
  for (const reply of replies) t.is(replyText(reply), JSON.stringify(reply));
});
