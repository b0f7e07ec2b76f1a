import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { TreasuryError } from '../../src/errors.js';
import {
  HEADERS,
  isSignedBy,
  readSecret,
  signedHeaders,
  writeSecret,
} from '../../src/operation/webhook-signature.js';

const secretOf = (byte: number, length = 32): string => writeSecret(new Uint8Array(length).fill(byte));
const now = Math.floor(Date.now() / 1000);
const message = { id: 'msg_1', timestamp: now, body: '{"type":"stream.claimed"}' };

test('signature › the vector of the specification › ours is the same', (t) => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const signed = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  t.is(signedHeaders(signed, [secret])[HEADERS.signature], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('signature › given a message of ours › standardwebhooks verifies it, and no other', (t) => {
  const headers = signedHeaders(message, [secretOf(1)]);
  t.deepEqual(new Webhook(secretOf(1)).verify(message.body, headers), { type: 'stream.claimed' });
  t.throws(() => new Webhook(secretOf(2)).verify(message.body, headers));
  t.throws(() => new Webhook(secretOf(1)).verify('{"type":"stream.funded"}', headers));
  t.throws(() => new Webhook(secretOf(1)).verify(message.body, { ...headers, [HEADERS.id]: 'msg_2' }));
});

test('signature › given two secrets › each of them verifies it', (t) => {
  const headers = signedHeaders(message, [secretOf(1), secretOf(2)]);
  t.is(headers[HEADERS.signature].split(' ').length, 2);
  for (const byte of [1, 2]) t.notThrows(() => new Webhook(secretOf(byte)).verify(message.body, headers));
});

test('signature › given a message of standardwebhooks › ours takes it for as long as it is young', (t) => {
  const signature = new Webhook(secretOf(3)).sign(message.id, new Date(now * 1000), message.body);
  const headers = {
    [HEADERS.id]: message.id,
    [HEADERS.timestamp]: String(now),
    [HEADERS.signature]: signature,
  };
  t.true(isSignedBy([secretOf(3)], headers, message.body, now));
  t.true(isSignedBy([secretOf(1), secretOf(3)], headers, message.body, now + 300));
  t.false(isSignedBy([secretOf(3)], headers, message.body, now + 301));
  t.false(isSignedBy([secretOf(3)], headers, message.body, now - 301));
  t.false(isSignedBy([secretOf(1)], headers, message.body, now));
  t.false(isSignedBy([secretOf(3)], headers, `${message.body} `, now));
  t.false(isSignedBy([secretOf(3)], { ...headers, [HEADERS.signature]: undefined }, message.body, now));
  t.false(isSignedBy([secretOf(3)], { ...headers, [HEADERS.timestamp]: 'NaN' }, message.body, now));
});

for (const [what, secret] of [
  ['no prefix', Buffer.alloc(32).toString('base64')],
  ['23 bytes', secretOf(1, 23)],
  ['65 bytes', secretOf(1, 65)],
  ['no base64', 'whsec_not base64 at all, however long it may be'],
  ['a line break', `${secretOf(1)}\r\nx-forged: yes`],
  ['nothing', ''],
] as const) {
  test(`secret › given one with ${what} › it is refused, and not repeated`, (t) => {
    const error = t.throws(() => readSecret(secret), { instanceOf: TreasuryError });
    t.is(error.code, 'invalid_input');
    if (secret !== '') t.false(JSON.stringify([error.message, error.details]).includes(secret));
  });
}

test('secret › given 24 to 64 bytes › it is taken', (t) => {
  for (const length of [24, 32, 64]) t.is(readSecret(secretOf(7, length)).length, length);
});

for (const id of ['', 'a.b', 'a\r\nx-forged: yes', 'ü', 'a'.repeat(101)]) {
  test(`headers › given the id ${JSON.stringify(id.slice(0, 20))} › it is refused`, (t) => {
    const error = t.throws(() => signedHeaders({ ...message, id }, [secretOf(1)]), {
      instanceOf: TreasuryError,
    });
    t.is(error.code, 'invalid_input');
  });
}

test('headers › given no secret › nothing goes out unsigned', (t) => {
  t.throws(() => signedHeaders(message, []), { instanceOf: TreasuryError });
});
