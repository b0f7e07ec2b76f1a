import { binToHex } from '@bitauth/libauth';
import test from 'ava';
import { newestFingerprint } from '../../../../src/covenant/artifact.js';
import { alice, bob, carol, dave } from '../../../../fixtures/people.js';
import { vaultContract } from '../../../../src/products/vaults/contract.js';
import { openTreasury } from '../../../treasury.js';
import { vaultTerms, type Json } from '../vault.js';

test('create › given no credentials › it is unauthenticated', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.refusal(t, null, 'vaults.create', {}, 'unauthenticated');
});

test('create › given three signers with their keys › it is pending, at the address of its keys', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await treasury.ask(dave, 'vaults.create', vaultTerms());
  t.like(vault, {
    status: 'pending',
    state: 'pending',
    role: 'creator',
    creator: treasury.addressOf(dave).text,
    totalDeposit: 0.1,
    totalDepositOnChain: '10000000',
    balance: 0,
    isPublic: true,
    thread: null,
    tx_hash: null,
    authority_pubkey: null,
  });
  const terms = {
    artifact_fingerprint: newestFingerprint('vault'),
    on_chain_vault_id: String(vault['vaultId']),
    signers: vault['signers'] as string[],
    signer_pubkeys: vault['signerPubkeys'] as string[],
  };
  const { address, constructorParams } = vaultContract(terms, 'local');
  t.is(vault['contractAddress'], address.text);
  t.deepEqual(vault['constructor_params'], constructorParams);
  const again = await treasury.ask(dave, 'vaults.create', vaultTerms());
  t.not(again['contractAddress'], vault['contractAddress']);
});

test('create › given upper-case keys and token-aware addresses › they are the same signers', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await treasury.ask(
    alice,
    'vaults.create',
    vaultTerms({
      signers: [alice, bob, carol].map((who) => treasury.addressOf(who).tokenText),
      signerPubkeys: [alice, bob, carol].map(({ publicKey }) => binToHex(publicKey).toUpperCase()),
    }),
  );
  t.like(vault, vaultTerms({ totalDeposit: 0.1 }));
});

const keys = [alice, bob, carol].map(({ publicKey }) => binToHex(publicKey));
const addresses = [alice, bob, carol].map((who) => who.address('local').text);

for (const [what, extra, paths] of [
  ['two signers', { signers: addresses.slice(0, 2) }, ['signers']],
  ['four keys', { signerPubkeys: [...keys, keys[0]] }, ['signerPubkeys']],
  ['keys that are no hex', { signerPubkeys: ['zz', ...keys.slice(1)] }, ['signerPubkeys.0']],
  ['a key of another length', { signerPubkeys: [keys[0], '02', keys[2]] }, ['signerPubkeys.1']],
  [
    'keys in another order',
    { signerPubkeys: [keys[1], keys[0], keys[2]] },
    ['signerPubkeys.0', 'signerPubkeys.1'],
  ],
  [
    'one person twice',
    { signers: [addresses[0], addresses[0], addresses[2]], signerPubkeys: [keys[0], keys[0], keys[2]] },
    ['signers.1', 'signerPubkeys.1'],
  ],
] as const) {
  test(`create › given ${what} › it is invalid_input at ${paths.join(' and ')}`, async (t) => {
    const treasury = await openTreasury(t);
    const error = await treasury.refusal(t, alice, 'vaults.create', vaultTerms(extra), 'invalid_input');
    const issues = error.details['issues'] as { path: string; message: string }[];
    t.deepEqual(
      issues.map(({ path }) => path),
      [...paths],
    );
    t.deepEqual((await treasury.ask(alice, 'vaults.list'))['all'], []);
  });
}

test('create › given a total deposit that is no amount, or too small › it is refused by name', async (t) => {
  const treasury = await openTreasury(t);
  const refused = (totalDeposit: unknown, code: 'invalid_amount' | 'amount_below_dust') =>
    treasury.refusal(t, alice, 'vaults.create', vaultTerms({ totalDeposit }), code);
  await refused(-1, 'invalid_amount');
  await refused('0.000000001', 'invalid_amount');
  const error = await refused('0.00000999', 'amount_below_dust');
  t.like(error.details, { field: 'totalDeposit', minimum: '0.00001' });
  const least: Json = await treasury.ask(alice, 'vaults.create', vaultTerms({ totalDeposit: '0.00001' }));
  t.is(least['totalDepositOnChain'], '1000');
});

test('create › given a total deposit of 0 › it is a vault without a target, and its first deposit is what carries the thread', async (t) => {
  const treasury = await openTreasury(t);
  const open: Json = await treasury.ask(alice, 'vaults.create', vaultTerms({ totalDeposit: 0 }));
  t.like(open, { totalDeposit: 0, totalDepositOnChain: '0', status: 'pending' });
  await treasury.give(alice, 1_000_000n);
  const deposit = await treasury.ask(alice, 'vaults.deposit', { id: open['id'] });
  t.like(deposit, { totalDeposit: 0, depositSatoshis: '1000' });
  const txid = await treasury.send(alice, deposit['wcTransaction']);
  t.like(await treasury.ask(alice, 'vaults.update-balance', { id: open['id'], txid }), { status: 'active' });
  const nothing = await treasury.ask(alice, 'vaults.deposit', { id: open['id'] });
  t.like(nothing, { amountToDeposit: 0, depositSatoshis: '0' });
  const more = await treasury.ask(alice, 'vaults.deposit', { id: open['id'], amount: '0.001' });
  t.like(more, { amountToDeposit: 0.001 });
});
