/** The specification's vault flow, through a real socket, with three wallets that know only wc2-bch-bcr. */
import { binToHex } from '@bitauth/libauth';
import type { Person } from '../../fixtures/people.js';
import { parseAddress } from '../../src/bch/address.js';
import { sumSatoshis, sumTokens } from '../../src/bch/coins.js';
import { openTreasury } from '../treasury.js';
import { serve, untilIndexed, type Json } from './client.js';
import { onEveryChain } from './on-every-chain.js';
import { signTransaction } from './wallet.js';

const title = 'three signers, a deposit, a stranger’s deposit, and a spend that two of them sign';

onEveryChain(title, [], async (t, world) => {
  const treasury = await openTreasury(t, world);
  const { alice, bob, carol, dave, mallory } = treasury.people;
  const { chain } = treasury.app.context;
  for (let coin = 0; coin < 2; coin += 1) await treasury.give(alice, 20_000_000n);
  for (let coin = 0; coin < 3; coin += 1) await treasury.give(dave, 5_000_000n);
  const category = await treasury.mint(dave, '1000', 2);
  const { call, send } = await serve(t, treasury);
  const named = (who: Person) => ({ address: treasury.addressOf(who).text });
  const as = (who: Person, method: string, path: string, body?: Json) => call(method, path, body, named(who));

  // Create: private, so that what others see of it is nothing
  const signers = [alice, bob, carol];
  const created = await as(alice, 'POST', '/api/vaults', {
    name: 'Common funds',
    signers: signers.map((who) => treasury.addressOf(who).text),
    signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
    totalDeposit: 0.2,
    isPublic: false,
  });
  t.is(created.status, 201, JSON.stringify(created.body));
  t.like(created.body, { success: true, status: 'pending', role: 'creator' });
  const { id, contractAddress } = created.body as { id: string; contractAddress: string };
  const path = `/api/vaults/${id}`;
  const { lockingBytecode } = parseAddress(contractAddress);
  const held = async () => {
    const coins = await chain.coins(lockingBytecode);
    return { satoshis: sumSatoshis(coins), tokens: sumTokens(coins, category) };
  };

  // Roles
  t.is((await call('GET', '/api/vaults')).status, 401);
  t.like(await as(mallory, 'GET', path), { status: 403, body: { code: 'private_vault' } });
  t.like((await as(mallory, 'GET', '/api/vaults')).body, { created: [], signerIn: [], public: [], all: [] });
  t.like((await as(bob, 'GET', '/api/vaults')).body, { created: [], signerIn: [{ id, role: 'signer' }] });
  t.like(await as(bob, 'GET', `${path}/deposit`), { status: 403, body: { code: 'not_creator' } });
  t.like(await as(alice, 'POST', `${path}/signers`, { signerAddress: named(dave).address }), {
    status: 200,
    body: { viewers: [named(dave).address] },
  });
  t.like((await as(dave, 'GET', path)).body, { role: 'viewer' });

  // The first deposit, with the state NFT
  const deposit = await as(alice, 'GET', `${path}/deposit`);
  t.like(deposit.body, { success: true, amountToDeposit: 0.2, depositSatoshis: '20000000' });
  const first = await send(alice, deposit.body['wcTransaction']);
  t.is(first.status, 200, JSON.stringify(first.body));
  const updated = await as(alice, 'POST', `${path}/update-balance`, {
    txid: first.body['txHash'],
    amount: 0.2,
  });
  t.like(updated.body, { success: true, status: 'active', balance: 0.2 });
  t.like((await as(carol, 'GET', `${path}/state`)).body, { success: true, state: 'active' });

  // A stranger's coins and tokens, straight to the address
  for (const gift of [{ amount: '0.03' }, { amount: '250', tokenCategory: category }]) {
    const built = await treasury.ask(dave, 'wallet.send', { to: contractAddress, ...gift });
    t.is((await send(dave, built['wcTransaction'])).status, 200);
  }
  const before = await held();
  t.deepEqual(before, { satoshis: 23_001_000n, tokens: 25_000n });
  t.like((await as(bob, 'GET', path)).body, { balance: 0.23001, tokens: [{ category, amount: 250 }] });

  // A spend in BCH and tokens, of everything that plain deposits must join for
  const proposed = await as(bob, 'POST', `${path}/spends`, {
    outputs: [
      { to: named(mallory).address, amount: 0.21 },
      { to: named(carol).address, amount: '100.5', tokenCategory: category },
    ],
    memo: 'Security review',
  });
  t.is(proposed.status, 200, JSON.stringify(proposed.body));
  t.like(proposed.body, { success: true, label: '#SPEND-0001', status: 'PENDING', memo: 'Security review' });
  const spend = `${path}/spends/SPEND-0001`;
  t.like(await as(mallory, 'POST', `${spend}/sign`), { status: 403 });
  t.like(await as(dave, 'POST', `${spend}/sign`), { status: 403, body: { code: 'not_vault_signer' } });

  for (const [who, status] of [
    [carol, 'PENDING'],
    [bob, 'READY'],
  ] as const) {
    const { body } = await as(who, 'POST', `${spend}/sign`);
    const signedTransaction = signTransaction(body['wcTransaction'], who);
    const forged = signTransaction(body['wcTransaction'], mallory);
    t.like(await as(who, 'POST', `${spend}/signatures`, { signedTransaction: forged }), { status: 422 });
    const taken = await as(who, 'POST', `${spend}/signatures`, { signedTransaction });
    t.is(taken.status, 200, JSON.stringify(taken.body));
    t.like(taken.body, { success: true, status });
    if (status === 'PENDING') {
      t.like(await as(who, 'POST', `${spend}/sign`), { status: 409, body: { code: 'already_signed' } });
      t.like(await as(who, 'POST', `${spend}/broadcast`), { status: 409, body: { code: 'wrong_state' } });
    }
  }
  const sent = await untilIndexed(() => as(alice, 'POST', `${spend}/broadcast`));
  t.is(sent.status, 200, JSON.stringify(sent.body));
  t.like(sent.body, { success: true, state: 'confirmed', status: 'SPENT' });
  const { txHash } = sent.body;
  t.like(await as(alice, 'POST', `${spend}/confirm`, { txHash }), { status: 200, body: { txHash } });

  // The sums, on chain
  const fee = BigInt(Number(proposed.body['fee']));
  t.deepEqual(await held(), {
    satoshis: before.satoshis - 21_000_000n - 1_000n - fee,
    tokens: before.tokens - 10_050n,
  });
  t.is(await treasury.satoshisOf(mallory), 21_000_000n);
  t.is(await treasury.tokensOf(carol, category), 10_050n);
  const shown = (await as(alice, 'GET', path)).body;
  t.like(shown, { spends: 1, openSpends: [], tokens: [{ amount: 149.5 }] });
  t.deepEqual(
    (shown['events'] as Json[]).map((event) => event['event_type']),
    ['spent', 'deposited', 'deposited', 'deposited', 'created'],
  );
  t.like((await as(alice, 'GET', `${path}/spends`)).body, {
    total: 1,
    spends: [{ txHash, status: 'SPENT' }],
  });

  // What is missing from the total can be deposited again
  t.like((await as(alice, 'GET', `${path}/deposit`)).body, {
    success: true,
    currentBalance: Number(shown['balance']),
  });
});
