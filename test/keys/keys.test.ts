/** Keys for scripts through a real socket: what they may do, and what whoever has one may try. */
import test from 'ava';
import { carol, mallory } from '../../fixtures/people.js';
import type { Log } from '../../src/operation/context.js';
import { keyBuildCollection, scriptKeyCollection } from '../../src/operation/script-keys/script-key.js';
import { eventLog } from '../../src/record/event-log.js';
import { startDaemon } from '../../src/daemon/start-daemon.js';
import { advance, createStream, fundStream } from '../products/streams/stream.js';
import { clientOf } from '../acceptance/client.js';
import { alice, bob, openKeys } from './keys.js';

const DAY = 86_400;

test('a key › given what it allows › it acts for whoever made it, and for nobody else', async (t) => {
  const { treasury, make, ask } = await openKeys(t);
  const stream = await fundStream(treasury);
  await advance(treasury, 30 * DAY);
  const key = await make(bob, { allow: ['streams:claim', 'streams:read'] });
  t.regex(key, /^tk_[0-9A-Za-z]{22}$/);

  t.like(await ask(key, 'GET', '/api/streams/STREAM-0001'), { status: 200 });
  const built = await ask(key, 'POST', '/api/streams/STREAM-0001/claim', {});
  t.is(built.status, 200, JSON.stringify(built.body));
  const txHash = await treasury.send(bob, built.body['wcTransaction']);
  t.like(await ask(key, 'POST', '/api/streams/STREAM-0001/confirm-claim', { txHash }), { status: 200 });
  t.is((await stream.claims()).length, 1);

  const other = await make(carol, { allow: ['streams:claim'] });
  t.like(await ask(other, 'POST', '/api/streams/STREAM-0001/claim', {}), { body: { code: 'not_recipient' } });
});

test('a key › given what it does not allow › it is refused by what is missing, and nothing is read of it', async (t) => {
  const { treasury, make, ask } = await openKeys(t);
  await createStream(treasury);
  const key = await make(alice, { allow: ['payments:claim', 'streams:read'] });
  const refused = await ask(key, 'POST', '/api/streams/STREAM-0001/cancel', { nonsense: 1 });
  t.like(refused, { status: 403, body: { code: 'key_not_allowed' } });
  t.regex(String(refused.body['error']), /does not allow streams:cancel/);
  // A GET that hands out a transaction reads nothing.
  t.like(await ask(key, 'GET', '/api/streams/STREAM-0001/funding-info'), {
    body: { code: 'key_not_allowed' },
  });
  // What anybody may ask without a key is refused with one that does not allow it.
  t.like(await ask(key, 'POST', '/api/budget-plans/BUDGET-0001/confirm-release', {}), {
    body: { code: 'key_not_allowed' },
  });
  // Who balances load is answered, whatever is sent.
  t.like(await ask(key, 'GET', '/api/health'), { status: 200 });
  t.like(await ask('tk_nonsense', 'GET', '/api/health/ready'), { status: 200 });
});

test('a key › asked for power that outlives it › it is never given any', async (t) => {
  const { treasury, make, ask, served } = await openKeys(t);
  const key = await make(alice, { allow: ['vaults:*', 'streams:*', '*:read', 'transactions:broadcast'] });
  const address = treasury.addressOf(mallory).text;
  for (const [method, path, body] of [
    ['POST', '/api/keys', { name: 'more', allow: ['*:read'] }],
    ['GET', '/api/keys', undefined],
    ['GET', '/api/keys/key-1', undefined],
    ['DELETE', '/api/keys/key-1', undefined],
    ['POST', '/api/auth/challenge', { address }],
    ['POST', '/api/auth/token', { address, challenge: 'x', signature: 'x' }],
    ['POST', '/api/vaults/VAULT-0001/signers', { signerAddress: address }],
  ] as const) {
    const answer = await ask(key, method, path, body);
    t.like(answer, { status: 403, body: { code: 'key_not_allowed' } }, `${method} ${path}`);
    t.regex(String(answer.body['error']), /no key may do it/);
  }
  const allowed = await served.call(
    'POST',
    '/api/keys',
    { name: 'x', allow: ['keys:*'] },
    { token: await served.logIn(alice) },
  );
  t.like(allowed, { status: 400, body: { code: 'invalid_input' } });
  t.regex(String(allowed.body['error']), /to no key/);
});

