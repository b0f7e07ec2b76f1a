import { encodeCashAddress, hexToBin } from '@bitauth/libauth';
import test from 'ava';
import fc from 'fast-check';
import { addressOf, addressOfHash, parseAddress, type Address } from '../../src/bch/address.js';
import { addressOfPublicKey } from '../../src/bch/keys.js';
import { NETWORKS, networkNames, type Network } from '../../src/bch/network.js';
import { TreasuryError } from '../../src/errors.js';

fc.configureGlobal({ seed: 20_260_601 });

// Source: CashAddr specification, test vectors; CashTokens CHIP for the token-aware forms.
const payload = '76a04053bda0a88bda5177b86a15c3b29f559873';
const q = 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a';
const z = 'bitcoincash:zpm2qsznhks23z7629mms6s4cwef74vcwvrqekrq9w';
const p = 'bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq';
const r = 'bitcoincash:rpm2qsznhks23z7629mms6s4cwef74vcwv59yeyr7n';

const encode = (
  prefix: string,
  type: 'p2pkh' | 'p2sh' | 'p2pkhWithTokens' | 'p2shWithTokens',
  bytes: Uint8Array,
): string =>
  (
    encodeCashAddress as (options: { prefix: string; type: string; payload: Uint8Array }) => {
      address: string;
    }
  )({ prefix, type, payload: bytes }).address;

const alice = addressOfHash(hexToBin(payload), 'local');

for (const text of [q, z]) {
  test(`address › given the ${text.charAt(12)} form of a key › it is the q form, with its z form beside it`, (t) => {
    t.deepEqual(parseAddress(text), {
      text: q,
      tokenText: z,
      prefix: 'bitcoincash',
      kind: 'p2pkh',
      hash: payload,
      lockingBytecode: `76a914${payload}88ac`,
    });
  });
}

for (const text of [p, r]) {
  test(`address › given the ${text.charAt(12)} form of a script › it is the p form, with its r form beside it`, (t) => {
    t.deepEqual(parseAddress(text), {
      text: p,
      tokenText: r,
      prefix: 'bitcoincash',
      kind: 'p2sh',
      hash: payload,
      lockingBytecode: `a914${payload}87`,
    });
  });
}

test('address › given a script hash of 32 bytes › it is P2SH32', (t) => {
  const hash = 'cd'.repeat(32);
  const address = parseAddress(encode('bchtest', 'p2shWithTokens', hexToBin(hash)), 'local');
  t.like(address, { kind: 'p2sh', hash, lockingBytecode: `aa20${hash}87` });
});

test('address › given q and p of one hash › they are two parties', (t) => {
  t.not(parseAddress(q).lockingBytecode, parseAddress(p).lockingBytecode);
});

test('address › given all upper case › it is the same address', (t) => {
  t.deepEqual(parseAddress(alice.text.toUpperCase(), 'local'), alice);
});

test('address › given blanks around it › they are left away', (t) => {
  t.deepEqual(parseAddress(`  ${alice.text}\n`, 'local'), alice);
});

const body = alice.text.split(':')[1] ?? '';
const flip = (text: string, at: number): string =>
  `${text.slice(0, at)}${text.charAt(at) === 'q' ? 'p' : 'q'}${text.slice(at + 1)}`;

const refusedTexts: readonly (readonly [name: string, text: string])[] = [
  ['mixed case', `bchtest:${body.slice(0, 20)}${body.slice(20).toUpperCase()}`],
  ['a prefix in upper case before a body in lower case', `BCHTEST:${body}`],
  ['a wrong last character', flip(alice.text, alice.text.length - 1)],
  ['a wrong character in the middle', flip(alice.text, 25)],
  ['no prefix', body],
  ['a prefix of no network', encode('ecash', 'p2pkh', hexToBin(payload))],
  ['a key hash of 32 bytes', encode('bchtest', 'p2pkh', new Uint8Array(32))],
  ['a script hash of 24 bytes', encode('bchtest', 'p2sh', new Uint8Array(24))],
  ['a legacy address', '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu'],
  ['nothing', ''],
  ['only a prefix', 'bchtest:'],
];

