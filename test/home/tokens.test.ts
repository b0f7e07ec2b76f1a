import test from 'ava';
import { alice, bob, type Person } from '../../fixtures/people.js';
import { sumTokens } from '../../src/bch/coins.js';
import { signerOf } from '../../src/bch/keys.js';
import { signWalletTransaction, type WalletTransaction } from '../../src/bch/wallet-transaction.js';
import { add, list, type TokenReply } from '../../src/home/tokens/token.js';
import { create } from '../../src/home/tokens/create.js';
import { importRegistry } from '../../src/home/tokens/import.js';
import { send } from '../../src/home/wallets/send.js';
import { openTestHome, type TestHome } from '../home.js';

const of = (who: Person) => who.address('local');
const terms = { supply: '1000000', decimals: 2, symbol: 'TEAM', name: 'Team points' };

const sendAs = (home: TestHome, who: Person, wcTransaction: unknown): Promise<string> => {
  const signer = signerOf(who.name, who.privateKey, 'local');
  return home.chain.broadcast(signWalletTransaction(wcTransaction as WalletTransaction, signer).transaction);
};

const give = (home: TestHome, who: Person, satoshis = 1_000_000n) =>
  home.embedded.faucet(of(who).lockingBytecode, satoshis);

const registry = async (home: TestHome): Promise<TokenReply[]> =>
  (await home.ask(list))['tokens'] as TokenReply[];

/** Gives Bob one coin, at index 1: the change of a payment that Alice asked him for stays with her. */
const giveAtIndexOne = async (home: TestHome, who: Person, satoshis: string): Promise<void> => {
  await give(home, alice, 100_000_000n);
  const outputs = [
    { to: of(alice).text, amount: '0.001' },
    { to: of(who).text, amount: satoshis },
  ];
  const built = await home.ask(send.build, { outputs }, of(alice));
  await sendAs(home, alice, built['wcTransaction']);
};

test('create › given a coin at index 0 › signed as it stands, the whole supply is the wallet’s', async (t) => {
  const home = await openTestHome(t);
  const genesis = await give(home, alice);
  const built = await home.ask(create.build, terms, of(alice));
  t.like(built, { success: true, category: genesis, supply: 1_000_000, supplyOnChain: '100000000' });
  await sendAs(home, alice, built['wcTransaction']);
  const coins = await home.chain.coins(of(alice).lockingBytecode);
  t.is(sumTokens(coins, genesis), 100_000_000n);
});

test('create › given no coin at index 0 › it is the preparation form, and then it can be minted', async (t) => {
  const home = await openTestHome(t);
  await giveAtIndexOne(home, bob, '0.01');
  const first = await home.ask(create.build, terms, of(bob));
  t.like(first, { success: false, code: 'preparation_required', requiresPreparation: true });
  const prepared = await sendAs(home, bob, first['preparationTransaction']);
  const second = await home.ask(create.build, terms, of(bob));
  t.like(second, { success: true, category: prepared });
  await t.notThrowsAsync(sendAs(home, bob, second['wcTransaction']));
});

test('create › given nothing to pay with › it is insufficient_funds', async (t) => {
  const home = await openTestHome(t);
  await home.refusal(t, 'insufficient_funds', create.build, terms, of(alice));
});

test('create › given too little, and no coin at index 0 › it is insufficient_funds and no preparation', async (t) => {
  const home = await openTestHome(t);
  await giveAtIndexOne(home, bob, '0.000015');
  await home.refusal(t, 'insufficient_funds', create.build, terms, of(bob));
});

for (const supply of ['0', '1.001', '92233720368547758.08', -5]) {
  test(`create › given a supply of ${supply} with 2 decimals › it is invalid_amount`, async (t) => {
    const home = await openTestHome(t);
    await give(home, alice);
    await home.refusal(t, 'invalid_amount', create.build, { ...terms, supply }, of(alice));
  });
}

test('confirm-create › given the mint › the token is in the registry with the supply of the chain', async (t) => {
  const home = await openTestHome(t);
  const category = await give(home, alice);
  const built = await home.ask(create.build, terms, of(alice));
  const txHash = await sendAs(home, alice, built['wcTransaction']);
  const { symbol, decimals, name } = terms;
  const reply = await home.ask(create.confirm, { txHash, symbol, decimals, name });
  t.like(reply, { state: 'confirmed', txHash, supplyOnChain: '100000000', supply: 1_000_000 });
  t.like(await registry(home), [{ category, symbol, decimals, name, source: 'created' }]);
});

