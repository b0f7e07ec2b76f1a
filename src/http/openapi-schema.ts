/** JSON Schemas of the wire and of its errors, and the places where they stand in an OpenAPI document. */
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../errors.js';
import { errorsOf, OF_KEYS, type AnyOperation } from '../operation/define.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** `components.schemas` of the document; schemas that are named or recursive are moved here. */
export type Components = Record<string, JsonSchema>;

type SchemaRoot = JsonSchema & { readonly $defs?: Readonly<Record<string, JsonSchema>> };

const localReference = /"\$ref":"#(?:\/\$defs\/([^"]+))?"/g;

/**
 * The schema of what stands in JSON. Both directions read the input side: a codec's input is its wire form, and its
 * output side (a bigint) has no JSON Schema.
 *
 * Local definitions move to `components` (a reference is resolved against the whole document): those with an id of
 * their own under it, the others under `prefix`.
 */
export const wireSchema = (schema: z.ZodType, prefix: string, components: Components): JsonSchema => {
  const {
    $schema: _dialect,
    $defs: definitions = {},
    ...root
  } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaRoot;
  const nameOf = (name: string): string => (name.startsWith('__') ? `${prefix}${name}` : name);
  const relocate = (part: JsonSchema): JsonSchema => {
    const text = JSON.stringify(part).replace(
      localReference,
      (_match, name?: string) =>
        `"$ref":"#/components/schemas/${name === undefined ? prefix : nameOf(name)}"`,
    );
    return JSON.parse(text) as JsonSchema;
  };
  for (const [name, definition] of Object.entries(definitions)) {
    components[nameOf(name)] = relocate(definition);
  }
  const relocated = relocate(root);
  if (JSON.stringify([root, definitions]).includes('"$ref":"#"')) components[prefix] = relocated;
  return relocated;
};

const variantsOf = (schema: JsonSchema): [word: string, variants: JsonSchema[]][] =>
  ['oneOf', 'anyOf', 'allOf'].flatMap((word) => {
    const variants = schema[word];
    return Array.isArray(variants) ? [[word, variants as JsonSchema[]]] : [];
  });

/** The fields of an object schema, or those of all variants of a union. */
export const fieldsOf = (schema: JsonSchema): Record<string, JsonSchema> => {
  const fields: Record<string, JsonSchema> = {};
  for (const [, variants] of variantsOf(schema)) Object.assign(fields, ...variants.map(fieldsOf));
  return Object.assign(fields, schema['properties']);
};

/** True when an object schema asks for the field. */
export const requires = (schema: JsonSchema, field: string): boolean =>
  ((schema['required'] ?? []) as string[]).includes(field);

const mapVariants = (schema: JsonSchema, change: (variant: JsonSchema) => JsonSchema): JsonSchema => {
  const changed: Record<string, JsonSchema[]> = {};
  for (const [word, variants] of variantsOf(schema)) changed[word] = variants.map(change);
  return { ...schema, ...changed };
};

