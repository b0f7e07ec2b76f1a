import test from 'ava';
import fc from 'fast-check';
import { bytes, commitment } from '../../src/bch/commitment.js';

const every = commitment({ status: 'u8', count: 'u32', at: 'u40', pool: 'u64', recipient: bytes(20) });

const vectors = [
  {
    name: 'all zero',
    hex: '00'.repeat(38),
    state: { status: 0, count: 0, at: 0, pool: 0n, recipient: '00'.repeat(20) },
  },
  {
    name: 'little-endian integers',
    hex: `01040302010065cd1d000807060504030201${'ab'.repeat(20)}`,
    state: {
      status: 1,
      count: 0x01020304,
      at: 500_000_000,
      pool: 0x0102030405060708n,
      recipient: 'ab'.repeat(20),
    },
  },
  {
    name: 'the largest values',
    hex: `7fffffff7fffffffff7fffffffffffffff7f${'ff'.repeat(20)}`,
    state: {
      status: 127,
      count: 2 ** 31 - 1,
      at: 2 ** 39 - 1,
      pool: 2n ** 63n - 1n,
      recipient: 'ff'.repeat(20),
    },
  },
];

for (const { name, hex, state } of vectors) {
  test(`commitment › given ${name} › it encodes the vector`, (t) => {
    t.is(every.encode(state), hex);
  });

  test(`commitment › given ${name} › it decodes the vector`, (t) => {
    t.deepEqual(every.decode(hex), state);
  });
}

test('commitment › it says its size and where each field stands', (t) => {
  t.is(every.size, 38);
  t.deepEqual(every.offsets, {
    status: { offset: 0, size: 1 },
    count: { offset: 1, size: 4 },
    at: { offset: 5, size: 5 },
    pool: { offset: 10, size: 8 },
    recipient: { offset: 18, size: 20 },
  });
});

test('commitment › given upper-case hex › it decodes bytes as lower-case hex', (t) => {
  t.deepEqual(commitment({ key: bytes(2) }).decode('ABCD'), { key: 'abcd' });
});

const zero = vectors[0]?.state as Parameters<typeof every.encode>[0];
const refusedStates: readonly (readonly [string, object])[] = [
  ['a negative number', { status: -1 }],
  ['a number with its top bit set', { status: 128 }],
  ['a fraction', { count: 1.5 }],
  ['a number above u40', { at: 2 ** 39 }],
  ['a number where a bigint is due', { pool: 1 }],
  ['a bigint with its top bit set', { pool: 2n ** 63n }],
  ['bytes that are too short', { recipient: 'ab' }],
  ['bytes that are too long', { recipient: 'ab'.repeat(21) }],
  ['upper-case bytes', { recipient: 'AB'.repeat(20) }],
];

for (const [name, change] of refusedStates) {
  test(`commitment › given ${name} › encode refuses and names the field`, (t) => {
    const error = t.throws(() => every.encode({ ...zero, ...change }), { instanceOf: RangeError });
    t.true(error.message.startsWith(`${Object.keys(change).join('')}: `), error.message);
  });
}

const refusedHex = [
  ['one byte less', '00'.repeat(37)],
  ['one byte more', '00'.repeat(39)],
  ['nothing', ''],
  ['no hex', 'zz'.repeat(38)],
  ['a u8 with its top bit set', `80${'00'.repeat(37)}`],
  ['a u40 with its top bit set', `${'00'.repeat(9)}80${'00'.repeat(28)}`],
  ['a u64 with its top bit set', `${'00'.repeat(17)}80${'00'.repeat(20)}`],
] as const;

for (const [name, hex] of refusedHex) {
  test(`commitment › given ${name} › decode answers null`, (t) => {
    t.is(every.decode(hex), null);
  });
}

test('commitment › given more than 40 bytes › the declaration is refused', (t) => {
  t.is(commitment({ all: bytes(40) }).size, 40);
  t.throws(() => commitment({ all: bytes(40), status: 'u8' }), { instanceOf: RangeError });
});

const states = fc.record({
  status: fc.integer({ min: 0, max: 127 }),
  count: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  at: fc.integer({ min: 0, max: 2 ** 39 - 1 }),
  pool: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  recipient: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bin) => Buffer.from(bin).toString('hex')),
});

test('commitment › property › what is encoded decodes to itself', (t) => {
  fc.assert(
    fc.property(states, (state) => {
      t.deepEqual(every.decode(every.encode(state)), state);
    }),
  );
});

test('commitment › property › bytes are null or encode to themselves', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 38, maxLength: 38 }), (bin) => {
      const hex = Buffer.from(bin).toString('hex');
      const state = every.decode(hex);
      const topBit = [0, 4, 9, 17].some((index) => (bin[index] ?? 0) >= 0x80);
      t.is(state === null ? null : every.encode(state), topBit ? null : hex);
    }),
  );
});
