/**
 * The page at `/app/`: its files as `npm run build` made them, from a table that does not change while the daemon runs. Nothing of
 * a request becomes a path of the file system.
 */
import { readFileSync } from 'node:fs';
import { messageOf, TreasuryError } from '../errors.js';
import { PAGE_PATHS, PAGE_ROOT } from '../page-paths.js';
import type { FaceRequest, FaceResponse } from './exchange.js';
import type { Asked, FaceHandler } from './operation-handler.js';
import { defineRoute, pathParameters, type Route } from './routes.js';

/** What `scripts/build-page.js` makes: the files by their names, each beside its brotli of the same name and `.br`. */
const FOLDER = new URL('../../dist/page/', import.meta.url);

/** What every address of the page is answered with. */
const DOCUMENT = 'index.html';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** For ever: the name of such a file has the hash of what is in it. */
const KEPT = 'public, max-age=31536000, immutable';

/**
 * What the page may do: its own scripts and styles, its own daemon, and the relays that phones are reached over. No text becomes
 * markup or a script.
 */
export const contentSecurityPolicy = (relays: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ['connect-src', "'self'", ...relays].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

const headersOf = (name: string, relays: readonly string[]): Readonly<Record<string, string>> => ({
  'content-type': CONTENT_TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
  'content-security-policy': contentSecurityPolicy(relays),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'cache-control': name === DOCUMENT ? 'no-cache' : KEPT,
});

/** One item of accept-encoding with its weight. Source: RFC 9110 (12.5.3). */
const ACCEPTED = /^\s*(br|\*)\s*(?:;\s*q=(\d(?:\.\d+)?))?\s*$/i;

/** True where brotli is taken: by its name, or by a `*` where its name is not there, and not with a weight of 0. */
const takesBrotli = ({ headers }: FaceRequest): boolean => {
  const weights = new Map(
    (headers['accept-encoding'] ?? '').split(',').flatMap((item) => {
      const [, name, weight = '1'] = ACCEPTED.exec(item) ?? [];
      return name === undefined ? [] : [[name.toLowerCase(), Number(weight)] as const];
    }),
  );
  return (weights.get('br') ?? weights.get('*') ?? 0) > 0;
};

type PageFile = { readonly plain: Buffer; readonly brotli: Buffer };

const readPageFile = (name: string): readonly [string, PageFile] => {
  const [plain, brotli] = [readFileSync(new URL(name, FOLDER)), readFileSync(new URL(`${name}.br`, FOLDER))];
  return [name, { plain, brotli }];
};

/**
 * All files of the page, held from the start: what an upgrade puts in their place does not mix with them.
 *
 * @throws invalid_setting where this program was built without them
 */
const readPageFiles = (): ReadonlyMap<string, PageFile> => {
  try {
    const names = JSON.parse(readFileSync(new URL('files.json', FOLDER), 'utf8')) as readonly string[];
    return new Map([DOCUMENT, ...names].map(readPageFile));
  } catch (error) {
    const expected = `false: this installation has no page to serve (${messageOf(error)}); install it anew, or build it with \`npm run build\``;
    throw new TreasuryError(
      'invalid_setting',
      { setting: 'page', value: 'true', expected },
      { cause: error },
    );
  }
};

/** Addresses below the page's that none of its pages has: how deep they are. */
const ASTRAY = [':first/:second', ':first/:second/:third', ':first/:second/:third/:fourth'];

/** True where somebody opens an address: the page says in words that nothing is there. Whatever asks for a file is told as a program. */
const isOpened = ({ headers }: FaceRequest): boolean => /\btext\/html\b/.test(headers.accept ?? '');

type Answer = {
  readonly file: PageFile;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
};

const send = (
  { file: { plain, brotli }, headers, status }: Answer,
  [request, response]: readonly [FaceRequest, FaceResponse],
): void => {
  const isBrotli = takesBrotli(request);
  const body = isBrotli ? brotli : plain;
  response.appendHeader('vary', 'accept-encoding');
  response.writeHead(status, {
    ...headers,
    ...(isBrotli ? { 'content-encoding': 'br' } : {}),
    'content-length': body.length,
  });
  response.end(body);
};

/**
 * The routes of the page: each of its addresses is answered with the same document, and each of its files under its own name.
 *
 * @param relays origins of WebSocket relays that the page may connect to
 * @throws invalid_setting where this program was built without its page
 */
export const pageRoutes = (relays: readonly string[]): Route<FaceHandler>[] => {
  const files = readPageFiles();
  const answers = new Map(
    [...files].map(([name, file]) => [name, { file, headers: headersOf(name, relays) }]),
  );
  const answer =
    (nameOf: (request: FaceRequest, asked: Asked) => string): FaceHandler =>
    (request, response, asked) => {
      const name = nameOf(request, asked);
      const found = answers.get(name) ?? (isOpened(request) ? answers.get(DOCUMENT) : undefined);
      const { method, path } = request;
      if (found === undefined) throw new TreasuryError('route_not_found', { method, path });
      send({ ...found, status: answers.has(name) ? 200 : 404 }, [request, response]);
      return Promise.resolve();
    };
  const document = answer(() => DOCUMENT);
  const nothing = answer(() => '');
  return [
    ...Object.values(PAGE_PATHS).map((path) => defineRoute('GET', path.replace(/\/$/, ''), document)),
    // One route, so that what is measured of it has one name from one version to the next.
    defineRoute(
      'GET',
      `${PAGE_ROOT}:file`,
      answer(({ path }, { route }) => pathParameters(route, path)['file'] ?? ''),
    ),
    ...ASTRAY.map((path) => defineRoute('GET', `${PAGE_ROOT}${path}`, nothing)),
  ];
};