test('a key › for some records › every record that is named is one of them, and no list shows others', async (t) => {
  const { treasury, make, ask } = await openKeys(t);
  await createStream(treasury);
  await createStream(treasury);
  const allow = ['streams:*', 'price:read', 'transactions:broadcast'];
  const key = await make(alice, { allow, records: ['stream-0001'] });
  const codeOf = async (method: string, path: string, body?: Record<string, unknown>) =>
    (await ask(key, method, path, body)).body['code'];

  for (const name of ['STREAM-0001', 'stream-0001', '%23STREAM-0001'])
    t.is((await ask(key, 'GET', `/api/streams/${name}`)).status, 200, name);
  for (const path of ['STREAM-0002', 'STREAM-0001%20x', 'STREAM-00001', '%2e%2e%2fSTREAM-0001'])
    t.is(await codeOf('GET', `/api/streams/${path}`), 'key_not_allowed', path);
  for (const path of [
    '/api/streams',
    '/api/streams/activity',
    '/api/streams/batch-runs',
    '/api/streams?id=STREAM-0001',
  ])
    t.is(await codeOf('GET', path), 'key_not_allowed', path);
  t.is(await codeOf('POST', '/api/streams/create', {}), 'key_not_allowed');
  t.is(await codeOf('POST', '/api/streams/STREAM-0002/cancel', { id: 'STREAM-0001' }), 'key_not_allowed');
  t.not(await codeOf('POST', '/api/streams/STREAM-0001/cancel', {}), 'key_not_allowed');
  t.is(await codeOf('POST', '/api/streams/STREAM-0001/cancel', { vaultId: 'VAULT-0009' }), 'key_not_allowed');
  // What concerns no record stays.
  t.not(await codeOf('GET', '/api/price/bch-usd'), 'key_not_allowed');
  t.is((await ask(key, 'GET', '/api/streams/templates')).status, 200);
  t.is(await codeOf('POST', '/api/transactions/broadcast', { transaction: '00' }), 'tx_malformed');
});

test('a key › revoked, expired, of elsewhere, made up › it is refused by name', async (t) => {
  const { treasury, make, ask, served, tokenOf } = await openKeys(t);
  const path = '/api/streams';
  const allow = ['streams:read'];
  const revoked = await make(alice, { name: 'old', allow });
  t.is((await ask(revoked, 'GET', path)).status, 200);
  const token = await tokenOf(alice);
  t.like(await served.call('DELETE', '/api/keys/old', undefined, { token: await tokenOf(bob) }), {
    body: { code: 'key_not_found' },
  });
  t.like(await served.call('DELETE', '/api/keys/old', undefined, { token }), { body: { status: 'revoked' } });
  t.like(await ask(revoked, 'GET', path), { status: 401, body: { code: 'key_revoked' } });

  const far = await make(alice, { allow, from: ['203.0.113.0/24', '2001:db8::/32'] });
  t.like(await ask(far, 'GET', path), { status: 403, body: { code: 'key_not_allowed' } });
  const near = await make(alice, { allow, from: ['203.0.113.0/24', '127.0.0.0/8'] });
  t.is((await ask(near, 'GET', path)).status, 200);

  const brief = await make(alice, { allow, expires: 60 });
  treasury.pass(60);
  t.like(await ask(brief, 'GET', path), { status: 401, body: { code: 'key_expired' } });

  for (const guess of [`${near.slice(0, -1)}!`, `tk_${'A'.repeat(22)}`, 'tk_', `${near}A`])
    t.is((await ask(guess, 'GET', path)).status, 401, guess);
  const other = await openKeys(t);
  t.like(await other.ask(near, 'GET', path), { status: 401, body: { code: 'invalid_key' } });
});

