import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { brotliDecompressSync } from 'node:zlib';
import { request } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { openPrometheusMeters } from '../../src/adapters/meters/prometheus-meters.js';
import type { DaemonSettings } from '../../src/daemon/start-daemon.js';
import { contentSecurityPolicy } from '../../src/http/page.js';
import { PAGE_PATHS, pagePath } from '../../src/page-paths.js';
import { relayOrigins, type PhonePlaces } from '../../src/settings/phone-places.js';
import { alice, aliceToken } from './fake-app.js';
import { startFakeDaemon } from './fake-daemon.js';

const built = (name: string): Buffer => readFileSync(new URL(`../../dist/page/${name}`, import.meta.url));
const FILES = JSON.parse(built('files.json').toString()) as readonly string[];
const ADDRESSES = Object.values(PAGE_PATHS).map((path) => path.replace(/:\w+/g, 'STREAM-0001'));
const DOCUMENT = built('index.html').toString();

const PLACES: PhonePlaces = {
  walletconnect: null,
  wizardconnect: { relays: ['wss://relay.example'], isUsual: false },
  wait: 300,
};

const startPage = (t: ExecutionContext, settings: Partial<DaemonSettings> = {}) =>
  startFakeDaemon(t, { page: PLACES, ...settings });

/** The bytes of an answer. */
const bytesOf = (url: string, headers: Readonly<Record<string, string>>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => {
        resolve(Buffer.concat(chunks));
      });
    })
      .once('error', reject)
      .end();
  });

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' wss://relay.example; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

test('the page › every address › the same document, with headers to the letter', async (t) => {
  const { ask } = await startPage(t);
  for (const path of [...ADDRESSES, '/app', '/app/audit/']) {
    const { status, text, headers } = await ask(path);
    t.is(status, 200, path);
    t.is(text, DOCUMENT, path);
    const { date: _date, connection: _connection, 'x-request-id': _id, ...rest } = headers;
    t.deepEqual(rest, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(Buffer.byteLength(DOCUMENT)),
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      'x-treasury-version': '9.9.9',
    });
  }
});

test('the page › its document › names no other host, and no script or style of its own', (t) => {
  t.notRegex(
    DOCUMENT,
    /https?:|\/\/|<style|style=|\son\w+=|<script(?![^>]* src="\/app\/main-[A-Z0-9]+\.js")/,
  );
  for (const [, path = ''] of DOCUMENT.matchAll(/(?:src|href)="(\/[^"]*)"/g))
    t.true(FILES.includes(path.replace('/app/', '')), path);
});

test('the page › its files › kept for ever, each of its type', async (t) => {
  const { ask } = await startPage(t);
  const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };
  for (const name of FILES) {
    t.regex(name, /^[\w-]+-[A-Z0-9]{8}\.(?:js|css)$/);
    const { status, headers, text } = await ask(`/app/${name}`);
    t.is(status, 200);
    t.is(text, built(name).toString());
    t.is(headers['content-type'], types[name.split('.').at(-1) as keyof typeof types]);
    t.is(headers['cache-control'], 'public, max-age=31536000, immutable');
    t.is(headers['content-security-policy'], POLICY);
  }
});

test('the page › HEAD › the headers of GET and no body', async (t) => {
  const { ask } = await startPage(t);
  for (const path of ['/app/', `/app/${FILES[0] ?? ''}`]) {
    const { status, headers, text } = await ask(path, { method: 'HEAD' });
    t.is(status, 200);
    t.is(text, '');
    t.is(headers['content-length'], (await ask(path)).headers['content-length']);
  }
});

test('the page › another method › 405, and OPTIONS says which', async (t) => {
  const { ask } = await startPage(t);
  for (const path of ['/app/', '/app/audit', `/app/${FILES[0] ?? ''}`]) {
    const posted = await ask(path, { method: 'POST' });
    t.is(posted.status, 405, path);
    t.is(posted.headers.allow, 'GET, HEAD, OPTIONS');
    t.is((await ask(path, { method: 'OPTIONS' })).headers.allow, 'GET, HEAD, OPTIONS');
  }
});

test('the page › an address that no page has › whoever opens it reads so on the page', async (t) => {
  const { ask } = await startPage(t);
  for (const path of ['/app/nope', '/app/strims/STREAM-0001', '/app/vaults/1/spend/2', '/app/a/b/c/d']) {
    const { status, headers, text } = await ask(path, {
      headers: { accept: 'text/html,*/*;q=0.8' },
    });
    t.is(status, 404, path);
    t.is(headers['content-type'], 'text/html; charset=utf-8');
    t.is(text, DOCUMENT);
  }
});

