import test from 'ava';
import type { Transaction as LibauthTransaction } from '@bitauth/libauth';
import type { Output, Token } from '../../src/bch/coins.js';
import { parseDigest, transactionDigest } from '../../src/bch/digest.js';
import { networkNames, type Network } from '../../src/bch/network.js';
import { toLibauthOutput, toLibauthTransaction, type TransactionInput } from '../../src/bch/transaction.js';

/** A transaction with what it spends, so that any of it can be changed alone. */
type Case = {
  readonly network: Network;
  readonly version: number;
  readonly locktime: number;
  readonly inputs: readonly TransactionInput[];
  readonly spent: readonly Output[];
  readonly outputs: readonly Output[];
};

const token = (commitment: string): Token => ({
  category: 'aa'.repeat(32),
  amount: 5n,
  nft: { capability: 'mutable', commitment },
});

const START: Case = {
  network: 'chipnet',
  version: 2,
  locktime: 1_780_000_000,
  inputs: [
    { txid: '11'.repeat(32), vout: 0, sequence: 0xfffffffe, unlockingBytecode: '' },
    { txid: '22'.repeat(32), vout: 7, sequence: 0xfffffffe, unlockingBytecode: '' },
  ],
  spent: [
    { lockingBytecode: `aa20${'01'.repeat(32)}87`, satoshis: 101_000n, token: token('00'.repeat(40)) },
    { lockingBytecode: `76a914${'02'.repeat(20)}88ac`, satoshis: 5_000n },
  ],
  outputs: [
    { lockingBytecode: `aa20${'01'.repeat(32)}87`, satoshis: 51_000n, token: token('01'.repeat(40)) },
    { lockingBytecode: `76a914${'03'.repeat(20)}88ac`, satoshis: 50_000n },
    { lockingBytecode: '6a0568656c6c6f', satoshis: 0n },
  ],
};

const libauthOf = ({ version, locktime, inputs, outputs }: Case): LibauthTransaction =>
  toLibauthTransaction({ version, locktime, inputs, outputs });

const digestOf = (one: Case): string =>
  transactionDigest(
    { transaction: libauthOf(one), sourceOutputs: one.spent.map(toLibauthOutput) },
    one.network,
  );

const at = <Item>(items: readonly Item[], index: number, change: (item: Item) => Item): readonly Item[] =>
  items.map((item, position) => (position === index ? change(item) : item));

const flipped = (hex: string): string => hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0');

/** Every single thing about an output that can be another. */
const outputChanges: Readonly<Record<string, (output: Output) => Output>> = {
  'a satoshi more': (output) => ({ ...output, satoshis: output.satoshis + 1n }),
  'another script': (output) => ({ ...output, lockingBytecode: flipped(output.lockingBytecode) }),
  'a longer script': (output) => ({ ...output, lockingBytecode: `${output.lockingBytecode}00` }),
  'a token': (output) => ({ ...output, token: { category: 'bb'.repeat(32), amount: 1n } }),
  'an NFT': (output) => ({
    ...output,
    token: { category: 'bb'.repeat(32), amount: 0n, nft: { capability: 'none', commitment: '' } },
  }),
};

const tokenChanges: Readonly<Record<string, (token: Token) => Token>> = {
  'another category': (one) => ({ ...one, category: flipped(one.category) }),
  'another token amount': (one) => ({ ...one, amount: one.amount + 1n }),
  'another commitment': (one) => ({
    ...one,
    nft: { capability: 'mutable', commitment: flipped(one.nft?.commitment ?? '') },
  }),
  'a longer commitment': (one) => ({
    ...one,
    nft: { capability: 'mutable', commitment: `${one.nft?.commitment ?? ''}00` },
  }),
  'the minting capability': (one) => ({
    ...one,
    nft: { commitment: one.nft?.commitment ?? '', capability: 'minting' },
  }),
  'no NFT': ({ category, amount }) => ({ category, amount }),
};

const onToken =
  (change: (one: Token) => Token) =>
  (output: Output): Output =>
    output.token === undefined ? output : { ...output, token: change(output.token) };

