import test from 'ava';
import { alice, bob, dave, mallory } from '../../../../fixtures/people.js';
import type { LocalChain } from '../../../../src/adapters/local-chain/local-chain.js';
import { parseAddress } from '../../../../src/bch/address.js';
import { buildFunding } from '../../../../src/covenant/funding.js';
import { encodeWalletTransaction } from '../../../../src/bch/wallet-transaction.js';
import { openTreasury, type Treasury } from '../../../treasury.js';
import { createVault, fundVault, type Json } from '../vault.js';

test('deposit › given somebody else, a signer too › it is not_creator', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createVault(treasury);
  await treasury.refusal(t, bob, 'vaults.deposit', { id }, 'not_creator');
  await treasury.refusal(t, mallory, 'vaults.deposit', { id }, 'not_creator');
});

test('deposit › given a pending vault › it mints the state thread, with the whole deposit in its output', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury);
  const offer = await treasury.ask(alice, 'vaults.deposit', { id: vault.id });
  t.like(offer, {
    success: true,
    contractAddress: vault.address,
    totalDeposit: 0.1,
    currentBalance: 0,
    amountToDeposit: 0.1,
    depositSatoshis: '10000000',
    stateNft: { commitment: '0100000000' },
  });
  const txid = await treasury.send(alice, offer['wcTransaction']);
  const [coin] = await vault.coins();
  t.is(coin?.satoshis, 10_000_000n);
  t.deepEqual(coin?.token, {
    category: (offer['stateNft'] as Json)['tokenCategory'] as string,
    amount: 0n,
    nft: { capability: 'mutable', commitment: '0100000000' },
  });
  const updated = await treasury.ask(alice, 'vaults.update-balance', { id: vault.id, txid, amount: 0.1 });
  t.like(updated, { status: 'active', state: 'confirmed', txHash: txid, txid, amount: 0.1, balance: 0.1 });
  const again = await treasury.ask(dave, 'vaults.update-balance', { id: vault.id, txid, amount: '0.1' });
  t.deepEqual(again, updated);
  t.like(await vault.shown(), {
    status: 'active',
    tx_hash: txid,
    balance: 0.1,
    spendable: 0.09999,
    spends: 0,
  });
});

test('deposit › given coins at other indexes only › it is prepared, and then ready', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury);
  // Alice pays bob from output 1 on, until none of her coins is at index 0.
  for (const amount of ['0.3', '0.2']) {
    const built = await treasury.ask(alice, 'wallet.send', { to: treasury.addressOf(bob).text, amount });
    await treasury.send(alice, built['wcTransaction']);
  }
  const first = await treasury.ask(alice, 'vaults.deposit', { id: vault.id, amount: '0.02' });
  t.like(first, { success: false, requiresPreparation: true, code: 'preparation_required' });
  await treasury.send(alice, first['preparationTransaction']);
  await vault.deposit('0.02');
  t.like(await vault.shown(), { status: 'active', balance: 0.02 });
});

test('deposit › given everything from strangers already › it still mints the thread', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury);
  await treasury.give(dave, 20_000_000n);
  const txid = await vault.gift(dave, '0.12');
  t.like(await treasury.ask(dave, 'vaults.update-balance', { id: vault.id, txid }), {
    status: 'pending',
    amount: 0.12,
  });
  const offer = await treasury.ask(alice, 'vaults.deposit', { id: vault.id });
  t.like(offer, { amountToDeposit: 0.00001, depositSatoshis: '1000', currentBalance: 0.12 });
  await vault.deposit();
  t.like(await vault.shown(), { status: 'active', balance: 0.12001, spendable: 0.12 });
});

test('deposit › given an active vault › it is what is missing, nothing, or what is asked for', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury);
  await vault.deposit('0.04');
  const offer = await treasury.ask(alice, 'vaults.deposit', { id: vault.id });
  t.like(offer, { amountToDeposit: 0.06, depositSatoshis: '6000000' });
  await vault.deposit();
  const coins = await vault.coins();
  t.deepEqual(
    coins.map(({ token }) => token === undefined).sort(),
    [false, true],
    'the second is a plain coin',
  );

  const nothing = await treasury.ask(alice, 'vaults.deposit', { id: vault.id });
  t.like(nothing, { success: true, amountToDeposit: 0, depositSatoshis: '0', currentBalance: 0.1 });
  t.false('wcTransaction' in nothing);
  await vault.deposit('0.05');
  t.is(await vault.satoshis(), 15_000_000n);
  await treasury.refusal(
    t,
    alice,
    'vaults.deposit',
    { id: vault.id, amount: '0.000005' },
    'amount_below_dust',
  );
});