test('a key › in a query, a body, a path or an id › it is no credential, and no line of the log has it', async (t) => {
  const lines: string[] = [];
  const keep: Log['info'] = (fields, message) => {
    lines.push(
      JSON.stringify([fields, message, fields['err'] instanceof Error ? fields['err'].stack : null]),
    );
  };
  const log = { info: keep, warn: keep, error: keep };
  const { make, served, treasury, ask } = await openKeys(t, { log });
  const key = await make(alice, { allow: ['vaults:read'] });
  for (const name of ['key', 'token', 'access_token', 'authorization'])
    t.is((await served.call('GET', `/api/vaults?${name}=${key}`)).status, 401, name);
  t.is((await served.call('POST', '/api/vaults', { key, authorization: `Bearer ${key}` })).status, 401);
  await served.call('GET', `/api/streams/${key}`);
  await served.call('GET', `/api/${key}`);
  await fetch(`${served.url}/api/vaults`, {
    headers: { 'x-request-id': key, authorization: `Bearer ${key}` },
  });
  await fetch(`${served.url}/api/vaults`, { headers: { authorization: `Basic ${key}` } });
  t.is((await fetch(`${served.url}/api/vaults`, { headers: { cookie: `key=${key}` } })).status, 401);
  t.is((await ask(key, 'POST', '/api/vaults', { name: key })).status, 403);
  t.true(lines.length > 8);
  t.deepEqual(
    lines.filter((line) => line.includes(key.slice(7, -4))),
    [],
  );

  // Nor has the store: what is kept of it is a hash.
  const { items } = await treasury.app.context.store.find(scriptKeyCollection);
  t.false(JSON.stringify(items).includes(key));
});

test('a key › beside an address › both must be of one', async (t) => {
  const { make, served, treasury } = await openKeys(t);
  const token = await make(alice, { allow: ['vaults:read'] });
  const [own, other] = [treasury.addressOf(alice).text, treasury.addressOf(bob).text];
  t.is((await served.call('GET', '/api/vaults', undefined, { token, address: own })).status, 200);
  t.like(await served.call('GET', '/api/vaults', undefined, { token, address: other }), {
    body: { code: 'address_token_mismatch' },
  });
});

test('a key › used again and again › that is noted once a minute', async (t) => {
  const { make, ask, treasury } = await openKeys(t);
  const key = await make(alice, { allow: ['vaults:read'] });
  const usedAt = async () =>
    (await treasury.app.context.store.find(scriptKeyCollection)).items[0]?.last_used_at;
  t.is(await usedAt(), null);
  await ask(key, 'GET', '/api/vaults');
  const first = await usedAt();
  treasury.pass(59);
  await ask(key, 'GET', '/api/vaults');
  t.is(await usedAt(), first);
  treasury.pass(1);
  await ask(key, 'GET', '/api/vaults');
  t.is(await usedAt(), Number(first) + 60);
});

test('keys › asked about › they are told to whoever made them, without their text', async (t) => {
  const { make, served, tokenOf } = await openKeys(t);
  const key = await make(alice, { name: 'ci', allow: ['streams:fund', 'vaults:deposit'], max: ['0.5/30d'] });
  await make(bob, { name: 'ci', allow: ['*:read'] });
  const token = await tokenOf(alice);
  const { body } = await served.call('GET', '/api/keys', undefined, { token });
  t.is(body['total'], 1);
  t.false(JSON.stringify(body).includes(key));
  t.like((body['keys'] as object[])[0], {
    label: '#KEY-0001',
    name: 'ci',
    shown: `${key.slice(0, 7)}…${key.slice(-4)}`,
    status: 'active',
    allow: ['streams:funding-info', 'streams:confirm-funding', 'vaults:deposit', 'vaults:update-balance'],
    records: null,
  });
  t.like(await served.call('GET', '/api/keys/KEY-0002', undefined, { token }), { status: 404 });
  t.like(await served.call('POST', '/api/keys', { name: 'ci', allow: ['*:read'] }, { token }), {
    status: 409,
    body: { code: 'key_exists' },
  });
});

