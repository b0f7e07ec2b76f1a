import { base64ToBin, binToBase64, hash160, hash256, hexToBin, secp256k1, utf8ToBin } from '@bitauth/libauth';
import test from 'ava';
import fc from 'fast-check';
import { alice, bob } from '../../fixtures/people.js';
import { addressOfHash, parseAddress } from '../../src/bch/address.js';
import { decodeWif, signerOf } from '../../src/bch/keys.js';
import { signMessage, verifyMessage } from '../../src/bch/signed-message.js';

const local = alice.address('local');
const text = 'Pay nobody.\nÄ – 한국어 🪙';
const signature = signMessage(text, alice.privateKey);
const signatureBytes = base64ToBin(signature);

/** Key, message and signature of the README of bitcoinjs-message, a widely used implementation. */
const vector = {
  wif: 'L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1',
  message: 'This is an example of a signed message.',
  signature: 'H9L5yLFjti0QTHhPyFrZCT1V/MMnBtXKmoiKDZ78NDBjERki6ZTQZdSMCtkgoNmp17By9ItJr8o7ChX0XxY91nk=',
};
const vectorKey = decodeWif(vector.wif, 'mainnet');
const vectorAddress = signerOf('vector', vectorKey, 'mainnet').address;

test('signed message › the vector of another implementation › the same signature is made', (t) => {
  t.is(signMessage(vector.message, vectorKey), vector.signature);
});

test('signed message › the vector of another implementation › it verifies', (t) => {
  t.true(verifyMessage(vector.message, vector.signature, vectorAddress));
});

test('signed message › what alice signed › it is hers', (t) => {
  t.true(verifyMessage(text, signature, local));
});

test('signed message › what alice signed › it is hers under every form of her address', (t) => {
  t.true(verifyMessage(text, signature, parseAddress(local.tokenText)));
  t.true(verifyMessage(text, signature, alice.address('mainnet')));
});

test('signed message › what alice signed › it is not bob’s', (t) => {
  t.false(verifyMessage(text, signature, bob.address('local')));
});

test('signed message › one letter changed › it is not hers', (t) => {
  t.false(verifyMessage(`${text}.`, signature, local));
});

test('signed message › a contract’s address with her key hash › false', (t) => {
  t.false(verifyMessage(text, signature, { ...local, kind: 'p2sh' }));
});

test('signed message › any text › it verifies, whatever its length', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (any) =>
      verifyMessage(any, signMessage(any, alice.privateKey), local),
    ),
    { numRuns: 30 },
  );
  const long = 'x'.repeat(70_000);
  t.true(verifyMessage(long, signMessage(long, alice.privateKey), local));
});

test('signed message › a text of 253 bytes or more › its length takes three bytes', (t) => {
  const message = 'm'.repeat(253);
  const preimage = Uint8Array.from([
    ...utf8ToBin('\u0018Bitcoin Signed Message:\n'),
    ...hexToBin('fdfd00'),
    ...utf8ToBin(message),
  ]);
  const signed = secp256k1.signMessageHashRecoverableCompact(alice.privateKey, hash256(preimage));
  if (typeof signed === 'string') throw new Error(signed);
  t.true(
    verifyMessage(
      message,
      binToBase64(Uint8Array.from([31 + signed.recoveryId, ...signed.signature])),
      local,
    ),
  );
});

test('signed message › a signature of an uncompressed key › it is that key’s address, and not the compressed one’s', (t) => {
  const uncompressed = secp256k1.derivePublicKeyUncompressed(alice.privateKey) as Uint8Array;
  const bytes = Uint8Array.from(signatureBytes);
  bytes[0] = (bytes[0] ?? 0) - 4;
  t.true(verifyMessage(text, binToBase64(bytes), addressOfHash(hash160(uncompressed), 'local')));
  t.false(verifyMessage(text, binToBase64(bytes), local));
});

for (const [what, nonsense] of [
  ['nothing', ''],
  ['no base64', '%%%'],
  ['64 bytes', binToBase64(signatureBytes.slice(1))],
  ['66 bytes', binToBase64(Uint8Array.from([...signatureBytes, 0]))],
  ['the header 26', binToBase64(Uint8Array.from([26, ...signatureBytes.slice(1)]))],
  ['the header 35', binToBase64(Uint8Array.from([35, ...signatureBytes.slice(1)]))],
  ['zeros behind the header', binToBase64(Uint8Array.from([31, ...new Uint8Array(64)]))],
  ['a number above the curve', binToBase64(Uint8Array.from([31, ...new Uint8Array(64).fill(255)]))],
] as const) {
  test(`signed message › ${what} in place of a signature › false`, (t) => {
    t.false(verifyMessage(text, nonsense, local));
  });
}
