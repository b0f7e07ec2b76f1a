import { Validator } from '@seriousme/openapi-schema-validator';
import test from 'ava';
import { z } from 'zod';
import { Units } from '../../src/bch/fields.js';
import { ERRORS } from '../../src/errors.js';
import { describeApi, type ApiDocument } from '../../src/http/openapi.js';
import { defineOperation, errorsOf } from '../../src/operation/define.js';
import { fakeApp } from './fake-app.js';
import { startFakeDaemon } from './fake-daemon.js';

const Named = z.object({ units: Units }).meta({ id: 'NamedThing' });

type Tree = { readonly name: string; readonly children: readonly Tree[] };
const Tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});

/** What is hard to describe: a union, a named schema, a recursive one. */
const hard = defineOperation({
  id: 'plans.create',
  summary: 'Everything that is hard to describe',
  http: { method: 'POST', path: '/api/plans/:id', creates: true },
  auth: 'bearer',
  input: z.discriminatedUnion('kind', [
    z.object({ id: z.string(), kind: z.literal('named'), named: Named }),
    z.object({ id: z.string(), kind: z.literal('tree'), tree: Tree }),
  ]),
  output: Tree,
  errors: ['pool_exhausted'],
  aliases: { treeOfThings: 'tree' },
  run: () => Promise.resolve({ name: '', children: [] }),
});

const operations = [...fakeApp().app.operations, hard];
const document = describeApi(operations, { version: '9.9.9' });

// eslint-disable-next-line @typescript-eslint/no-explicit-any
const at = (...path: (string | number)[]): any =>
  // eslint-disable-next-line @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-member-access
  path.reduce<any>((value, key) => value?.[key], document);

const references = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === '$ref' && typeof child === 'string' ? [child] : references(child),
  );
};

test('the document › given every kind of schema › a validator accepts it', async (t) => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  t.true(valid, JSON.stringify(errors));
  t.is(document.openapi, '3.1.0');
});

test('the document › given every operation with a route › it has each path and method', (t) => {
  for (const { id, http } of operations) {
    if (http === undefined) continue;
    const path = http.path.replaceAll(/:(\w+)/g, '{$1}');
    t.is(document.paths[path]?.[http.method.toLowerCase()]?.['operationId'], id);
  }
});

test('the document › given references › each one leads somewhere', (t) => {
  const found = [...new Set(references(document))];
  t.true(found.includes('#/components/schemas/NamedThing'));
  for (const reference of found) t.truthy(at(...reference.slice(2).split('/')), reference);
});

/** What every route that answers in JSON takes. */
const VIEW = { $ref: '#/components/parameters/View' };

test('the document › given a GET › path and query are parameters with the types of their fields', (t) => {
  t.deepEqual(at('paths', '/api/things/{id}', 'get', 'parameters'), [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    {
      name: 'recipientAddress',
      in: 'query',
      required: false,
      description: 'Also accepted as `recipient`',
      schema: { type: 'string' },
    },
    {
      name: 'count',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    },
    { name: 'deep', in: 'query', required: false, schema: { type: 'boolean' } },
    { name: 'title', in: 'query', required: false, schema: { type: 'string' } },
    VIEW,
  ]);
});

test('the document › given a POST › what the path gives is not in the body', (t) => {
  const schema = at(
    'paths',
    '/api/things/{id}/pay',
    'post',
    'requestBody',
    'content',
    'application/json',
    'schema',
  ) as {
    properties: object;
    required: string[];
  };
  t.deepEqual(Object.keys(schema.properties), ['to', 'tokenType']);
  t.deepEqual(schema.required, ['to', 'tokenType']);
});

test('the document › given a union in a body › the path parameter is in none of its variants', (t) => {
  const variants = at(
    ...['paths', '/api/plans/{id}', 'post', 'requestBody', 'content', 'application/json', 'schema', 'oneOf'],
  ) as { properties: object }[];
  t.deepEqual(
    variants.map(({ properties }) => Object.keys(properties)),
    [
      ['kind', 'named'],
      ['kind', 'tree'],
    ],
  );
});

test('the document › given a codec › its wire form is described in both directions', (t) => {
  const thing = at(
    'paths',
    '/api/things',
    'post',
    'responses',
    '201',
    'content',
    'application/json',
    'schema',
  ) as {
    properties: { thing: { properties: { units: unknown } } };
  };
  t.like(thing.properties.thing.properties.units, { type: 'string' });
  t.like(at('components', 'schemas', 'NamedThing', 'properties', 'units'), { type: 'string' });
});

