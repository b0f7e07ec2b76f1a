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
import { VIEW_HEADER } from './view-blocks.js';

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
  /** True where keys for scripts are taken and nothing else. */
  readonly requireKeys?: boolean;
};

type Trust = Required<Omit<DescribeSettings, 'version'>>;

const bearer = { bearer: [] };
const key = { key: [] };
const userAddress = { userAddress: [] };

const securityOf = (
  { auth, callerField, forKeys }: AnyOperation,
  { trustAddressHeader, requireKeys }: Trust,
): readonly JsonSchema[] => {
  // Where keys are required and none is taken for it, it cannot be asked for: that is said as if one were.
  if (requireKeys) return forKeys === 'open' ? [] : [key];
  if (auth === 'none') return [];
  const keys = forKeys === 'never' ? [] : [key];
  if (auth === 'bearer') return [bearer, ...keys];
  const named = trustAddressHeader ? [userAddress, bearer, ...keys] : [bearer, ...keys];
  // Where the header is taken on its word, so is a field of the body that names the caller.
  const isOpen = auth === 'optional' || (callerField !== undefined && trustAddressHeader);
  return isOpen ? [{}, ...named] : named;
};

const securitySchemes = ({ trustAddressHeader }: Trust): JsonSchema => ({
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of POST /api/auth/token, which proves an address by a signed challenge',
  },
  key: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'tk_ and 22 letters and digits',
    description:
      'A key for scripts, of POST /api/keys or `treasury keys create`. It acts for the address that made it, and may do what it allows',
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

const lastEventId = { $ref: '#/components/parameters/LastEventId' };
const idempotencyKey = { $ref: '#/components/parameters/IdempotencyKey' };
const view = { $ref: '#/components/parameters/View' };

const parametersOf = (http: HttpRoute, input: JsonSchema): readonly JsonSchema[] => {
  const fields = fieldsOf(input);
  const { parameters: inPath } = defineRoute(http.method, http.path, null);
  const query =
    http.method === 'POST' ? [] : Object.entries(fields).filter(([name]) => !inPath.includes(name));
  return [
    ...inPath.map((name) => parameter('path', name, fields[name] ?? { type: 'string' }, true)),
    ...query.map(([name, schema]) => parameter('query', name, schema, requires(input, name))),
    ...(http.creates === true ? [idempotencyKey] : []),
    http.stream === undefined ? view : lastEventId,
  ];
};

const requestBodyOf = (http: HttpRoute, input: JsonSchema): JsonSchema => {
  if (http.method !== 'POST') return {};
  const schema = withoutFields(input, defineRoute(http.method, http.path, null).parameters);
  if (Object.keys(fieldsOf(schema)).length === 0) return {};
  const required = schema['properties'] === undefined || schema['required'] !== undefined;
  return { requestBody: { required, content: { 'application/json': { schema } } } };
};

const STREAMED =
  'Server-Sent Events without end: `id` is the cursor, `event` the type, `data` the event in JSON. A message `closed` with the body of an error in `data` says why the service ends it; comments only keep it open';

const answerHeaders = {
  'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
  'X-Treasury-Version': { $ref: '#/components/headers/X-Treasury-Version' },
};

const tagOf = ({ id }: AnyOperation): string => id.split('.', 1)[0] ?? id;

const describeOperation = (
  operation: AnyOperation,
  http: HttpRoute,
  trust: Trust,
  components: Components,
): JsonSchema => {
  const input = inputWireSchema(operation, components);
  const parameters = parametersOf(http, input);
  const success = {
    description: http.stream === undefined ? 'Success' : STREAMED,
    headers: answerHeaders,
    content:
      http.stream === undefined
        ? { 'application/json': { schema: answerWireSchema(operation, components) } }
        : { 'text/event-stream': { schema: { type: 'string' } } },
  };
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    tags: [tagOf(operation)],
    security: securityOf(operation, trust),
    parameters,
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
    View: {
      name: VIEW_HEADER,
      in: 'header',
      required: false,
      description:
        'Asks for `view` beside the data, where there is one: blocks with the words that the command line has for this answer. Its words are for people and change with the version',
      schema: { type: 'string', enum: ['blocks'] },
    },
    LastEventId: {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      description:
        'The id of the last message that was received: what came after it is sent first. It goes before the cursor of the query',
      schema: { type: 'string', pattern: '^\\d{1,15}$' },
    },
  },
};

type Paths = Record<string, Record<string, JsonSchema>>;

/** The paths with a reference in the place of every error answer, and those answers: many operations share one. */
const shareErrors = (paths: Paths): { readonly paths: Paths; readonly responses: Components } => {
  const names = new Map<string, string>();
  const responses: Components = {};
  const nameOf = (status: string, response: JsonSchema): string => {
    const text = JSON.stringify([status, response]);
    const name = names.get(text) ?? `Error${status}-${names.size + 1}`;
    names.set(text, name);
    responses[name] = response;
    return name;
  };
  const share = (operation: JsonSchema): JsonSchema => {
    const answers = Object.entries(operation['responses'] as Record<string, JsonSchema>);
    const shared = answers.map(([status, response]) =>
      Number(status) < 400
        ? [status, response]
        : [status, { $ref: `#/components/responses/${nameOf(status, response)}` }],
    );
    return { ...operation, responses: Object.fromEntries(shared) as JsonSchema };
  };
  const all = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, share(one)])),
  ]);
  return { paths: Object.fromEntries(all) as Paths, responses };
};

/** The document of the operations that have a route. */
export const describeApi = (
  operations: readonly AnyOperation[],
  { version, trustAddressHeader = true, requireKeys = false }: DescribeSettings,
): ApiDocument => {
  const trust = { trustAddressHeader, requireKeys };
  const schemas: Components = { Error: errorSchema };
  const paths: Paths = { [OPENAPI_PATH]: { get: documentRoute } };
  const tags = new Set(['api']);
  for (const operation of operations) {
    if (operation.http === undefined) continue;
    tags.add(tagOf(operation));
    const path = (paths[openApiPath(operation.http.path)] ??= {});
    path[operation.http.method.toLowerCase()] = describeOperation(operation, operation.http, trust, schemas);
  }
  const shared = shareErrors(paths);
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
    paths: shared.paths,
    components: {
      schemas,
      responses: shared.responses,
      ...commonComponents,
      securitySchemes: securitySchemes(trust),
    },
  };
};
