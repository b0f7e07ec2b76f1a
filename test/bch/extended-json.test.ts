import { stringify } from '@bitauth/libauth';
import test from 'ava';
import fc from 'fast-check';
import { decodeExtended, encodeExtended } from '../../src/bch/signing-request.js';

/** Text that looks like a mark is read as one, so it is left out here and has a test of its own. */
const plainText = fc.string().filter((text) => !text.startsWith('<'));
const bytes = fc.uint8Array({ maxLength: 80 }).map((array) => Uint8Array.from(array));
const key = fc.string().filter((text) => text !== '__proto__');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    bytes,
    fc.bigInt(),
    fc.boolean(),
    fc.integer(),
    plainText,
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(key, tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries) as unknown),
  ),
}));

test('extended JSON › any tree of bytes, bigints and JSON › decode(encode(x)) is x', (t) => {
  fc.assert(fc.property(value, (tree) => t.deepEqual(decodeExtended(encodeExtended(tree)), tree)));
});

test('extended JSON › any encoded tree › encode(decode(x)) is x', (t) => {
  fc.assert(
    fc.property(value.map(encodeExtended), (tree) => t.deepEqual(encodeExtended(decodeExtended(tree)), tree)),
  );
});

test('extended JSON › any tree › its JSON text is what libauth writes', (t) => {
  fc.assert(
    fc.property(value, (tree) => t.is(JSON.stringify(encodeExtended(tree), null, 2), stringify(tree))),
  );
});

test('extended JSON › bytes and bigints › they carry the marks of wc2-bch-bcr', (t) => {
  t.deepEqual(
    encodeExtended({ bytes: Uint8Array.of(0, 255), none: new Uint8Array(), sats: 1000n, burnt: -1n }),
    {
      bytes: '<Uint8Array: 0x00ff>',
      none: '<Uint8Array: 0x>',
      sats: '<bigint: 1000n>',
      burnt: '<bigint: -1n>',
    },
  );
});

for (const text of [
  '<Uint8Array: 0x0>',
  '<Uint8Array: 0xzz>',
  '<bigint: n>',
  '<bigint: 1>',
  ' <bigint: 1n>',
]) {
  test(`extended JSON › the text "${text}", which is no mark › it stays text`, (t) => {
    t.is(decodeExtended(text), text);
  });
}

test('extended JSON › a property that is undefined › it is left out', (t) => {
  t.deepEqual(encodeExtended({ token: undefined, value: 1n }), { value: '<bigint: 1n>' });
});
