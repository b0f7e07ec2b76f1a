import test from 'ava';
import { alice, aliceToken, type LogLine } from './fake-app.js';
import { startFakeDaemon } from './fake-daemon.js';

test('an error › given one of the table › it is answered with its status and details', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { status, headers, body } = await ask('/api/things/none');
  t.is(status, 404);
  t.is(headers['cache-control'], 'no-store');
  t.deepEqual(body, {
    id: 'none',
    success: false,
    code: 'reward_not_found',
    error: 'There is no reward campaign "none".',
    retryable: false,
  });
});

test('an error › given a defect › its text goes to the log and not to the caller', async (t) => {
  const { ask, lines } = await startFakeDaemon(t);
  const { status, headers, text, body } = await ask('/api/fail', { json: { how: 'defect' } });
  t.is(status, 500);
  t.false(text.includes('swordfish'));
  t.like(body, { code: 'internal_error', requestId: headers['x-request-id'] });
  const logged = lines.find(({ level }) => level === 'error');
  t.is((logged?.['err'] as Error | undefined)?.message, 'the password is swordfish');
  t.is(logged?.['requestId'], headers['x-request-id']);
});

test('an error › given a failure of this machine › the code stays and the file is not named', async (t) => {
  const { ask } = await startFakeDaemon(t);
  const { status, text, body } = await ask('/api/fail', { json: { how: 'damaged' } });
  t.is(status, 500);
  t.is(body['code'], 'store_damaged');
  t.false(text.includes('/secret/store'));
});

for (const [how, status, code] of [
  ['away', 503, 'store_unreachable'],
  ['full', 507, 'storage_full'],
] as const)
  test(`an error › given ${code} › the caller may try again, and is told neither file nor database`, async (t) => {
    const { ask, lines } = await startFakeDaemon(t);
    const answer = await ask('/api/fail', { json: { how } });
    t.is(answer.status, status);
    t.like(answer.body, { code, retryable: true, success: false });
    t.notRegex(answer.text, /secret|ECONNREFUSED|ENOSPC/);
    t.true(answer.text.includes(String(answer.headers['x-request-id'])));
    const logged = lines.find(({ level }) => level === 'warn');
    t.regex(String((logged?.['err'] as Error | undefined)?.message), /secret/);
    t.is(logged?.['requestId'], answer.headers['x-request-id']);
  });

test('the log › given a request › it has one line that says who asked for what', async (t) => {
  const { ask, daemon, lines } = await startFakeDaemon(t);
  const headers = { 'x-user-address': alice, 'x-request-id': 'r-1' };
  await ask('/api/things/none?title=hidden', { headers });
  await daemon.stop();
  const own = lines.filter(({ requestId }) => requestId === 'r-1');
  t.is(own.length, 1);
  const { ms, ...line } = own[0] as LogLine;
  t.is(typeof ms, 'number');
  t.deepEqual(line, {
    level: 'info',
    message: 'GET /api/things/none 404',
    requestId: 'r-1',
    method: 'GET',
    path: '/api/things/none',
    status: 404,
    caller: alice,
    code: 'reward_not_found',
  });
});

test('the log › given lines of an operation › they carry the request id', async (t) => {
  const { ask, lines } = await startFakeDaemon(t);
  await ask('/api/fail', { json: { how: 'defect' }, headers: { 'x-request-id': 'r-2' } });
  t.like(
    lines.find(({ message }) => message === 'about to fail'),
    { requestId: 'r-2' },
  );
});

test('the log › given a token, a query and a body › it holds none of them', async (t) => {
  const { ask, daemon, lines } = await startFakeDaemon(t);
  await ask('/api/things/7/echo?title=query-secret', {
    json: { title: 'body-secret' },
    headers: { authorization: `Bearer ${aliceToken}` },
  });
  await daemon.stop();
  t.notRegex(JSON.stringify(lines), new RegExp(`${aliceToken}|query-secret|body-secret`));
  t.true(lines.some(({ path }) => path === '/api/things/7/echo'));
});
