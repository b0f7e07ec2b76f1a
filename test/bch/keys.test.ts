import { binToHex, hexToBin } from '@bitauth/libauth';
import test, { type ExecutionContext } from 'ava';
import { alice, authority, bob, carol, dave, erin, mallory } from '../../fixtures/people.js';
import {
  decodeWif,
  derivePrivateKey,
  encodeMnemonic,
  encodeWif,
  readMnemonic,
  signerOf,
} from '../../src/bch/keys.js';
import { TreasuryError } from '../../src/errors.js';

const abandon =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
// The private key 1: its WIF and address are published in many places.
const one = hexToBin('01'.padStart(64, '0'));
const oneWif = 'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn';

const refuses = (t: ExecutionContext, work: () => unknown): string => {
  const error = t.throws(work, { instanceOf: TreasuryError });
  t.is(error.code, 'invalid_input');
  return error.message;
};

test('keys › entropy of zeros › it is the phrase of the BIP39 vectors', (t) => {
  t.is(encodeMnemonic(new Uint8Array(16)), abandon);
});

test('keys › the phrase of the BIP39 vectors › the default path is the first BCH address of other wallets', (t) => {
  const { address } = signerOf('main', derivePrivateKey(abandon), 'mainnet');
  t.is(address.text, 'bitcoincash:qqyx49mu0kkn9ftfj6hje6g2wfer34yfnq5tahq3q6');
});

test('keys › another path › it is another key', (t) => {
  t.notDeepEqual(derivePrivateKey(abandon, "m/44'/145'/0'/0/1"), derivePrivateKey(abandon));
});

test('keys › a phrase in capitals with odd spaces › it is the same phrase', (t) => {
  t.is(readMnemonic(`  ${abandon.toUpperCase().replaceAll(' ', '  ')}\n`), abandon);
});

for (const [what, phrase] of [
  ['a wrong checksum', abandon.replace('about', 'abandon')],
  ['a word of no list', abandon.replace('about', 'treasuries')],
  ['too few words', 'abandon about'],
  ['nothing', ''],
] as const) {
  test(`keys › a phrase with ${what} › invalid_input`, (t) => {
    refuses(t, () => derivePrivateKey(phrase));
  });
}

for (const path of ['', 'm', "44'/145'/0'/0/0", 'm/x', "m/44'/145'/0'/0/4294967296", 'M/0', 'm/0//1']) {
  test(`keys › the path "${path}" › invalid_input names the path`, (t) => {
    t.regex(
      refuses(t, () => derivePrivateKey(abandon, path)),
      /path: expected a BIP32 path/,
    );
  });
}

test('keys › the private key 1 › its WIF is the published one', (t) => {
  t.is(encodeWif(one, 'mainnet'), oneWif);
});

test('keys › the published WIF of 1 › it is read back', (t) => {
  t.deepEqual(decodeWif(` ${oneWif}\n`, 'mainnet'), one);
});

test('keys › the private key 1 › its address is the published one', (t) => {
  t.is(signerOf('one', one, 'mainnet').address.hash, '751e76e8199196d454941c45d1b3a323f1433bd6');
});

test('keys › a WIF of a test network › local, regtest and chipnet read it', (t) => {
  const wif = encodeWif(alice.privateKey, 'local');
  for (const network of ['local', 'regtest', 'chipnet'] as const) {
    t.deepEqual(decodeWif(wif, network), alice.privateKey);
  }
});

test('keys › a WIF of mainnet on chipnet › invalid_input', (t) => {
  t.regex(
    refuses(t, () => decodeWif(oneWif, 'chipnet')),
    /expected a key for chipnet, not mainnet/,
  );
});

test('keys › a WIF of an uncompressed key › invalid_input', (t) => {
  const uncompressed = '5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf';
  t.regex(
    refuses(t, () => decodeWif(uncompressed, 'mainnet')),
    /compressed public key/,
  );
});

test('keys › a WIF with a wrong digit › invalid_input, and the text is not repeated', (t) => {
  const broken = oneWif.replace('Kw', 'Kx');
  t.false(refuses(t, () => decodeWif(broken, 'mainnet')).includes(broken));
});

test('keys › a WIF of the number 0, which is no key › invalid_input', (t) => {
  refuses(t, () => decodeWif(encodeWif(new Uint8Array(32), 'mainnet'), 'mainnet'));
});

test('people › all seven › their names and keys differ, and they are the same in every run', (t) => {
  const people = [alice, bob, carol, dave, erin, mallory, authority];
  t.is(new Set(people.map(({ name }) => name)).size, 7);
  t.is(new Set(people.map(({ privateKey }) => binToHex(privateKey))).size, 7);
  t.is(alice.address('local').text, 'bchtest:qzpsvg9z6mk3ttd9vmss3rwfdgfd0r7wcu2elcl834');
});
