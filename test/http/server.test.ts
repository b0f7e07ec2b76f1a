import test from 'ava';
import { z } from 'zod';
import { defineOperation } from '../../src/operation/define.js';
import { alice, aliceToken, bob, bobToken } from './fake-app.js';
import { startFakeDaemon } from './fake-daemon.js';

test('an answer › given a reply › it carries success and the headers of every answer', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { status, headers, body } = await ask('/api/things/7');
  t.is(status, 200);
  t.deepEqual(body, { success: true, input: { id: '7' }, caller: null });
  t.is(headers['content-type'], 'application/json; charset=utf-8');
  t.is(headers['x-treasury-version'], '9.9.9');
  t.is(headers['cache-control'], 'no-store');
  t.is(headers['x-content-type-options'], 'nosniff');
});

test('an answer › given an operation that creates › its own status is used', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'x-user-address': alice };
  const { status, body } = await ask('/api/things', { json: { title: 'one' }, headers });
  t.is(status, 201);
  t.like(body, { success: true, thing: { title: 'one', owner: alice, units: '7' } });
});

test('an answer › given a reply with its own success › it stays, and is no 201', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'x-user-address': alice };
  const json = { title: 'one', mode: 'prepare' };
  const { status, body } = await ask('/api/things', { json, headers });
  t.is(status, 200);
  t.deepEqual(body, { success: false });
});

test('an answer › given headers of the operation › they replace the default', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { headers } = await ask('/api/things/newest');
  t.is(headers['cache-control'], 'public, max-age=10');
});

test('an answer › given a literal route beside a parameter › the literal answers, and no parameter leaks in', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { body } = await ask('/api/things/newest');
  t.deepEqual(body, { success: true, newest: true });
});

test('a request id › given a sane one › it is kept', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { headers } = await ask('/api/things/7', { headers: { 'x-request-id': 'trace_01-b' } });
  t.is(headers['x-request-id'], 'trace_01-b');
});

test('a request id › given one that is not sane › a new one is made', async (t) => {
  const { ask } = await startFakeDaemon(t);
  for (const bad of ['a b', 'x'.repeat(65), '{"level":"fatal"}']) {
    const { headers } = await ask('/api/things/7', { headers: { 'x-request-id': bad } });
    t.regex(String(headers['x-request-id']), /^uuid-\d+$/);
  }
});

test('HEAD › given a GET route › it answers the headers without the body', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const got = await ask('/api/things/7');
  const { status, headers, text } = await ask('/api/things/7', { method: 'HEAD' });
  t.is(status, 200);
  t.is(text, '');
  t.is(headers['content-length'], String(Buffer.byteLength(got.text)));
});

test('a path › given a trailing slash › it is answered', async (t) => {
  const { ask } = await startFakeDaemon(t);
  t.is((await ask('/api/things/7/')).status, 200);
});

test('a path › given one that is not there › it is a 404 in JSON', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { status, body } = await ask('/api/nothing?token=x');
  t.is(status, 404);
  t.like(body, { success: false, code: 'route_not_found', method: 'GET', path: '/api/nothing' });
});

test('a method › given one that the path does not answer › it is a 405 with Allow', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { status, headers, body } = await ask('/api/things/7', { method: 'PATCH' });
  t.is(status, 405);
  t.is(headers.allow, 'GET, HEAD, DELETE, OPTIONS');
  t.like(body, { code: 'method_not_allowed', allow: ['GET', 'HEAD', 'DELETE'] });
});

test('OPTIONS › given a path › it names the methods', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { status, headers } = await ask('/api/things', { method: 'OPTIONS' });
  t.is(status, 204);
  t.is(headers.allow, 'POST, OPTIONS');
});

test('OPTIONS › given a path that is not there › it is a 404', async (t) => {
  const { ask } = await startFakeDaemon(t);
  t.is((await ask('/api/nothing', { method: 'OPTIONS' })).status, 404);
});

test('a face › given two operations that match the same requests › it is not built', async (t) => {
  const twin = defineOperation({
    id: 'things.twin',
    summary: 'The same route again',
    http: { method: 'GET', path: '/api/things/:thingId' },
    auth: 'none',
    input: z.object({ thingId: z.string() }),
    output: z.object({}),
    errors: [],
    run: () => Promise.resolve({}),
  });
  await t.throwsAsync(startFakeDaemon(t, {}, [twin]), { message: /Two routes match the same requests/ });
});

test('authentication › given neither credentials nor a valid body › it is 401 and not 400', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const malformed = { raw: '{', headers: { 'content-type': 'application/json' } };
  for (const asking of [{ method: 'POST' }, { json: { to: 'nobody' } }, malformed]) {
    const { status, headers, body } = await ask('/api/things/7/pay', asking);
    t.is(status, 401);
    t.is(headers['www-authenticate'], 'Bearer');
    t.is(body['code'], 'unauthenticated');
  }
});

