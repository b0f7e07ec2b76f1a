import test from 'ava';
import {
  allowedMethods,
  defineRoute,
  orderRoutes,
  pathParameters,
  routeFinder,
} from '../../src/http/routes.js';

const paths = (routes: readonly (readonly [method: 'GET' | 'POST' | 'DELETE', path: string])[]) =>
  orderRoutes(routes.map(([method, path]) => defineRoute(method, path, null)));

test('routes › given a literal and a parameter at one place › the literal is tried first', (t) => {
  const ordered = paths([
    ['GET', '/api/things/:id'],
    ['GET', '/api/:noun/newest'],
    ['GET', '/api/things/newest'],
  ]);
  t.deepEqual(
    ordered.map(({ path }) => path),
    ['/api/things/newest', '/api/things/:id', '/api/:noun/newest'],
  );
});

test('routes › given two patterns that differ in a parameter name only › they are refused', (t) => {
  t.throws(
    () =>
      paths([
        ['GET', '/api/things/:id'],
        ['GET', '/api/things/:thingId'],
      ]),
    { message: 'Two routes match the same requests: GET /api/things/:id, /api/things/:thingId' },
  );
});

test('routes › given one path with two methods › both stand', (t) => {
  const routes = paths([
    ['GET', '/api/things/:id'],
    ['DELETE', '/api/things/:thingId'],
  ]);
  t.deepEqual(allowedMethods(routes, '/api/things/7'), ['GET', 'HEAD', 'DELETE']);
});

test('routes › given a path that no route matches › no method is allowed', (t) => {
  t.deepEqual(allowedMethods(paths([['GET', '/api/things/:id']]), '/api/things/7/8'), []);
});

test('routes › given a dot in a literal segment › it matches nothing but a dot', (t) => {
  const routes = paths([['GET', '/api/openapi.json']]);
  t.deepEqual(allowedMethods(routes, '/api/openapiXjson'), []);
  t.deepEqual(allowedMethods(routes, '/api/openapi.json'), ['GET', 'HEAD']);
});

test('routes › given a path in another case › it is another path', (t) => {
  t.deepEqual(allowedMethods(paths([['GET', '/api/things']]), '/API/things'), []);
});

test('routes › given one trailing slash › it is the same path', (t) => {
  const routes = paths([['GET', '/api/things']]);
  t.deepEqual(allowedMethods(routes, '/api/things/'), ['GET', 'HEAD']);
  t.deepEqual(allowedMethods(routes, '/api/things//'), []);
});

test('path parameters › given percent-encoding › they are decoded', (t) => {
  const route = defineRoute('GET', '/api/:noun/:id', null);
  t.deepEqual(pathParameters(route, '/api/things/a%2Fb%20c'), { noun: 'things', id: 'a/b c' });
});

test('path parameters › given percent-encoding that is no UTF-8 › the parameter is named', (t) => {
  const route = defineRoute('GET', '/api/things/:id', null);
  const error = t.throws(() => pathParameters(route, '/api/things/%E0%A4%A'), { name: 'TreasuryError' });
  t.like(error, {
    code: 'invalid_input',
    details: { issues: [{ path: 'id', message: 'is not valid percent-encoding in the path' }] },
  });
});

test('routes › given any method and path › the route that is found is the first that matches', (t) => {
  const routes = paths([
    ['GET', '/api'],
    ['GET', '/api/things'],
    ['POST', '/api/things'],
    ['GET', '/api/things/newest'],
    ['GET', '/api/things/:id'],
    ['DELETE', '/api/things/:id'],
    ['GET', '/api/things/:id/parts'],
    ['GET', '/api/:kind/newest/parts'],
    ['GET', '/api/:kind/:id/:part'],
    ['GET', '/metrics'],
  ]);
  const find = routeFinder(routes);
  const asked = [
    '',
    '/',
    '//',
    '/api',
    '/api/',
    '/api//',
    '/API',
    '/metrics',
    '/metrics/',
    '/api/things/',
  ].concat(
    ['newest', 'NEWEST', '7', '7/', '7//', '%2F', '7/parts', 'newest/parts', 'newest/parts/', 'a/b/c'].map(
      (end) => `/api/things/${end}`,
    ),
    ['/api/others/newest/parts', '/api/others//parts', '/api//newest/parts', '/api/others'],
  );
  for (const path of asked)
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'OPTIONS']) {
      const isOf = method === 'HEAD' ? 'GET' : method;
      const first = routes.find((route) => route.method === isOf && route.pattern.test(path)) ?? null;
      t.is(find(method, path), first, `${method} ${path}`);
    }
});