test('the document › given a reply without success › the answer has it', (t) => {
  const schema = at(
    ...['paths', '/api/things/newest', 'get', 'responses', '200', 'content', 'application/json', 'schema'],
  ) as object;
  t.like(schema, {
    properties: { success: { const: true }, newest: { type: 'boolean' } },
    required: ['success', 'newest'],
  });
});

test('the document › given an operation that creates › it takes an Idempotency-Key', (t) => {
  t.deepEqual(at('paths', '/api/things', 'post', 'parameters'), [
    { $ref: '#/components/parameters/IdempotencyKey' },
    VIEW,
  ]);
});

test('the document › given how each operation asks who is asking › its security says so', (t) => {
  const security = (path: string, method: string): unknown => at('paths', path, method, 'security');
  t.deepEqual(security('/api/wait', 'get'), []);
  t.deepEqual(security('/api/things/{id}', 'get'), [{}, { userAddress: [] }, { bearer: [] }, { key: [] }]);
  t.deepEqual(security('/api/things', 'post'), [{ userAddress: [] }, { bearer: [] }, { key: [] }]);
  t.deepEqual(security('/api/things/{id}', 'delete'), [{ bearer: [] }, { key: [] }]);
});

test('the document › given a daemon that does not trust the header › only a token is offered, or a key', (t) => {
  const { paths } = describeApi(operations, { version: '1', trustAddressHeader: false });
  t.deepEqual(paths['/api/things']?.['post']?.['security'], [{ bearer: [] }, { key: [] }]);
});

type ErrorResponse = {
  readonly content: {
    readonly 'application/json': {
      readonly schema: { readonly allOf: readonly { readonly properties?: { code: { enum: string[] } } }[] };
    };
  };
};

const codesAt = (path: string, method: string): Record<string, string[] | undefined> => {
  const responses = at('paths', path, method, 'responses') as Record<string, { $ref: string }>;
  const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return Object.fromEntries(
    errors.map(([status, { $ref }]) => {
      const { content } = at(...$ref.split('/').slice(1)) as ErrorResponse;
      return [status, content['application/json'].schema.allOf[1]?.properties?.code.enum];
    }),
  );
};

test('the document › given an open GET › its errors are its own and those of every request', (t) => {
  t.deepEqual(codesAt('/api/wait', 'get'), {
    400: ['invalid_input', 'invalid_request'],
    401: ['invalid_key', 'key_expired', 'key_revoked', 'key_required'],
    403: ['key_not_allowed', 'host_not_allowed'],
    429: ['too_many_requests'],
    500: ['store_damaged', 'store_too_new', 'commit_unknown', 'internal_error'],
    503: [
      'store_locked',
      'store_unreachable',
      'database_refused',
      'store_not_migrated',
      'other_chain',
      'storage_read_only',
      'too_many_files',
      'shutting_down',
    ],
    507: ['storage_full'],
  });
});

test('the document › given a creation by a caller › the errors of body, caller and key are there too', (t) => {
  const codes = Object.values(codesAt('/api/things', 'post')).flat();
  for (const code of ['wrong_state', 'invalid_json', 'unauthenticated', 'idempotency_mismatch']) {
    t.true(codes.includes(code), code);
  }
});

test('the document › given every operation › each code that it can throw is there', (t) => {
  for (const operation of operations) {
    if (operation.http === undefined) continue;
    const { method, path } = operation.http;
    const codes = Object.values(codesAt(path.replaceAll(/:(\w+)/g, '{$1}'), method.toLowerCase())).flat();
    for (const code of errorsOf(operation)) t.true(codes.includes(code), `${operation.id}: ${code}`);
  }
});

test('the document › given error answers › each code stands under its own status', (t) => {
  for (const { http } of operations) {
    if (http === undefined) continue;
    const path = http.path.replaceAll(/:(\w+)/g, '{$1}');
    for (const [status, codes = []] of Object.entries(codesAt(path, http.method.toLowerCase()))) {
      for (const code of codes) t.is(String(ERRORS[code as keyof typeof ERRORS].status), status);
    }
  }
});

test('GET /api/openapi.json › it is the document of the daemon', async (t) => {
  const { ask } = await startFakeDaemon(t, {}, [hard]);
  const { status, body } = await ask('/api/openapi.json');
  t.is(status, 200);
  t.deepEqual(body as ApiDocument, JSON.parse(JSON.stringify(document)));
});