/** A name and a changed case for everything that a digest must tell apart. */
const changed: readonly (readonly [what: string, one: Case])[] = [
  ...networkNames.flatMap((network) =>
    network === START.network ? [] : [[`the network ${network}`, { ...START, network }] as const],
  ),
  ['another version', { ...START, version: 1 }],
  ['another locktime', { ...START, locktime: START.locktime + 1 }],
  ...[0, 1].flatMap((index) => [
    [
      `another sequence at input ${index}`,
      { ...START, inputs: at(START.inputs, index, (input) => ({ ...input, sequence: 0xffffffff })) },
    ] as const,
    [
      `another txid at input ${index}`,
      { ...START, inputs: at(START.inputs, index, (input) => ({ ...input, txid: flipped(input.txid) })) },
    ] as const,
    [
      `another index at input ${index}`,
      { ...START, inputs: at(START.inputs, index, (input) => ({ ...input, vout: input.vout + 1 })) },
    ] as const,
  ]),
  ...(['spent', 'outputs'] as const).flatMap((side) => [
    ...START[side].flatMap((_, index) =>
      Object.entries(outputChanges).map(
        ([what, change]) =>
          [`${what} at ${side} ${index}`, { ...START, [side]: at(START[side], index, change) }] as const,
      ),
    ),
    ...Object.entries(tokenChanges).map(
      ([what, change]) =>
        [`${what} at ${side} 0`, { ...START, [side]: at(START[side], 0, onToken(change)) }] as const,
    ),
  ]),
  [
    'inputs in another order',
    { ...START, inputs: [...START.inputs].reverse(), spent: [...START.spent].reverse() },
  ],
  ['what is spent in another order', { ...START, spent: [...START.spent].reverse() }],
  ['outputs in another order', { ...START, outputs: [...START.outputs].reverse() }],
  ['an output less', { ...START, outputs: START.outputs.slice(0, -1) }],
  ['an output more', { ...START, outputs: [...START.outputs, ...START.outputs.slice(0, 1)] }],
  ['an input less', { ...START, inputs: START.inputs.slice(0, 1), spent: START.spent.slice(0, 1) }],
  [
    'an output moved to what is spent',
    { ...START, spent: [...START.spent, ...START.outputs.slice(-1)], outputs: START.outputs.slice(0, -1) },
  ],
];

for (const [what, one] of changed) {
  test(`digest › given ${what} › it is another one`, (t) => {
    t.not(digestOf(one), digestOf(START));
  });
}

test('digest › of all these cases › no two are alike', (t) => {
  const digests = [START, ...changed.map(([, one]) => one)].map(digestOf);
  t.is(new Set(digests).size, digests.length);
});

test('digest › given anything in the place of signatures › it is the same', (t) => {
  const signed = {
    ...START,
    inputs: START.inputs.map((input) => ({ ...input, unlockingBytecode: 'ff'.repeat(99) })),
  };
  t.is(digestOf(signed), digestOf(START));
});

test('digest › of a known transaction › stays what it was in the first version', (t) => {
  // Whoever changes what is hashed gives the domain another number, and this another value.
  t.is(digestOf(START), '7RVC-7Z5Y-J3EV-J642-7R0H-ND0D-ZECW-W2J9');
});

test('digest › given transactions with one random byte changed › none has the digest of the first', (t) => {
  // A byte of the serialisation, wherever it stands: the digest hangs on each.
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  const own = digestOf(START);
  const bytes = (hex: string): string => {
    const place = random(hex.length / 2) * 2;
    const byte = (parseInt(hex.slice(place, place + 2), 16) ^ (1 + random(255)))
      .toString(16)
      .padStart(2, '0');
    return hex.slice(0, place) + byte + hex.slice(place + 2);
  };
  const kinds: readonly ((one: Case) => Case)[] = [
    (one) => ({ ...one, locktime: one.locktime ^ (1 + random(0xffff)) }),
    (one) => ({
      ...one,
      inputs: at(one.inputs, random(2), (input) => ({ ...input, txid: bytes(input.txid) })),
    }),
    (one) => ({
      ...one,
      inputs: at(one.inputs, random(2), (input) => ({ ...input, vout: input.vout ^ (1 + random(0xff)) })),
    }),
    (one) => ({
      ...one,
      spent: at(one.spent, random(2), (spent) => ({
        ...spent,
        lockingBytecode: bytes(spent.lockingBytecode),
      })),
    }),
    (one) => ({
      ...one,
      spent: at(one.spent, random(2), (spent) => ({
        ...spent,
        satoshis: spent.satoshis ^ BigInt(1 + random(0xffff)),
      })),
    }),
    (one) => ({
      ...one,
      outputs: at(one.outputs, random(3), (output) => ({
        ...output,
        satoshis: output.satoshis ^ BigInt(1 + random(0xffff)),
      })),
    }),
    (one) => ({
      ...one,
      outputs: at(one.outputs, random(3), (output) => ({
        ...output,
        lockingBytecode: bytes(output.lockingBytecode),
      })),
    }),
    (one) => ({
      ...one,
      outputs: at(
        one.outputs,
        0,
        onToken((held) => ({
          ...held,
          nft: { capability: 'mutable', commitment: bytes(held.nft?.commitment ?? '') },
        })),
      ),
    }),
  ];
  for (let round = 0; round < 500; round += 1) {
    const change = kinds[random(kinds.length)];
    t.not(digestOf(change?.(START) ?? START), own, `round ${round}`);
  }
});

test('parseDigest › given a digest as people write it › it is the digest', (t) => {
  const digest = digestOf(START);
  const spoken = digest.replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('-', ' ').toLowerCase();
  for (const text of [digest, spoken, digest.replaceAll('-', ''), ` ${digest} `])
    t.is(parseDigest(text), digest);
});

for (const text of ['', 'hello', 'U'.repeat(32), '0'.repeat(31), '0'.repeat(33)]) {
  test(`parseDigest › given "${text}" › it is none`, (t) => {
    t.is(parseDigest(text), null);
  });
}
