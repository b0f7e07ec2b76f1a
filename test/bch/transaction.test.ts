import { binToHex, hexToBin } from '@bitauth/libauth';
import test from 'ava';
import fc from 'fast-check';
import type { Output } from '../../src/bch/coins.js';
import {
  coinAt,
  decodeRaw,
  decodeTransaction,
  dustOf,
  encodeRaw,
  feeFor,
  fromLibauthOutput,
  isTxid,
  outputSize,
  toLibauthOutput,
} from '../../src/bch/transaction.js';
import { TreasuryError } from '../../src/errors.js';

fc.configureGlobal({ seed: 20_260_601 });

/** The coinbase of block 0. */
const raw =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000';
const txid = '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b';

const p2pkh = `76a914${'11'.repeat(20)}88ac`;
const p2sh32 = `aa20${'22'.repeat(32)}87`;
const category = 'cc'.repeat(32);

test('transaction › given the coinbase of block 0 › it is read with its id', (t) => {
  const transaction = decodeTransaction(raw);
  t.like(transaction, { txid, version: 1, locktime: 0 });
  t.deepEqual(transaction.inputs[0]?.vout, 0xffffffff);
  t.deepEqual(
    transaction.outputs.map(({ satoshis }) => satoshis),
    [5_000_000_000n],
  );
});

test('transaction › given raw hex › decoding and encoding give it back', (t) => {
  t.is(encodeRaw(decodeRaw(raw)), raw);
});

const malformed = [
  ['nothing', ''],
  ['no hex', 'xyz!'],
  ['half a byte', raw.slice(0, -1)],
  ['a cut end', raw.slice(0, -2)],
  ['a byte too many', `${raw}00`],
] as const;

for (const [name, text] of malformed) {
  test(`transaction › given ${name} › it is tx_malformed`, (t) => {
    const error = t.throws(() => decodeTransaction(text), { instanceOf: TreasuryError });
    t.is(error.code, 'tx_malformed');
    t.is(typeof error.details['reason'], 'string');
  });
}

const fees = [
  [0, 0n],
  [1, 2n],
  [50, 51n],
  [51, 53n],
  [226, 231n],
] as const;

for (const [size, fee] of fees) {
  test(`fee › given ${size} bytes › it is ${fee} satoshis`, (t) => {
    t.is(feeFor(size), fee);
  });
}

test('fee › property › it is at least 1 satoshi a byte, and 2 % and 1 satoshi more at most', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), (size) => {
      t.true(feeFor(size) >= BigInt(size));
      t.true(Number(feeFor(size)) <= size * 1.02 + 1);
    }),
  );
});

// Source: BCH standardness, (size + 148) * 3.
const dusts: readonly (readonly [name: string, output: Omit<Output, 'satoshis'>, dust: bigint])[] = [
  ['a P2PKH output', { lockingBytecode: p2pkh }, 546n],
  ['a P2SH32 output', { lockingBytecode: p2sh32 }, 576n],
  [
    'a P2SH32 output with a thread of 40 bytes',
    {
      lockingBytecode: p2sh32,
      token: { category, amount: 0n, nft: { capability: 'mutable', commitment: '00'.repeat(40) } },
    },
    801n,
  ],
  [
    'a P2PKH output with the largest token amount',
    { lockingBytecode: p2pkh, token: { category, amount: 2n ** 63n - 1n } },
    675n,
  ],
  ['data (OP_RETURN)', { lockingBytecode: '6a0401020304' }, 0n],
];

for (const [name, output, dust] of dusts) {
  test(`dust › given ${name} › it is ${dust} satoshis`, (t) => {
    t.is(dustOf({ ...output, satoshis: 0n }), dust);
  });
}

test('output size › given a P2PKH output › it is 34 bytes', (t) => {
  t.is(outputSize({ lockingBytecode: p2pkh, satoshis: 546n }), 34);
});

test('coin › given an output of a mined transaction › it is that output with its outpoint and height', (t) => {
  const transaction = decodeTransaction(raw);
  const coin = coinAt({ transaction, height: 0, blockTime: 1_231_006_505 }, 0);
  t.deepEqual(coin, { ...transaction.outputs[0], txid, vout: 0, height: 0 });
});

test('coin › given an index that the transaction does not have › it is null', (t) => {
  t.is(coinAt({ transaction: decodeTransaction(raw), height: null, blockTime: null }, 1), null);
});

for (const [text, expected] of [
  [category, true],
  [category.toUpperCase(), false],
  [category.slice(2), false],
  [`${category}\n`, false],
] as const) {
  test(`transaction id › given ${JSON.stringify(text)} › it is ${expected ? 'one' : 'none'}`, (t) => {
    t.is(isTxid(text), expected);
  });
}

const hex = (minimum: number, maximum: number) =>
  fc.uint8Array({ minLength: minimum, maxLength: maximum }).map((bytes) => binToHex(bytes));

const outputs: fc.Arbitrary<Output> = fc.record(
  {
    lockingBytecode: hex(0, 60),
    satoshis: fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n }),
    token: fc.record(
      {
        category: hex(32, 32),
        amount: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
        nft: fc.record({
          capability: fc.constantFrom('none', 'mutable', 'minting'),
          commitment: hex(0, 40),
        }),
      },
      { requiredKeys: ['category', 'amount'] },
    ),
  },
  { requiredKeys: ['lockingBytecode', 'satoshis'] },
);

test('output › property › libauth and back gives the same output', (t) => {
  fc.assert(
    fc.property(outputs, (output) => {
      t.deepEqual(fromLibauthOutput(toLibauthOutput(output)), output);
    }),
  );
});

test('transaction › property › its outputs are on the wire as they were given', (t) => {
  // A token of nothing is no token on the wire.
  const encodable = outputs.filter(({ token }) => token?.nft !== undefined || token?.amount !== 0n);
  fc.assert(
    fc.property(fc.array(encodable, { minLength: 1, maxLength: 4 }), (given) => {
      const encoded = encodeRaw({
        version: 2,
        locktime: 0,
        inputs: [
          {
            outpointTransactionHash: hexToBin(category),
            outpointIndex: 1,
            sequenceNumber: 0,
            unlockingBytecode: Uint8Array.of(),
          },
        ],
        outputs: given.map(toLibauthOutput),
      });
      const { inputs, outputs: read } = decodeTransaction(encoded);
      t.deepEqual(read, given);
      t.deepEqual(inputs, [{ txid: category, vout: 1, sequence: 0, unlockingBytecode: '' }]);
    }),
  );
});