test('confirm-create › given it twice › the registry is as it was', async (t) => {
  const home = await openTestHome(t);
  await give(home, alice);
  const built = await home.ask(create.build, terms, of(alice));
  const txHash = await sendAs(home, alice, built['wcTransaction']);
  const { symbol, decimals } = terms;
  await home.ask(create.confirm, { txHash, symbol, decimals });
  const before = await registry(home);
  await home.ask(create.confirm, { txHash, symbol: 'OTHER', decimals: 7 });
  t.deepEqual(await registry(home), before);
});

test('confirm-create › given a transaction that mints nothing › it is tx_mismatch, and nothing is stored', async (t) => {
  const home = await openTestHome(t);
  const txHash = await give(home, alice);
  await home.refusal(t, 'tx_mismatch', create.confirm, { txHash, symbol: 'TEAM', decimals: 2 });
  t.deepEqual(await registry(home), []);
});

test('confirm-create › given a payment in a token › it is tx_mismatch: it was minted elsewhere', async (t) => {
  const home = await openTestHome(t);
  const category = await give(home, alice);
  await give(home, alice);
  const built = await home.ask(create.build, terms, of(alice));
  await sendAs(home, alice, built['wcTransaction']);
  const minted = String(built['category']);
  t.true(category !== '' && minted !== '');
  const payment = { to: of(bob).text, amount: 1, tokenCategory: minted };
  const paid = await home.ask(send.build, payment, of(alice));
  const txHash = await sendAs(home, alice, paid['wcTransaction']);
  await home.refusal(t, 'tx_mismatch', create.confirm, { txHash, symbol: 'TEAM', decimals: 2 });
});

test('confirm-create › given a transaction that the chain does not know › it is tx_not_indexed', async (t) => {
  const home = await openTestHome(t);
  const input = { txHash: 'ab'.repeat(32), symbol: 'TEAM', decimals: 2 };
  await home.refusal(t, 'tx_not_indexed', create.confirm, input);
});

const category = 'cd'.repeat(32);
const snapshot = (name: string, decimals: number) => ({ name, token: { category, symbol: 'GEM', decimals } });
const bcmr = (identities: Record<string, unknown>) => ({
  $schema: 'https://cashtokens.org/bcmr-v2.schema.json',
  version: { major: 0, minor: 1, patch: 0 },
  latestRevision: '2026-01-01T00:00:00.000Z',
  registryIdentity: { name: 'Registry of the tests' },
  identities,
});

test('import › given a BCMR registry › the newest snapshot in force is taken, and none of the future', async (t) => {
  const home = await openTestHome(t);
  const history = {
    '2025-01-01T00:00:00.000Z': snapshot('Old gems', 1),
    '2026-01-01T00:00:00.000Z': snapshot('Gems', 3),
    '2999-01-01T00:00:00.000Z': snapshot('Gems of the future', 5),
  };
  const reply = await home.ask(importRegistry, { registry: bcmr({ [category]: history }) });
  t.is(reply['total'], 1);
  t.like(await registry(home), [{ category, symbol: 'GEM', name: 'Gems', decimals: 3, source: 'imported' }]);
});

test('import › given a token that is known › it takes what the file says', async (t) => {
  const home = await openTestHome(t);
  await home.ask(add, { category, symbol: 'GEM', decimals: 9 });
  const history = { '2026-01-01T00:00:00.000Z': snapshot('Gems', 3) };
  await home.ask(importRegistry, { registry: bcmr({ [category]: history }) });
  t.like(await registry(home), [{ decimals: 3 }]);
});

test('import › given what is no registry › it is invalid_input by name', async (t) => {
  const home = await openTestHome(t);
  const error = await home.refusal(t, 'invalid_input', importRegistry, { registry: { tokens: [] } });
  t.like(error.details, { issues: [{ path: 'registry' }] });
});

test('import › given a registry without tokens › it is invalid_input', async (t) => {
  const home = await openTestHome(t);
  const history = { '2026-01-01T00:00:00.000Z': { name: 'Somebody' } };
  await home.refusal(t, 'invalid_input', importRegistry, { registry: bcmr({ [category]: history }) });
});

test('add › given a category › it is in the registry, its name the symbol', async (t) => {
  const home = await openTestHome(t);
  await home.ask(add, { category, symbol: 'GEM', decimals: 8 });
  t.like(await registry(home), [{ category, symbol: 'GEM', name: 'GEM', decimals: 8, source: 'added' }]);
});

test('add › given one that is there › it is corrected', async (t) => {
  const home = await openTestHome(t);
  await home.ask(add, { category, symbol: 'GEM', decimals: 8 });
  await home.ask(add, { category, symbol: 'GEMS', decimals: 4 });
  t.like(await registry(home), [{ symbol: 'GEMS', decimals: 4 }]);
});

test('add › given decimals above 18 › it is invalid_input', async (t) => {
  const home = await openTestHome(t);
  await home.refusal(t, 'invalid_input', add, { category, symbol: 'GEM', decimals: 19 });
});