test('the page › what is not there › 404 in words', async (t) => {
  const { ask } = await startPage(t);
  const paths = [
    '/app/nothing',
    '/app/streams',
    '/app/streams/a/b',
    '/app/vaults/a/spends',
    '/app/index.html.br',
    '/app/files.json',
    `/app/${FILES[0] ?? ''}.br`,
    '/app/constructor',
    '/app/__proto__',
    '/App/',
    '/',
  ];
  for (const path of paths) {
    const { status, body } = await ask(path);
    t.is(status, 404, path);
    t.like(body, { success: false, code: 'route_not_found', path });
  }
});

/** The status line of an answer to a path as it stands: clients put paths in order before they ask. */
const statusOf = (port: number, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    );
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.once('error', reject);
    socket.once('close', () => {
      resolve(text.split('\r\n', 1)[0] ?? '');
    });
  });

test('the page › a path that climbs › no file of the machine is read', async (t) => {
  const { daemon } = await startPage(t);
  const paths = [
    '/app/../package.json',
    '/app/..%2f..%2fpackage.json',
    '/app/%2e%2e/%2e%2e/package.json',
    '/app/..\\..\\package.json',
    '/app//etc/passwd',
    '/app/%2fetc%2fpasswd',
    '/app/index.html%00.js',
  ];
  for (const path of paths) t.is(await statusOf(daemon.port, path), 'HTTP/1.1 404 Not Found', path);
  t.is(await statusOf(daemon.port, '/app/%ff'), 'HTTP/1.1 400 Bad Request');
  t.is(await statusOf(daemon.port, '/app/streams/..%2f..%2fpackage.json'), 'HTTP/1.1 200 OK');
});

const TAKEN = ['br', 'gzip, deflate, br', 'gzip;q=1.0, BR;q=0.5', '*', 'gzip, *;q=0.1', ' br ; q=1 '];
const NOT_TAKEN = ['', 'gzip', 'br;q=0', 'br;q=0.0, *', '*;q=0', 'brotli', 'x-br', 'gzip;br'];

test('the page › accept-encoding › brotli where it is taken, plain elsewhere', async (t) => {
  const { daemon, ask } = await startPage(t);
  for (const path of ['/app/', `/app/${FILES[0] ?? ''}`]) {
    const plain = (await ask(path)).text;
    for (const accepted of TAKEN) {
      const headers = { 'accept-encoding': accepted };
      const answer = await ask(path, { headers });
      t.is(answer.headers['content-encoding'], 'br', accepted);
      t.is(answer.headers.vary, 'accept-encoding');
      const bytes = await bytesOf(`${daemon.url}${path}`, headers);
      t.is(answer.headers['content-length'], String(bytes.length));
      t.is(brotliDecompressSync(bytes).toString(), plain);
    }
    for (const accepted of NOT_TAKEN) {
      const { headers, text } = await ask(path, { headers: { 'accept-encoding': accepted } });
      t.is(headers['content-encoding'], undefined, accepted);
      t.is(text, plain);
    }
  }
});

test('the page › origins that may call the API › they do not shorten what an answer varies by', async (t) => {
  const { ask } = await startPage(t, { corsOrigins: ['https://app.example', 'https://other.example'] });
  const { headers } = await ask('/app/', { headers: { origin: 'https://app.example' } });
  t.regex(String(headers.vary), /origin/i);
  t.regex(String(headers.vary), /accept-encoding/);
});

test('the page › none is served › its addresses are not there', async (t) => {
  const { ask } = await startFakeDaemon(t);
  for (const path of [...ADDRESSES, `/app/${FILES[0] ?? ''}`]) t.is((await ask(path)).status, 404, path);
});

test('the page › the Host of a stranger › 403 on loopback', async (t) => {
  const { ask } = await startPage(t);
  for (const path of ['/app/', `/app/${FILES[0] ?? ''}`]) {
    const { status, body } = await ask(path, { headers: { host: 'evil.example' } });
    t.is(status, 403);
    t.like(body, { code: 'host_not_allowed' });
  }
});

test('the page › its own origin › may change something, and another page may not', async (t) => {
  const { daemon, ask } = await startPage(t);
  const pay = (origin: string) =>
    ask('/api/things', { json: { title: 'x' }, headers: { origin, 'x-user-address': alice } });
  t.is((await pay(daemon.url)).status, 201);
  t.is((await pay('http://127.0.0.1:1')).status, 403);
  t.is((await pay('null')).status, 403);
});

test('the page › a gateway before it › the origin of its Host may change something', async (t) => {
  const { ask } = await startPage(t, { host: '0.0.0.0', trustAddressHeader: true });
  const pay = (origin: string) =>
    ask('/api/things', {
      json: { title: 'x' },
      headers: { origin, host: 'treasury.example.org', 'x-user-address': alice },
    });
  t.is((await pay('https://treasury.example.org')).status, 201);
  t.is((await pay('https://treasury.example.org.evil.example')).status, 403);
});

