/** Requests that nobody means well with: made at random from the API's own document, and below it from HTTP itself. */
import type { Random } from '../contracts/fuzz/random.js';

/** The part of the OpenAPI document that requests are made from. */
export type Api = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
};
type ApiOperation = {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: ApiSchema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: ApiSchema }>> };
};
type ApiSchema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly items?: ApiSchema;
  readonly anyOf?: readonly ApiSchema[];
};

/** What of the home a stranger may know or guess. */
export type Known = {
  /** Labels, ids and addresses of records. */
  readonly names: readonly string[];
  /** A caller that is no party of anything. */
  readonly stranger: string;
};

/** A request as it goes over the wire. */
export type HostileRequest = {
  /** What is wrong with it, in a word. */
  readonly kind: string;
  readonly bytes: Buffer;
  /** True: the connection is cut behind its bytes, and there is no answer. */
  readonly isCut: boolean;
};

const HOST = 'localhost';
const MEBIBYTE = 1_048_576;

const NASTY: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  -0.1,
  2 ** 53,
  4_294_967_296,
  '',
  ' ',
  '0',
  '-1',
  '1e999999999',
  '0x10',
  '1,5',
  'NaN',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  '${7*7}{{7*7}}',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '𝒽𝑒𝓁𝓁𝑜'.repeat(50),
  'a'.repeat(5_000),
  '9'.repeat(400),
  [],
  [[]],
  {},
  { __proto__: { isAdmin: true }, constructor: { prototype: {} } },
  Array.from({ length: 200 }, () => null),
];

const plausible = (random: Random, { names, stranger }: Known): unknown =>
  random.pick<unknown>([
    stranger,
    random.pick(names),
    'ab'.repeat(32),
    '00'.repeat(32),
    '02'.repeat(500),
    0.001,
    '0.00001',
    1_893_456_000,
    86_400,
    'BCH',
    'FUNGIBLE_TOKEN',
    'LINEAR',
    'MONTHLY',
    'FOR',
    'a name',
  ]);

/** A value for a field: fitting, plausible, or nasty. */
const valueOf = (schema: ApiSchema, random: Random, known: Known, depth = 0): unknown => {
  if (random.once(3)) return random.pick(NASTY);
  if (schema.enum !== undefined && !random.once(4)) return random.pick(schema.enum);
  if (depth < 4 && schema.properties !== undefined) return objectOf(schema, random, known, depth + 1);
  if (depth < 4 && schema.items !== undefined) {
    const { items } = schema;
    const length = random.pick([0, 1, 2, 3, 40]);
    return Array.from({ length }, () => valueOf(items, random, known, depth + 1));
  }
  if (schema.anyOf !== undefined && schema.anyOf.length > 0)
    return valueOf(random.pick(schema.anyOf), random, known, depth + 1);
  return plausible(random, known);
};