test('keys › asked for with nonsense › each says what is wrong, and none is made', async (t) => {
  const { served, tokenOf, treasury } = await openKeys(t);
  const token = await tokenOf(alice);
  const wrong: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ allow: ['streams:clam'] }, /allow: "streams:clam" is nothing that there is: .*streams:claim/],
    [{ allow: ['stream:claim'] }, /streams/],
    [{ allow: ['*:*'] }, /more than anybody means/],
    [{ allow: ['*:claim'] }, /name the noun/],
    [{ allow: [' , '] }, /empty/],
    [{ allow: ['vaults:add-signer'] }, /to no key/],
    [{ allow: ['*:read'], records: ['PAY-0404'] }, /no record "PAY-0404"/],
    [{ allow: ['*:read'], records: [','] }, /records: is empty/],
    [{ allow: ['*:read'], max: ['0.5'] }, /max: "0.5" is none: expected an amount in a time/],
    [{ allow: ['*:read'], max: ['-1/30d'] }, /max/],
    [{ allow: ['*:read'], max: ['0/30d'] }, /max/],
    [{ allow: ['*:read'], max: ['1/30'] }, /max: "30" is not a duration/],
    [{ allow: ['*:read'], max: ['1 NOPE/30d'] }, /max: "NOPE"/],
    [{ allow: ['*:read'], from: ['10.0.0.0/33'] }, /from: "10.0.0.0\/33" is no network/],
    [{ allow: ['*:read'], from: ['somewhere'] }, /no network/],
    [{ allow: ['*:read'], expires: 1 }, /expires/],
    [{ allow: ['*:read'], name: 'a b' }, /name/],
  ];
  for (const [terms, words] of wrong) {
    const { status, body } = await served.call('POST', '/api/keys', { name: 'ci', ...terms }, { token });
    t.is(status, 400, JSON.stringify(body));
    t.regex(String(body['error']), words);
  }
  t.is((await treasury.app.context.store.find(scriptKeyCollection)).total, 0);
});

test('keys › where the address header is trusted › a token makes them all the same, and they say whom they do not restrict', async (t) => {
  const { served, tokenOf, treasury } = await openKeys(t, { trustAddressHeader: true });
  const asked = { name: 'ci', allow: ['*:read'] };
  const address = treasury.addressOf(alice).text;
  t.like(await served.call('POST', '/api/keys', asked, { address }), { status: 401 });
  const { body } = await served.call('POST', '/api/keys', asked, { token: await tokenOf(alice) });
  t.regex(String(body['warning']), /restricts nobody where x-user-address is taken on its word/);
  const strict = await openKeys(t);
  const made = await strict.served.call('POST', '/api/keys', asked, { token: await strict.tokenOf(alice) });
  t.is(made.body['warning'], null);
});

test('where keys are required › nothing else is taken, but for the questions of balancers', async (t) => {
  const { served, make, ask, tokenOf, treasury } = await openKeys(t, {
    requireKeys: true,
    trustAddressHeader: true,
  });
  const key = await make(alice, { allow: ['*:read'] });
  const address = treasury.addressOf(alice).text;
  t.is((await ask(key, 'GET', '/api/vaults')).status, 200);
  for (const naming of [{}, { address }, { token: await tokenOf(alice) }])
    for (const path of ['/api/vaults', '/api/streams', '/api/streams/templates', '/api/keys'])
      t.like(await served.call('GET', path, undefined, naming), {
        status: 401,
        body: { code: 'key_required' },
      });
  t.like(await served.call('POST', '/api/auth/challenge', { address }), { body: { code: 'key_required' } });
  for (const path of ['/api', '/api/health', '/api/health/ready', '/api/status', '/api/openapi.json'])
    t.is((await served.call('GET', path)).status, 200, path);
  const document = (await served.call('GET', '/api/openapi.json')).body;
  t.like(document, { paths: { '/api/vaults': { get: { security: [{ key: [] }] } } } });
});

