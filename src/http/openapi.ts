/** The OpenAPI 3.1 document, derived from the operations. */
import type { AnyOperation, HttpRoute } from '../operation/define.js';
import { ANONYMOUS_BODY_LIMIT, BODY_LIMIT } from './read-request.js';
import {
  errorCodesOf,
  errorResponses,
  errorSchema,
  answerWireSchema,
  fieldsOf,
  inputWireSchema,
  requires,
  withoutFields,
  type Components,
  type JsonSchema,
} from './openapi-schema.js';
import { defineRoute } from './routes.js';

/** Where the document is served. */
export const OPENAPI_PATH = '/api/openapi.json';

export type ApiDocument = JsonSchema & {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
};

export type DescribeSettings = {
  readonly version: string;
  /** True where `x-user-address` is taken without a token. */
  readonly trustAddressHeader?: boolean;
};

const bearer = { bearer: [] };
const userAddress = { userAddress: [] };

const securityOf = (
  { auth, callerField }: AnyOperation,
  trustAddressHeader: boolean,
): readonly JsonSchema[] => {
  if (auth === 'none') return [];
  if (auth === 'bearer') return [bearer];
  const named = trustAddressHeader ? [userAddress, bearer] : [bearer];
  // Where the header is taken on its word, so is a field of the body that names the caller.
  const isOpen = auth === 'optional' || (callerField !== undefined && trustAddressHeader);
  return isOpen ? [{}, ...named] : named;
};

const securitySchemes = (trustAddressHeader: boolean): JsonSchema => ({
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of POST /api/auth/token, which proves an address by a signed challenge',
  },
  userAddress: {
    type: 'apiKey',
    in: 'header',
    name: 'x-user-address',
    description: trustAddressHeader
      ? 'The cash address of the caller. When a token is sent too they must agree'
      : 'The cash address of the caller; it must be sent with a token of that address',
  },
});

const openApiPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const parameter = (place: 'path' | 'query', name: string, schema: JsonSchema, required: boolean) => {
  const { description, ...rest } = schema;
  return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: rest };
};

const idempotencyKey = { $ref: '#/components/parameters/IdempotencyKey' };

const parametersOf = (http: HttpRoute, input: JsonSchema): readonly JsonSchema[] => {
  const fields = fieldsOf(input);
  const { parameters: inPath } = defineRoute(http.method, http.path, null);
  const query =
    http.method === 'POST' ? [] : Object.entries(fields).filter(([name]) => !inPath.includes(name));
  return [
    ...inPath.map((name) => parameter('path', name, fields[name] ?? { type: 'string' }, true)),
    ...query.map(([name, schema]) => parameter('query', name, schema, requires(input, name))),
    ...(http.creates === true ? [idempotencyKey] : []),
  ];
};

const requestBodyOf = (http: HttpRoute, input: JsonSchema): JsonSchema => {
  if (http.method !== 'POST') return {};
  const schema = withoutFields(input, defineRoute(http.method, http.path, null).parameters);
  if (Object.keys(fieldsOf(schema)).length === 0) return {};
  const required = schema['properties'] === undefined || schema['required'] !== undefined;
  return { requestBody: { required, content: { 'application/json': { schema } } } };
};

const answerHeaders = {
  'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
  'X-Treasury-Version': { $ref: '#/components/headers/X-Treasury-Version' },
};

const tagOf = ({ id }: AnyOperation): string => id.split('.', 1)[0] ?? id;

const describeOperation = (
  operation: AnyOperation,
  http: HttpRoute,
  trustAddressHeader: boolean,
  components: Components,
): JsonSchema => {
  const input = inputWireSchema(operation, components);
  const parameters = parametersOf(http, input);
  const success = {
    description: 'Success',
    headers: answerHeaders,
    content: { 'application/json': { schema: answerWireSchema(operation, components) } },
  };
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    tags: [tagOf(operation)],
    security: securityOf(operation, trustAddressHeader),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(http, input),
    responses: { [String(http.status ?? 200)]: success, ...errorResponses(errorCodesOf(operation)) },
  };
};

const documentRoute: JsonSchema = {
  operationId: 'openapi',
  summary: 'This document',
  tags: ['api'],
  security: [],
  responses: {
    '200': {
      description: 'An OpenAPI 3.1 document',
      content: { 'application/json': { schema: { type: 'object' } } },
    },
  },
};

const commonComponents = {
  headers: {
    'X-Request-Id': {
      description: 'The id of this request in the log: the one that was sent, or a new one',
      schema: { type: 'string' },
    },
    'X-Treasury-Version': { description: 'The version of the program', schema: { type: 'string' } },
  },
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Makes a repetition safe for 24 hours: the same key with the same request gets the same answer',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  },
};

/** The document of the operations that have a route. */
export const describeApi = (
  operations: readonly AnyOperation[],
  { version, trustAddressHeader = true }: DescribeSettings,
): ApiDocument => {
  const schemas: Components = { Error: errorSchema };
  const paths: Record<string, Record<string, JsonSchema>> = { [OPENAPI_PATH]: { get: documentRoute } };
  const tags = new Set(['api']);
  for (const operation of operations) {
    if (operation.http === undefined) continue;
    tags.add(tagOf(operation));
    const path = (paths[openApiPath(operation.http.path)] ??= {});
    path[operation.http.method.toLowerCase()] = describeOperation(
      operation,
      operation.http,
      trustAddressHeader,
      schemas,
    );
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'treasury',
      version,
      summary: 'Covenant transactions for Bitcoin Cash treasuries',
      description: `Bodies are JSON objects of at most ${BODY_LIMIT} bytes, and of ${ANONYMOUS_BODY_LIMIT} where nobody is asked who they are and nothing else is said. A request with a body takes its fields from that and its path alone; of one field the path wins.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The daemon that serves this document' }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { schemas, ...commonComponents, securitySchemes: securitySchemes(trustAddressHeader) },
  };
};