const objectOf = (schema: ApiSchema, random: Random, known: Known, depth = 0): Record<string, unknown> => {
  const fields = Object.entries(schema.properties ?? {}).filter(() => !random.once(6));
  const strange = random.once(5)
    ? [[random.pick(['__proto__', 'constructor', 'toString', 'x'.repeat(300)]), 1]]
    : [];
  const known_ = fields.map(([name, field]) => [name, valueOf(field, random, known, depth)] as const);
  return Object.fromEntries([...known_, ...strange]) as Record<string, unknown>;
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

type Head = Readonly<Record<string, string>>;

const message = (line: string, head: Head, body: string | Buffer = ''): Buffer => {
  const lines = [line, ...Object.entries(head).map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n')), Buffer.from(body)]);
};

const baseHead = (more: Head = {}): Head => ({ Host: HOST, Connection: 'close', ...more });

const credentials = (random: Random, { stranger, names }: Known): Head =>
  random.pick<Head>([
    {},
    { 'x-user-address': stranger },
    { 'x-user-address': stranger },
    { 'x-user-address': random.pick(names) === stranger ? stranger : 'nobody' },
    { authorization: 'Bearer x.y.z' },
    { authorization: 'Basic eDp5' },
    { 'x-user-address': stranger, 'idempotency-key': `k${random.integer(50)}` },
  ]);

const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE'];

/** A request to an operation of the document, with whatever for its fields. */
const toOperation = (random: Random, api: Api, known: Known): HostileRequest => {
  const [template, methods] = random.pick(Object.entries(api.paths));
  const [method, operation] = random.pick(Object.entries(methods));
  const path = template.replaceAll(/\{(\w+)\}/g, () => {
    const value = random.once(3) ? textOf(random.pick(NASTY)) : random.pick(known.names);
    return random.once(20) ? '%ff%00' : encodeURIComponent(Buffer.from(value).toString());
  });
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && !random.once(3))
    .map(
      ({ name, schema }) =>
        `${name}=${encodeURIComponent(Buffer.from(textOf(valueOf(schema, random, known))).toString())}`,
    );
  const target = query.length === 0 ? path : `${path}?${query.join('&')}`;
  const schema = operation.requestBody?.content['application/json']?.schema;
  const body = schema === undefined ? '' : JSON.stringify(objectOf(schema, random, known));
  const asked = random.once(15) ? random.pick(METHODS) : method.toUpperCase();
  const head = baseHead({
    ...credentials(random, known),
    ...(body === '' ? {} : { 'content-type': random.once(20) ? 'text/plain' : 'application/json' }),
    'content-length': String(Buffer.byteLength(body)),
  });
  return { kind: 'operation', bytes: message(`${asked} ${target} HTTP/1.1`, head, body), isCut: false };
};

const deep = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const wide = (bytes: number): string => {
  const fields = Array.from({ length: Math.floor(bytes / 12) }, (_, index) => `"f${index}":1`);
  return `{${fields.join(',')}}`;
};

/** Bodies that are too much. */
const oversized = (random: Random, { stranger }: Known): HostileRequest => {
  const path = random.pick([
    '/api/streams/create',
    '/api/transactions/broadcast',
    '/api/transactions/check',
    '/api/treasuries/x/batch-create',
    '/api/governance/x/vote',
    '/api/auth/challenge',
  ]);
  const body = random.pick([
    () => deep(7_000),
    () => deep(500_000),
    () => wide(15_000),
    () => wide(MEBIBYTE),
    () => 'x'.repeat(MEBIBYTE + 1),
    () => `{"transaction":"${'ab'.repeat(100_000)}"}`,
  ])();
  const head = baseHead({
    'x-user-address': stranger,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  });
  return { kind: 'oversized', bytes: message(`POST ${path} HTTP/1.1`, head, body), isCut: false };
};

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Requests that two readers of HTTP might read as two things, or that no reader should read at all. */
const malformed = (random: Random): HostileRequest => {
  const json = { 'content-type': 'application/json' };
  const smuggled = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const make = random.pick<() => Buffer>([
    () => message('GET http://example.org/ HTTP/1.1', baseHead()),
    () => message('POST http://localhost/api/health HTTP/1.1', baseHead()),
    () => message('OPTIONS * HTTP/1.1', baseHead()),
    () => message('GET * HTTP/1.1', baseHead()),
    () => message('CONNECT localhost:80 HTTP/1.1', baseHead()),
    () => message('GET api/health HTTP/1.1', baseHead()),
    () => message('GET //evil.example/%2e%2e HTTP/1.1', baseHead()),
    () => message('GET /api/streams/%E0%A4%A HTTP/1.1', baseHead()),
    () => message(`GET /${'a'.repeat(15_000)} HTTP/1.1`, baseHead()),
    () => message(`GET /api/streams?${'a=b&'.repeat(3_000)} HTTP/1.1`, baseHead()),
    () => message('GET /api/health HTTP/1.1', { Connection: 'close' }),
    () =>
      Buffer.from('GET /api/health HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nConnection: close\r\n\r\n'),
    () => message('GET /api/health HTTP/1.1', { Host: 'evil.example', Connection: 'close' }),
    () => message('GET /api/health HTTP/1.1', baseHead({ 'x-big': 'y'.repeat(20_000) })),
    () => message('POST /api/auth/challenge HTTP/1.1', baseHead({ ...json, 'content-length': '-1' }), '{}'),
    () => message('POST /api/auth/challenge HTTP/1.1', baseHead({ ...json, 'content-length': '2, 3' }), '{}'),
    () =>
      message(
        'POST /api/auth/challenge HTTP/1.1',
        baseHead({ ...json, 'content-length': '4', 'transfer-encoding': 'chunked' }),
        `${chunk('{}')}0\r\n\r\n${smuggled}`,
      ),
    () =>
      message(
        'POST /api/auth/challenge HTTP/1.1',
        baseHead({ ...json, 'transfer-encoding': 'chunked, identity' }),
        `0\r\n\r\n${smuggled}`,
      ),
    () =>
      message(
        'POST /api/auth/challenge HTTP/1.1',
        baseHead({ ...json, 'transfer-encoding': 'chunked' }),
        'zz\r\n{}\r\n0\r\n\r\n',
      ),
    () => message('POST /api/auth/challenge HTTP/1.1', baseHead({ ...json, expect: '200-maybe' }), '{}'),
    () => message('GET /api/health HTTP/1.1', baseHead({ upgrade: 'websocket', connection: 'upgrade' })),
    () => message('POST /api/health HTTP/1.1', baseHead({ origin: 'https://evil.example' })),
    () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    () => Buffer.from('\u0016\u0003\u0001\u0002\u0000\u0001'.repeat(20), 'latin1'),
    () => Buffer.from('GET /api/health\r\n\r\n'),
    () => Buffer.from('\r\n'.repeat(50)),
    () => Buffer.from(Array.from({ length: 300 }, () => random.integer(256))),
  ]);
  return { kind: 'malformed', bytes: make(), isCut: false };
};

/** A request that ends before it is whole. */
const cutShort = (random: Random, api: Api, known: Known): HostileRequest => {
  const { bytes } = toOperation(random, api, known);
  return { kind: 'cut short', bytes: bytes.subarray(0, random.integer(bytes.length)), isCut: true };
};

/** One hostile request. */
export const hostileRequest = (random: Random, api: Api, known: Known): HostileRequest => {
  const kind = random.integer(100);
  if (kind < 78) return toOperation(random, api, known);
  if (kind < 93) return malformed(random);
  if (kind < 96) return oversized(random, known);
  return cutShort(random, api, known);
};