test('authentication › given credentials and an empty request › it is 400 with every field named', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'x-user-address': alice };
  const { status, body } = await ask('/api/things/7/pay', { method: 'POST', headers });
  t.is(status, 400);
  t.like(body, { code: 'invalid_input', issues: [{ path: 'to' }, { path: 'tokenType' }] });
});

test('authentication › given a loopback daemon › the address header alone is taken', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'x-user-address': alice };
  const { status, body } = await ask('/api/things/7/pay', { json: { to: bob, tokenType: 'BCH' }, headers });
  t.is(status, 200);
  t.is(body['caller'], alice);
});

test('authentication › given a daemon that does not trust the header › the header alone is 401', async (t) => {
  const { ask } = await startFakeDaemon(t, { trustAddressHeader: false });
  const headers = { 'x-user-address': alice };
  const { status } = await ask('/api/things/7/pay', { json: { to: bob, tokenType: 'BCH' }, headers });
  t.is(status, 401);
});

test('authentication › given a daemon bound to every address › the header is not trusted unless told to', async (t) => {
  const headers = { 'x-user-address': alice };
  const json = { to: bob, tokenType: 'BCH' };
  const open = await startFakeDaemon(t, { host: '0.0.0.0' });
  t.is((await open.ask('/api/things/7/pay', { json, headers })).status, 401);
  const behindGateway = await startFakeDaemon(t, { host: '0.0.0.0', trustAddressHeader: true });
  t.is((await behindGateway.ask('/api/things/7/pay', { json, headers })).status, 200);
});

test('authentication › given a header and a token that agree › the caller is their address', async (t) => {
  const { ask } = await startFakeDaemon(t, { trustAddressHeader: false });
  const headers = { 'x-user-address': alice, authorization: `Bearer ${aliceToken}` };
  const { body } = await ask('/api/things/7/pay', { json: { to: bob, tokenType: 'BCH' }, headers });
  t.is(body['caller'], alice);
});

test('authentication › given a header and a token that disagree › it is 401', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const headers = { 'x-user-address': alice, authorization: `Bearer ${bobToken}` };
  const { status, body } = await ask('/api/things/7', { headers });
  t.is(status, 401);
  t.is(body['code'], 'address_token_mismatch');
});

test('authentication › given a route that needs a token › the header is not enough', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const named = await ask('/api/things/7', { method: 'DELETE', headers: { 'x-user-address': alice } });
  const proven = await ask('/api/things/7', {
    method: 'DELETE',
    headers: { authorization: `Bearer ${aliceToken}` },
  });
  t.is(named.status, 401);
  t.deepEqual(proven.body, { success: true, caller: alice });
});

test('authentication › given an expired token on an optional route › it is told so', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { body } = await ask('/api/things/7', { headers: { authorization: 'Bearer expired' } });
  t.is(body['code'], 'token_expired');
});

const preflight = {
  method: 'OPTIONS',
  headers: {
    origin: 'https://app.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-user-address',
  },
};

test('CORS › given no origins › no header allows anything', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { headers } = await ask('/api/things', preflight);
  t.is(headers['access-control-allow-origin'], undefined);
});

test('CORS › given a listed origin › the preflight allows it, its methods and its headers', async (t) => {
  const { ask } = await startFakeDaemon(t, { corsOrigins: ['https://app.example'] });
  const { status, headers } = await ask('/api/things', preflight);
  t.is(status, 204);
  t.is(headers['access-control-allow-origin'], 'https://app.example');
  t.is(headers['access-control-allow-methods'], 'GET,HEAD,POST,DELETE');
  t.is(
    headers['access-control-allow-headers'],
    'authorization,x-user-address,idempotency-key,content-type,last-event-id,x-treasury-view',
  );
});

test('CORS › given a listed origin › errors can be read by it too', async (t) => {
  const { ask } = await startFakeDaemon(t, { corsOrigins: ['https://app.example'] });
  const { status, headers } = await ask('/api/nothing', { headers: { origin: 'https://app.example' } });
  t.is(status, 404);
  t.is(headers['access-control-allow-origin'], 'https://app.example');
});

test('CORS › given an origin that is not listed › it is not allowed', async (t) => {
  const { ask } = await startFakeDaemon(t, { corsOrigins: ['https://app.example'] });
  const { headers } = await ask('/api/things/7', { headers: { origin: 'https://evil.example' } });
  t.is(headers['access-control-allow-origin'], undefined);
});

test('a face › given a path that names what is no input field › it is not built', async (t) => {
  const lost = defineOperation({
    id: 'things.lost',
    summary: 'A parameter that goes nowhere',
    http: { method: 'GET', path: '/api/lost/:thingId' },
    auth: 'none',
    input: z.object({ id: z.string() }),
    output: z.object({}),
    errors: [],
    run: () => Promise.resolve({}),
  });
  await t.throwsAsync(startFakeDaemon(t, {}, [lost]), {
    message: 'The input of things.lost has no field thingId, which /api/lost/:thingId names',
  });
});
