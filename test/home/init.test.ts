import test from 'ava';
import { alice } from '../../fixtures/people.js';
import { sumSatoshis } from '../../src/bch/coins.js';
import { encodeWif } from '../../src/bch/keys.js';
import { reset } from '../../src/home/chain.js';
import { init } from '../../src/home/init.js';
import { importWallet } from '../../src/home/wallets/secrets.js';
import { openTestHome, type TestHome } from '../home.js';

const coinsOf = async (home: TestHome, name: string) => {
  const { address } = await home.keys.show(name);
  return home.chain.coins(address.lockingBytecode);
};

test('init › given a fresh home › it makes the wallet main, the default, with 10 BCH in coins of index 0', async (t) => {
  const home = await openTestHome(t);
  await home.ask(init);
  t.like(await home.keys.show(), { name: 'main', isAuthority: false, encrypted: false });
  const coins = await coinsOf(home, 'main');
  t.is(sumSatoshis(coins), 1_000_000_000n);
  t.true(coins.length > 1);
  t.true(coins.every(({ vout }) => vout === 0));
});

test('init › given a fresh home › it makes the authority key, with 1 BCH', async (t) => {
  const home = await openTestHome(t);
  await home.ask(init);
  const { publicKey } = await home.keys.show('authority');
  t.is(await home.keys.authorityPublicKey(), publicKey);
  t.is(sumSatoshis(await coinsOf(home, 'authority')), 100_000_000n);
});

test('init › given a fresh home › it says what losing the authority stops, and how to back it up', async (t) => {
  const home = await openTestHome(t);
  const { advice } = await home.ask(init);
  t.regex(String(advice), /wallet export authority/);
  t.regex(String(advice), /stops distributions, pauses and cancels/);
  t.regex(String(advice), /never stops claims/);
});

test('init › given it twice › nothing is made and nobody is paid again', async (t) => {
  const home = await openTestHome(t);
  const first = await home.ask(init);
  const coins = await coinsOf(home, 'main');
  const second = await home.ask(init);
  const created = (reply: typeof first) =>
    (reply['wallets'] as { created: boolean }[]).map((made) => made.created);
  t.deepEqual(created(first), [true, true]);
  t.deepEqual(created(second), [false, false]);
  t.deepEqual(await coinsOf(home, 'main'), coins);
  t.is((await home.keys.list()).length, 2);
});

test('init › given a chain that was reset › the wallets that are there get coins again', async (t) => {
  const home = await openTestHome(t);
  await home.ask(init);
  const { address } = await home.keys.show('main');
  await home.ask(reset);
  await home.ask(init);
  t.is((await home.keys.show('main')).address.text, address.text);
  t.is(sumSatoshis(await coinsOf(home, 'main')), 1_000_000_000n);
});

test('init › given a home with a wallet of its own › that one stays, and no other is made', async (t) => {
  const home = await openTestHome(t);
  await home.ask(importWallet, { name: 'alice', secret: encodeWif(alice.privateKey, 'local') });
  await home.ask(init);
  t.deepEqual(
    (await home.keys.list()).map(({ name }) => name),
    ['alice', 'authority'],
  );
  t.is((await home.keys.show()).name, 'alice');
});

test('init › given a network with money and a passphrase › it makes the authority key alone, under it', async (t) => {
  const askPassphrase = () => Promise.resolve('correct horse');
  const home = await openTestHome(t, { network: 'chipnet', askPassphrase });
  await home.ask(init);
  t.like(await home.keys.list(), [{ name: 'authority', isAuthority: true, encrypted: true }]);
  t.is((await home.keys.list()).length, 1);
});

test('init › given a network with money and nobody to ask › it is missing_value, and no key is made', async (t) => {
  const home = await openTestHome(t, { network: 'chipnet' });
  await home.refusal(t, 'missing_value', init);
  t.deepEqual(await home.keys.list(), []);
});
