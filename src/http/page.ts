/**
 * The page at `/app/`: its files as `npm run build` made them, from a table that does not change while the daemon runs. Nothing of
 * a request becomes a path of the file system.
 */
import { readFile } from 'node:fs/promises';
import { PAGE_PATHS } from '../page-paths.js';
import type { FaceRequest, FaceResponse } from './exchange.js';
import type { FaceHandler } from './operation-handler.js';
import { defineRoute, type Route } from './routes.js';

/** What `scripts/build-page.js` makes: the files by their names, each beside its brotli of the same name and `.br`. */
const FOLDER = new URL('../../dist/page/', import.meta.url);

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
  'cache-control': name === 'index.html' ? 'no-cache' : KEPT,
  vary: 'accept-encoding',
});

const takesBrotli = ({ headers }: FaceRequest): boolean => /\bbr\b/.test(headers['accept-encoding'] ?? '');

type PageFile = { readonly plain: Buffer; readonly brotli: Buffer };

const readPageFile = async (name: string): Promise<PageFile> => {
  const [plain, brotli] = await Promise.all([
    readFile(new URL(name, FOLDER)),
    readFile(new URL(`${name}.br`, FOLDER)),
  ]);
  return { plain, brotli };
};

const handlerOf = (name: string, relays: readonly string[]): FaceHandler => {
  const headers = headersOf(name, relays);
  let read: Promise<PageFile> | undefined;
  return async (request: FaceRequest, response: FaceResponse) => {
    read ??= readPageFile(name);
    const { plain, brotli } = await read;
    const isBrotli = takesBrotli(request);
    const body = isBrotli ? brotli : plain;
    response.writeHead(200, {
      ...headers,
      ...(isBrotli ? { 'content-encoding': 'br' } : {}),
      'content-length': body.length,
    });
    response.end(body);
  };
};

/**
 * The routes of the page: each of its addresses is answered with the same document, and each of its files under its own name.
 *
 * @param relays origins of WebSocket relays that the page may connect to
 */
export const pageRoutes = async (relays: readonly string[]): Promise<Route<FaceHandler>[]> => {
  const files = JSON.parse(await readFile(new URL('files.json', FOLDER), 'utf8')) as readonly string[];
  const document = handlerOf('index.html', relays);
  return [
    ...Object.values(PAGE_PATHS).map((path) => defineRoute('GET', path.replace(/\/$/, ''), document)),
    ...files.map((name) => defineRoute('GET', `/app/${name}`, handlerOf(name, relays))),
  ];
};