/** The schema without some fields: what the path gives is not asked for in the body again. */
export const withoutFields = (schema: JsonSchema, names: readonly string[]): JsonSchema => {
  const rest = mapVariants(schema, (variant) => withoutFields(variant, names));
  if (schema['properties'] === undefined) return rest;
  const properties = Object.entries(schema['properties'] as JsonSchema).filter(
    ([name]) => !names.includes(name),
  );
  const required = ((schema['required'] ?? []) as string[]).filter((name) => !names.includes(name));
  const { required: _required, ...others } = rest;
  return {
    ...others,
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
};

/** The input schema of an operation, its aliases named in the descriptions. */
export const inputWireSchema = (operation: AnyOperation, components: Components): JsonSchema => {
  const schema = wireSchema(operation.input, `${operation.id}.input`, components);
  const aliases = Object.entries(operation.aliases ?? {});
  const describe = (part: JsonSchema): JsonSchema => {
    const varied = mapVariants(part, describe);
    if (part['properties'] === undefined) return varied;
    const properties = Object.entries(part['properties'] as Record<string, JsonSchema>).map(
      ([name, field]) => {
        const names = aliases.filter(([, canonical]) => canonical === name).map(([alias]) => `\`${alias}\``);
        if (names.length === 0) return [name, field] as const;
        const said = typeof field['description'] === 'string' ? `${field['description']}. ` : '';
        return [name, { ...field, description: `${said}Also accepted as ${names.join(', ')}` }] as const;
      },
    );
    return { ...varied, properties: Object.fromEntries(properties) };
  };
  return describe(schema);
};

const envelope = {
  success: { const: true },
  warnings: {
    type: 'array',
    items: { type: 'string' },
    description: 'One line for each field of the request that is not known and was ignored',
  },
} as const;

/** The schema of a successful answer: the reply, `success` (unless the reply has its own) and `warnings`. */
export const answerWireSchema = (operation: AnyOperation, components: Components): JsonSchema => {
  const schema = wireSchema(operation.output, `${operation.id}.output`, components);
  const { success, warnings } = envelope;
  if (Object.hasOwn(fieldsOf(schema), 'success')) {
    return schema['properties'] === undefined
      ? { allOf: [schema, { type: 'object', properties: { warnings } }] }
      : { ...schema, properties: { ...schema['properties'], warnings } };
  }
  const required = ['success', ...((schema['required'] ?? []) as string[])];
  if (schema['properties'] === undefined) {
    return { allOf: [schema, { type: 'object', properties: { success, warnings }, required: ['success'] }] };
  }
  return { ...schema, properties: { success, ...schema['properties'], warnings }, required };
};

/** What every request can meet before and after its operation. */
const everywhere: readonly ErrorCode[] = [
  'host_not_allowed',
  'invalid_request',
  'too_many_requests',
  'shutting_down',
  'internal_error',
];
const withBody: readonly ErrorCode[] = [
  'invalid_json',
  'request_too_large',
  'unsupported_media_type',
  'origin_not_allowed',
];
const withKey: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_mismatch'];

/** Every code that a request to an operation can be answered with, its own first. */
export const errorCodesOf = (operation: AnyOperation): readonly ErrorCode[] => [
  ...errorsOf(operation),
  ...(operation.http === undefined || operation.http.method === 'GET' ? [] : withBody),
  ...(operation.http?.creates === true ? withKey : []),
  ...everywhere,
];

const inWords = (code: ErrorCode): string => `\`${code}\`: ${ERRORS[code].message}`;

/** What most requests can meet: said once, with the schema of errors, or the document would be mostly this. */
const saidOnce: ReadonlySet<ErrorCode> = new Set([...everywhere, ...withBody, ...withKey, ...OF_KEYS]);

/** The schema of every error body. Source: docs/design/api.md, Errors. */
export const errorSchema: JsonSchema = {
  type: 'object',
  description: [
    'What went wrong. The code never changes its meaning; the sentence may be improved. What most requests can meet:',
    ...[...saidOnce].map(inWords),
  ].join('\n\n'),
  properties: {
    success: { const: false },
    code: { type: 'string', examples: ['invalid_input'] },
    error: { type: 'string', description: 'A sentence for people' },
    retryable: {
      type: 'boolean',
      description: 'True when the same request may succeed later without being changed',
    },
    issues: {
      type: 'array',
      description: 'The problems of an invalid request, field by field',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Dotted, list positions from 0: entries.3.totalAmount' },
          message: { type: 'string' },
        },
        required: ['path', 'message'],
      },
    },
  },
  required: ['success', 'code', 'error', 'retryable'],
};

const errorResponse = (codes: readonly ErrorCode[]): JsonSchema => ({
  description: codes.map((code) => (saidOnce.has(code) ? `\`${code}\`` : inWords(code))).join('\n\n'),
  headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
  content: {
    'application/json': {
      schema: {
        allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }],
      },
    },
  },
});

/** The error answers of an operation by status. */
export const errorResponses = (codes: readonly ErrorCode[]): Record<string, JsonSchema> => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([status, group]) => [String(status), errorResponse(group)]));
};