test('the page › a gateway on this machine › its name is answered, and an address proves nothing', async (t) => {
  const publicOrigin = 'https://treasury.example.org';
  const { ask } = await startPage(t, { publicOrigin });
  const there = { host: 'Treasury.example.org', origin: publicOrigin };
  t.is((await ask('/app/', { headers: there })).status, 200);
  t.is((await ask('/app/', { headers: { host: 'treasury.example.org:444' } })).status, 403);
  t.is((await ask('/app/', { headers: { host: 'evil.example' } })).status, 403);
  t.is((await ask('/app/')).status, 200);
  const pay = (headers: Readonly<Record<string, string>>) =>
    ask('/api/things', { json: { title: 'x' }, headers });
  t.is((await pay({ ...there, 'x-user-address': alice })).status, 401);
  t.is((await pay({ 'x-user-address': alice })).status, 401);
  t.is((await pay({ ...there, authorization: `Bearer ${aliceToken}` })).status, 201);
  t.is(
    (await pay({ ...there, origin: 'https://evil.example', authorization: `Bearer ${aliceToken}` })).status,
    403,
  );
});

test('the page › a gateway that checks the header itself › it is taken on its word', async (t) => {
  const { ask } = await startPage(t, { publicOrigin: 'https://t.example', trustAddressHeader: true });
  const headers = { host: 't.example', 'x-user-address': alice };
  t.is((await ask('/api/things', { json: { title: 'x' }, headers })).status, 201);
});

test('the page › keys are required › it is shown to everybody, and the API to nobody without one', async (t) => {
  const { ask } = await startPage(t, { requireKeys: true });
  t.is((await ask('/app/')).status, 200);
  t.is((await ask('/api/things/7')).status, 401);
});

test('the page › a rate limit › its files count too', async (t) => {
  const { ask } = await startPage(t, { ratePerMinute: 2 });
  t.is((await ask('/app/')).status, 200);
  t.is((await ask(`/app/${FILES[0] ?? ''}`)).status, 200);
  const { status, body } = await ask('/app/');
  t.is(status, 429);
  t.like(body, { code: 'too_many_requests' });
});

test('the page › metrics › as many labels as it has routes, whatever is asked for', async (t) => {
  const meters = openPrometheusMeters({ version: '9.9.9', network: 'local' });
  const { ask } = await startFakeDaemon(t, { page: PLACES }, [], meters);
  for (const path of ADDRESSES) await ask(path);
  for (const name of FILES) await ask(`/app/${name}`);
  for (let count = 0; count < 20; count += 1) {
    await ask(`/app/streams/S-${count}`);
    await ask(`/app/${count}.js`);
    await ask(`/app/a/b/c/${count}`);
  }
  const { text } = await ask('/metrics');
  const routes = [...text.matchAll(/^http_requests_total\{[^}]*route="([^"]*)"/gm)].map(
    ([, route = '']) => route,
  );
  const paths: string[] = Object.values(PAGE_PATHS).map((path) => path.replace(/\/$/, ''));
  t.deepEqual(
    [...new Set(routes)].toSorted(),
    [...paths, '/app/:file', '/app/:first/:second/:third/:fourth'].toSorted(),
  );
});

test('the page › the document of the API › knows nothing of it', async (t) => {
  const [served, not] = [await startPage(t), await startFakeDaemon(t)];
  const document = await served.ask('/api/openapi.json');
  t.is(document.text, (await not.ask('/api/openapi.json')).text);
  t.false(document.text.includes('/app'));
});

test('the page › a daemon that drains › answers that it stops', async (t) => {
  const { daemon, ask, controls } = await startPage(t);
  const entered = once(controls.gate, 'entered');
  const waiting = ask('/api/wait');
  await entered;
  const stopped = daemon.stop();
  const { status, body } = await ask('/app/');
  t.is(status, 503);
  t.like(body, { code: 'shutting_down' });
  controls.gate.emit('proceed');
  t.is((await waiting).status, 200);
  await stopped;
});

test('the policy › relays › their origins, whatever their URLs say', (t) => {
  const policyOf = (relay: string | null, ...relays: string[]) =>
    /connect-src ([^;]*)/.exec(
      contentSecurityPolicy(
        relayOrigins({
          walletconnect: relay === null ? null : { projectId: 'p', relay },
          wizardconnect: { relays, isUsual: false },
          wait: 1,
        }),
      ),
    )?.[1];
  t.is(policyOf(null), "'self'");
  t.is(policyOf('wss://a.example/path?x=;script-src *', 'wss://a.example'), "'self' wss://a.example");
  t.is(
    policyOf('wss://user:word@a.example/', 'ws://127.0.0.1:8080'),
    "'self' wss://a.example ws://127.0.0.1:8080",
  );
});

test('paths › names are written as a segment', (t) => {
  t.is(pagePath('spend', { id: 'a/b', spendId: '#S?' }), '/app/vaults/a%2Fb/spends/%23S%3F');
});