test('deposit › given too little in the wallet › it is insufficient_funds', async (t) => {
  const treasury = await openTreasury(t);
  const { id } = await createVault(treasury);
  await treasury.refusal(t, alice, 'vaults.deposit', { id, amount: 5 }, 'insufficient_funds');
});

test('update-balance › given coins and tokens of strangers › balance and tokens are what the chain holds', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  for (let coin = 0; coin < 2; coin += 1) await treasury.give(dave, 2_000_000n);
  const category = await treasury.mint(dave, '500', 2);
  const txid = await vault.gift(dave, '0.01');
  await vault.gift(dave, '12.34', category);
  // Nobody has said anything about the tokens.
  t.like(await vault.shown(), {
    balance: 0.11001,
    spendable: 0.10999,
    tokens: [{ category, amount: 12.34, amountOnChain: '1234', symbol: 'GEMS', decimals: 2, nfts: 0 }],
  });
  t.like(await treasury.ask(dave, 'vaults.update-balance', { id: vault.id, txid, amount: 0.01 }), {
    amount: 0.01,
    balance: 0.11001,
  });
  const { events } = (await vault.shown()) as { events: Json[] };
  t.deepEqual(
    events.map((event) => [event['event_type'], event['amount'], event['actor']]),
    [
      ['deposited', 0.00001, treasury.addressOf(dave).text],
      ['deposited', 0.01, treasury.addressOf(dave).text],
      ['deposited', 0.1, treasury.addressOf(alice).text],
      ['created', 0.1, treasury.addressOf(alice).text],
    ],
  );
});

/** Sends a coin that looks just like the first deposit: minted by mallory, at the vault, with the right state. */
const forgeThread = async (treasury: Treasury, address: string): Promise<string> => {
  await treasury.give(mallory, 3_000_000n);
  const payer = treasury.addressOf(mallory);
  const payerCoins = await treasury.app.context.chain.coins(payer.lockingBytecode);
  const { lockingBytecode } = parseAddress(address);
  const member = { lockingBytecode, commitment: '0100000000', pool: 1_000_000n, token: null };
  const { transaction, sourceOutputs } = buildFunding({ payer, payerCoins, members: [member] }).payment;
  return treasury.send(
    mallory,
    encodeWalletTransaction({ transaction, sourceOutputs: [...sourceOutputs], broadcast: true }),
  );
};

test('update-balance › given a forged thread › a pending vault stays pending, and an active one keeps its own', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury);
  const txid = await forgeThread(treasury, vault.address);
  t.like(await treasury.ask(mallory, 'vaults.update-balance', { id: vault.id, txid }), { status: 'pending' });
  await vault.deposit();
  const before = (await vault.shown())['thread'];
  await forgeThread(treasury, vault.address);
  const shown = await vault.shown();
  t.deepEqual(shown['thread'], before);
  // The forged coins count as what they are, and no spend is built of them.
  t.like(shown, { status: 'active', balance: 0.11001, spendable: 0.08998 });
  t.is((shown['tokens'] as Json[]).length, 2);
});

test('update-balance › given what is no such deposit › it is tx_mismatch or tx_not_indexed', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await fundVault(treasury);
  const other = await createVault(treasury);
  const txid = await other.deposit();
  const refused = (input: Json, code: 'tx_mismatch' | 'tx_not_indexed') =>
    treasury.refusal(t, alice, 'vaults.update-balance', { id: vault.id, ...input }, code);
  await refused({ txid }, 'tx_mismatch');
  await refused({ txid: 'ab'.repeat(32) }, 'tx_not_indexed');
  const own = String((await vault.shown())['tx_hash']);
  const error = await refused({ txid: own, amount: '0.2' }, 'tx_mismatch');
  t.regex(error.message, /one of 0\.1 BCH/);
  const spend = await vault.propose([{ to: dave, amount: '0.01' }]);
  await vault.sign(alice, spend['id']);
  await vault.sign(bob, spend['id']);
  await refused({ txid: await vault.broadcast(spend['id']) }, 'tx_mismatch');
});

test('update-balance › given a first deposit that left the chain › the vault is pending, and gifts still count', async (t) => {
  const treasury = await openTreasury(t);
  const vault = await createVault(treasury);
  await treasury.give(dave, 2_000_000n);
  await vault.gift(dave, '0.01');
  const txid = await vault.deposit();
  t.like(await vault.shown(), { status: 'active', balance: 0.1 });
  await (treasury.app.context.localChain as LocalChain).reorg(2, { drop: [txid] });
  const shown = await vault.shown();
  t.like(shown, { status: 'pending', thread: null, tx_hash: null, balance: 0.01 });
  t.deepEqual(
    (shown['events'] as Json[]).map((event) => event['event_type']),
    ['deposited', 'created'],
  );
});