for (const [name, text] of refusedTexts) {
  test(`address › given ${name} › it is invalid_address`, (t) => {
    const error = t.throws(() => parseAddress(text, 'local', 'recipientAddress'), {
      instanceOf: TreasuryError,
    });
    t.like(error, { code: 'invalid_address', details: { field: 'recipientAddress', value: text } });
  });
}

test('address › given a wrong letter › it says that a letter is wrong', (t) => {
  const error = t.throws(() => parseAddress(flip(alice.text, 25), 'local'), { instanceOf: TreasuryError });
  t.regex(String(error.details['expected']), /a letter of this one is wrong, missing or too many$/);
});

const foreign: readonly (readonly [text: string, network: Network, prefix: string])[] = [
  [q, 'local', 'bchtest:'],
  [q, 'regtest', 'bchreg:'],
  [alice.text, 'mainnet', 'bitcoincash:'],
  [alice.text, 'regtest', 'bchreg:'],
  [addressOfHash(hexToBin(payload), 'regtest').text, 'chipnet', 'bchtest:'],
];

for (const [text, network, prefix] of foreign) {
  test(`address › given ${text.split(':')[0] ?? ''} on ${network} › it is refused and ${prefix} is named`, (t) => {
    const error = t.throws(() => parseAddress(text, network), { instanceOf: TreasuryError });
    t.like(error, {
      code: 'invalid_address',
      details: {
        field: 'address',
        expected: `a cash address that starts with ${prefix}; this one is of another network: ${text.split(':')[0] ?? ''}:`,
      },
    });
  });
}

for (const network of ['local', 'chipnet', 'testnet3', 'testnet4'] as const) {
  test(`address › given bchtest on ${network} › it is taken`, (t) => {
    t.is(parseAddress(alice.text, network).text, alice.text);
  });
}

test('address › given no network › every known prefix is taken and all are named in a refusal', (t) => {
  for (const network of networkNames) {
    t.notThrows(() => parseAddress(addressOfHash(hexToBin(payload), network).text));
  }
  const error = t.throws(() => parseAddress('x'), { instanceOf: TreasuryError });
  t.is(error.details['expected'], 'a cash address that starts with bchtest:, bchreg:, bitcoincash:');
});

const addresses: fc.Arbitrary<readonly [Network, Address]> = fc
  .tuple(
    fc.constantFrom(...networkNames),
    fc.oneof(
      fc.record({ type: fc.constantFrom('p2pkh', 'p2sh'), length: fc.constant(20) }),
      fc.record({ type: fc.constant('p2sh'), length: fc.constant(32) }),
    ),
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
  )
  .map(([network, { type, length }, bytes]) => [
    network,
    parseAddress(encode(NETWORKS[network].prefix, type, bytes.slice(0, length)), network),
  ]);

test('address › property › its locking bytecode gives it back', (t) => {
  fc.assert(
    fc.property(addresses, ([network, address]) => {
      t.deepEqual(addressOf(address.lockingBytecode, network), address);
    }),
  );
});

test('address › property › both of its forms are the same address', (t) => {
  fc.assert(
    fc.property(addresses, ([network, address]) => {
      t.deepEqual(parseAddress(address.text, network), address);
      t.deepEqual(parseAddress(address.tokenText, network), address);
    }),
  );
});

for (const [name, lockingBytecode] of [
  ['data (OP_RETURN)', '6a0401020304'],
  ['nothing', ''],
  ['a bare public key', `21${'02'.padEnd(66, 'a')}ac`],
] as const) {
  test(`address of › given ${name} › it is null`, (t) => {
    t.is(addressOf(lockingBytecode, 'local'), null);
  });
}

test('address of public key › given the key of the private key 1 › it is the known address', (t) => {
  const publicKey = hexToBin('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
  t.is(
    addressOfPublicKey(publicKey, 'mainnet').text,
    'bitcoincash:qp63uahgrxged4z5jswyt5dn5v3lzsem6cy4spdc2h',
  );
});