test('guessing › keys › costs the guesser as much as guessing tokens', async (t) => {
  const { ask, make } = await openKeys(t, { ratePerMinute: 40 });
  const good = await make(alice, { allow: ['vaults:read'] });
  const statuses: number[] = [];
  for (let guess = 0; guess < 45; guess += 1)
    statuses.push((await ask(`tk_${String(guess).padStart(22, 'x')}`, 'GET', '/api/vaults')).status);
  t.true(statuses.includes(401));
  t.is(statuses.at(-1), 429);
  // Whoever has one is counted by their address, not by where they are.
  t.is((await ask(good, 'GET', '/api/vaults')).status, 200);
});

test('a key › revoked by another process while its request is being read › that request is refused', async (t) => {
  const { make, served, treasury, tokenOf } = await openKeys(t);
  await createStream(treasury);
  const key = await make(alice, { name: 'slow', allow: ['streams:*'] });
  const token = await tokenOf(alice);
  // The body comes in two parts; between them the key is revoked.
  let revoked = false;
  async function* body() {
    yield new TextEncoder().encode('{"id":');
    await served.call('DELETE', '/api/keys/slow', undefined, { token });
    revoked = true;
    yield new TextEncoder().encode('"STREAM-0001"}');
  }
  const response = await fetch(`${served.url}/api/streams/STREAM-0001/cancel`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body(),
    duplex: 'half',
  });
  t.true(revoked);
  t.is(response.status, 401);
  t.like(await response.json(), { code: 'key_revoked' });
});

test('a key › with the Idempotency-Key of a token’s request › it gets no answer that was the token’s', async (t) => {
  const { make, served, treasury, tokenOf } = await openKeys(t);
  await treasury.give(alice, 1_000_000n);
  const token = await tokenOf(alice);
  const key = await make(alice, { allow: ['streams:create'] });
  const create = async (bearer: string) => {
    const response = await fetch(`${served.url}/api/streams/create`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        'idempotency-key': 'one',
      },
      body: JSON.stringify({
        recipient: treasury.addressOf(bob).text,
        totalAmount: 0.1,
        streamType: 'LINEAR',
      }),
    });
    return { replayed: response.headers.get('idempotent-replayed'), status: response.status };
  };
  t.deepEqual(await create(token), { replayed: null, status: 200 });
  t.deepEqual(await create(token), { replayed: 'true', status: 200 });
  t.deepEqual(await create(key), { replayed: null, status: 200 });
  t.deepEqual(await create(key), { replayed: 'true', status: 200 });
});

test('keys › of a home that is opened again › are good there', async (t) => {
  const { make, treasury } = await openKeys(t);
  const key = await make(alice, { allow: ['vaults:read'] });
  const daemon = await startDaemon({
    app: { ...treasury.app, close: () => Promise.resolve() },
    port: 0,
    signals: null,
    trustAddressHeader: false,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  t.teardown(() => daemon.stop());
  const { call } = clientOf(daemon.url, { naming: 'given' });
  t.is((await call('GET', '/api/vaults', undefined, { token: key })).status, 200);
  t.is((await treasury.app.context.store.find(keyBuildCollection)).total, 0);
});

test('keys › made, refused again and again, and revoked › the log of events tells each, a refusal once a minute', async (t) => {
  const { make, ask, served, tokenOf, treasury } = await openKeys(t);
  const key = await make(alice, { name: 'told', allow: ['vaults:read'] });
  for (let time = 0; time < 3; time += 1) await ask(key, 'POST', '/api/streams/create', {});
  treasury.pass(60);
  await ask(key, 'GET', '/api/payments');
  await served.call('DELETE', '/api/keys/told', undefined, { token: await tokenOf(alice) });
  await ask(key, 'GET', '/api/vaults');
  const { entries } = await treasury.app.context.store.readLog(eventLog, { after: 0, limit: 100 });
  const told = entries.filter(({ type }) => type.startsWith('key.'));
  t.deepEqual(
    told.map(({ type, data }) => [type, data['operation']]),
    [
      ['key.created', undefined],
      ['key.refused', 'streams.create'],
      ['key.refused', 'payments.list'],
      ['key.revoked', undefined],
    ],
  );
  for (const event of told) {
    t.like(event, {
      subject: { kind: 'key', label: '#KEY-0001' },
      parties: [treasury.addressOf(alice).text],
    });
    t.false(JSON.stringify(event).includes(key));
  }
});
