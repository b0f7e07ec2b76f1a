import {
  binToHex,
  encodeCashAddress,
  encodeDataPush,
  flattenBinArray,
  hash160,
  hash256,
  hexToBin,
} from '@bitauth/libauth';
import test from 'ava';
import { readFileSync } from 'node:fs';
import { newestFingerprint } from '../../../src/covenant/artifact.js';
import { alice, bob, carol, dave } from '../../../fixtures/people.js';
import { loadArtifact } from '../../../src/covenant/artifact.js';
import {
  checkVaultTerms,
  initialState,
  readState,
  vaultContract,
  vaultState,
  type VaultTerms,
} from '../../../src/products/vaults/contract.js';
import { signers } from './vault.js';

const addressOf = (who: { address: typeof alice.address }) => who.address('local').text;
const keyOf = ({ publicKey }: { publicKey: Uint8Array }) => binToHex(publicKey);
const terms: VaultTerms = {
  artifact_fingerprint: newestFingerprint('vault'),
  on_chain_vault_id: '11'.repeat(32),
  signers: signers.map(addressOf),
  signer_pubkeys: signers.map(keyOf),
};

test('vault contract › its parameters are bound in the order of the source', (t) => {
  const parameters = [hexToBin(terms.on_chain_vault_id), ...signers.map(({ publicKey }) => publicKey)];
  const body = hexToBin(loadArtifact('vault').debug?.bytecode ?? '');
  const redeem = flattenBinArray([...parameters.toReversed().map(encodeDataPush), body]);
  const { lockingBytecode, constructorParams } = vaultContract(terms, 'local');
  t.is(lockingBytecode, `aa20${binToHex(hash256(redeem))}87`);
  t.deepEqual(constructorParams, [terms.on_chain_vault_id, ...terms.signer_pubkeys]);
});

for (const [what, change] of [
  ['another id', { on_chain_vault_id: '12'.repeat(32) }],
  ['another order of the keys', { signer_pubkeys: [bob, alice, carol].map(keyOf) }],
] as const) {
  test(`vault contract › given ${what} › it is at another address`, (t) => {
    const changed = vaultContract({ ...terms, ...change }, 'local');
    t.not(changed.lockingBytecode, vaultContract(terms, 'local').lockingBytecode);
  });
}

const failed = (change: Partial<VaultTerms>): readonly string[] =>
  checkVaultTerms({ ...terms, ...change }).flatMap(({ ok, check }) => (ok ? [] : [check]));

/** The same x with the other sign: a key that anybody can work out from the first. */
const flipped = (key: string) => `${key.startsWith('02') ? '03' : '02'}${key.slice(2)}`;
const flippedAddress = encodeCashAddress({
  prefix: 'bchtest',
  type: 'p2pkh',
  payload: hash160(hexToBin(flipped(keyOf(alice)))),
}).address;
const script = encodeCashAddress({
  prefix: 'bchtest',
  type: 'p2sh',
  payload: hash160(alice.publicKey),
}).address;
const offCurve = `02${'ff'.repeat(32)}`;
const [a, b, c] = signers.map(keyOf) as [string, string, string];

test('vault terms › given three people with their keys › every check holds', (t) => {
  t.deepEqual(failed({}), []);
});

for (const [what, change, checks] of [
  ['two signers', { signers: signers.slice(0, 2).map(addressOf) }, ['signers', 'signerPubkeys.2']],
  ['two keys', { signer_pubkeys: [a, b] }, ['signerPubkeys']],
  [
    'four of each',
    { signers: [...terms.signers, addressOf(dave)], signer_pubkeys: [a, b, c, keyOf(dave)] },
    ['signers', 'signerPubkeys'],
  ],
  [
    'a signer twice',
    { signers: [alice, bob, alice].map(addressOf), signer_pubkeys: [a, b, a] },
    ['signers.2', 'signerPubkeys.2'],
  ],
  [
    'one key in two encodings',
    { signers: [addressOf(alice), flippedAddress, addressOf(carol)], signer_pubkeys: [a, flipped(a), c] },
    ['signerPubkeys.1'],
  ],
  ['keys in another order', { signer_pubkeys: [b, a, c] }, ['signerPubkeys.0', 'signerPubkeys.1']],
  ['the key of somebody else', { signer_pubkeys: [a, b, keyOf(dave)] }, ['signerPubkeys.2']],
  ['a key that is no point of the curve', { signer_pubkeys: [a, offCurve, c] }, ['signerPubkeys.1']],
  ['an uncompressed key', { signer_pubkeys: [a, `04${'11'.repeat(64)}`, c] }, ['signerPubkeys.1']],
  ['a key cut short', { signer_pubkeys: [a.slice(0, -2), b, c] }, ['signerPubkeys.0']],
  ['a script as signer', { signers: [script, addressOf(bob), addressOf(carol)] }, ['signers.0']],
] as const satisfies readonly (readonly [string, Partial<VaultTerms>, readonly string[]])[]) {
  test(`vault terms › given ${what} › ${checks.join(' and ')}`, (t) => {
    const found = failed(change);
    for (const check of checks) t.true(found.includes(check), found.join());
  });
}

test('vault state › its bytes are those that the source splits', (t) => {
  t.deepEqual(vaultState.offsets, { version: { offset: 0, size: 1 }, spends: { offset: 1, size: 4 } });
  const source = readFileSync(new URL('../../../contracts/vaults/vault.cash', import.meta.url), 'utf8');
  t.true(source.includes('bytes version, bytes spends = state.split(1);'));
  t.true(source.includes('0x01 + bytes4(int(spends) + 1)'));
  t.true(source.includes(`state.length == ${vaultState.size}`));
  t.is(vaultState.encode(initialState), '0100000000');
  t.deepEqual(readState('0103000000'), { version: 1, spends: 3 });
  t.throws(() => readState('01'));
});
