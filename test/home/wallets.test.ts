import test, { type ExecutionContext } from 'ava';
import { alice, bob, carol, PEOPLE_MNEMONIC, type Person } from '../../fixtures/people.js';
import { parseAddress } from '../../src/bch/address.js';
import { sumSatoshis, sumTokens } from '../../src/bch/coins.js';
import {
  addressOfPublicKey,
  derivePrivateKey,
  encodeWif,
  publicKeyOf,
  signerOf,
} from '../../src/bch/keys.js';
import { verifyMessage } from '../../src/bch/signed-message.js';
import { signWalletTransaction, type WalletTransaction } from '../../src/bch/wallet-transaction.js';
import { add } from '../../src/home/tokens/token.js';
import { create as createToken } from '../../src/home/tokens/create.js';
import { address, list, show, use, type WalletReply } from '../../src/home/wallets/wallet.js';
import { balance, coins } from '../../src/home/wallets/holdings.js';
import { create, exportWallet, importWallet, signMessage } from '../../src/home/wallets/secrets.js';
import { send } from '../../src/home/wallets/send.js';
import type { Reply } from '../../src/operation/execute.js';
import { IS_LONG } from '../at-length.js';
import { openTestHome, type TestHome } from '../home.js';

const of = (who: Person) => who.address('local');
const walletOf = (reply: Reply): WalletReply => reply['wallet'] as WalletReply;

const importPerson = (home: TestHome, who: Person) =>
  home.ask(importWallet, { name: who.name, secret: encodeWif(who.privateKey, 'local') });

const sendAs = (home: TestHome, who: Person, reply: Reply): Promise<string> => {
  const signer = signerOf(who.name, who.privateKey, 'local');
  return home.chain.broadcast(
    signWalletTransaction(reply['wcTransaction'] as WalletTransaction, signer).transaction,
  );
};

const satoshisOf = async (home: TestHome, who: Person) =>
  sumSatoshis(await home.chain.coins(of(who).lockingBytecode));
const tokensOf = async (home: TestHome, who: Person, category: string) =>
  sumTokens(await home.chain.coins(of(who).lockingBytecode), category);

/** A home where Alice has 2 BCH in two coins and 10.00 GEM. */
const withMoney = async (t: ExecutionContext) => {
  const home = await openTestHome(t);
  await importPerson(home, alice);
  await home.embedded.faucet(of(alice).lockingBytecode, 100_000_000n);
  await home.embedded.faucet(of(alice).lockingBytecode, 100_000_000n);
  const terms = { supply: '10', decimals: 2, symbol: 'GEM' };
  const built = await home.ask(createToken.build, terms, of(alice));
  const txHash = await sendAs(home, alice, built);
  await home.ask(createToken.confirm, { ...terms, txHash });
  return { home, category: String(built['category']) };
};

test('create › given a free name › it answers the seed phrase, and the wallet is the one of that phrase', async (t) => {
  const home = await openTestHome(t);
  const reply = await home.ask(create, { name: 'main' });
  const publicKey = publicKeyOf(derivePrivateKey(String(reply['mnemonic'])));
  t.is(walletOf(reply).address, addressOfPublicKey(publicKey, 'local').text);
});

test('create › given a path › the wallet is the one at that path', async (t) => {
  const home = await openTestHome(t);
  const path = "m/44'/145'/0'/0/7";
  const reply = await home.ask(create, { name: 'main', path });
  const publicKey = publicKeyOf(derivePrivateKey(String(reply['mnemonic']), path));
  t.is(walletOf(reply).address, addressOfPublicKey(publicKey, 'local').text);
});

test('create › given a taken name › it is wallet_exists', async (t) => {
  const home = await openTestHome(t);
  await home.ask(create, { name: 'main' });
  await home.refusal(t, 'wallet_exists', create, { name: 'main' });
});

test('create › given a network with money and a passphrase at the prompt › the wallet is kept under it', async (t) => {
  const asked: string[] = [];
  const home = await openTestHome(t, {
    network: 'chipnet',
    askPassphrase: (name, purpose) => {
      asked.push(`${purpose} ${name}`);
      return Promise.resolve('correct horse');
    },
  });
  const reply = await home.ask(create, { name: 'main' });
  t.true(walletOf(reply).encrypted);
  t.deepEqual(asked, ['new main']);
});

test('create › given a network with money and nobody to ask › it is missing_value, and no wallet is made', async (t) => {
  const home = await openTestHome(t, { network: 'chipnet' });
  await home.refusal(t, 'missing_value', create, { name: 'main' });
  t.deepEqual((await home.ask(list))['wallets'], []);
});

test('import › given a seed phrase › it is the wallet of its first key', async (t) => {
  const home = await openTestHome(t);
  const reply = await home.ask(importWallet, { name: 'alice', secret: ` ${PEOPLE_MNEMONIC}\n` });
  t.is(walletOf(reply).address, of(alice).text);
  t.is(walletOf(reply).origin, 'seed');
});

test('import › given a WIF › it is the wallet of that key', async (t) => {
  const home = await openTestHome(t);
  t.is(walletOf(await importPerson(home, bob)).address, of(bob).text);
});

test('import › given neither › it is invalid_input, and the message does not repeat the secret', async (t) => {
  const home = await openTestHome(t);
  for (const secret of ['not-a-secret', 'neither a phrase of the list']) {
    const error = await home.refusal(t, 'invalid_input', importWallet, { name: 'alice', secret });
    t.false(JSON.stringify([error.message, error.details]).includes(secret));
  }
});

test('list › given two wallets › the first is the default until another is used', async (t) => {
  const home = await openTestHome(t);
  await importPerson(home, alice);
  await importPerson(home, bob);
  const defaults = async () =>
    ((await home.ask(list))['wallets'] as WalletReply[]).map((w) => [w.name, w.isDefault]);
  t.deepEqual(await defaults(), [
    ['alice', true],
    ['bob', false],
  ]);
  await home.ask(use, { name: 'bob' });
  t.deepEqual(await defaults(), [
    ['alice', false],
    ['bob', true],
  ]);
});

test('show › given no name › it is the caller’s wallet, else the default one', async (t) => {
  const home = await openTestHome(t);
  await importPerson(home, alice);
  await importPerson(home, bob);
  t.is(walletOf(await home.ask(show, {}, of(bob))).name, 'bob');
  t.is(walletOf(await home.ask(show)).name, 'alice');
  t.is(walletOf(await home.ask(show, { name: 'alice' }, of(bob))).name, 'alice');
});

test('show › given a name that is none › it is wallet_not_found', async (t) => {
  const home = await openTestHome(t);
  await home.refusal(t, 'wallet_not_found', show, { name: 'nobody' });
});

test('address › given a wallet › both of its forms pay the same party', async (t) => {
  const home = await openTestHome(t);
  await importPerson(home, alice);
  const reply = await home.ask(address);
  t.is(reply['address'], of(alice).text);
  t.true(String(reply['tokenAddress']).startsWith('bchtest:z'));
  t.is(parseAddress(String(reply['tokenAddress'])).lockingBytecode, of(alice).lockingBytecode);
});

test('export › given a wallet made here › it is what the wallet was made from', async (t) => {
  const home = await openTestHome(t);
  const { mnemonic } = await home.ask(create, { name: 'main' });
  t.like(await home.ask(exportWallet, { name: 'main' }), { mnemonic, path: "m/44'/145'/0'/0/0" });
});

test('export › given a wallet from a WIF › it has no seed phrase', async (t) => {
  const home = await openTestHome(t);
  await importPerson(home, alice);
  const reply = await home.ask(exportWallet, { name: 'alice' });
  t.like(reply, { mnemonic: null, wif: encodeWif(alice.privateKey, 'local') });
});

test('balance › given coins with and without tokens › it adds up all, what can be spent, and tokens', async (t) => {
  const { home, category } = await withMoney(t);
  const reply = await home.ask(balance, {}, of(alice));
  const total = await satoshisOf(home, alice);
  t.like(reply, {
    address: of(alice).text,
    satoshis: Number(total),
    balanceOnChain: total.toString(),
    balance: Number(total) / 1e8,
    spendableOnChain: (total - 1_000n).toString(),
  });
  t.deepEqual(reply['tokens'], [
    { category, symbol: 'GEM', decimals: 2, amount: 10, amountOnChain: '1000', nfts: 0 },
  ]);
});

test('balance › given any address › it is that of the address', async (t) => {
  const home = await openTestHome(t);
  await home.embedded.faucet(of(carol).lockingBytecode, 5_000n);
  t.like(await home.ask(balance, { address: of(carol).tokenText }), {
    address: of(carol).text,
    satoshis: 5_000,
    tokens: [],
  });
});

test('coins › given coins with and without tokens › the shape is exactly as documented', async (t) => {
  const { home, category } = await withMoney(t);
  const reply = await home.ask(coins, { address: of(alice).text });
  t.deepEqual(Object.keys(reply), ['coins']);
  const found = reply['coins'] as Record<string, unknown>[];
  t.is(found.length, 3);
  const [withToken] = found.filter(({ token }) => token !== undefined);
  t.deepEqual(
    { ...withToken, txid: '', vout: 0 },
    {
      txid: '',
      vout: 0,
      satoshis: 1_000,
      token: { category, amount: '1000' },
    },
  );
  const plain = found.filter(({ token }) => token === undefined);
  for (const coin of plain) t.deepEqual(Object.keys(coin), ['txid', 'vout', 'satoshis']);
});

test('sign-message › given a text › the signature is one of the address over it', async (t) => {
  const home = await openTestHome(t);
  await importPerson(home, alice);
  const reply = await home.ask(signMessage, { message: 'I am Alice ✓' }, of(alice));
  t.true(verifyMessage('I am Alice ✓', String(reply['signature']), of(alice)));
});

test('sign-message › given a caller whose key is elsewhere › it is wallet_not_found', async (t) => {
  const home = await openTestHome(t);
  await importPerson(home, alice);
  await home.refusal(t, 'wallet_not_found', signMessage, { message: 'hello' }, of(bob));
});

test('send › given a recipient and an amount › signed as it stands, the recipient has exactly the amount', async (t) => {
  const { home } = await withMoney(t);
  const before = await satoshisOf(home, alice);
  const reply = await home.ask(send.build, { to: of(bob).text, amount: '0.3' }, of(alice));
  const txHash = await sendAs(home, alice, reply);
  t.is(await satoshisOf(home, bob), 30_000_000n);
  t.is(await satoshisOf(home, alice), before - 30_000_000n - BigInt(Number(reply['fee'])));
  t.like(await home.ask(send.confirm, { txHash }), { state: 'confirmed', confirmations: 1, txHash });
});

test('send › given several recipients in BCH and in tokens › each has exactly their amount', async (t) => {
  const { home, category } = await withMoney(t);
  const outputs = [
    { to: of(bob).text, amount: 0.5 },
    { to: of(carol).tokenText, amount: '2.5', tokenCategory: category },
    { to: of(bob).text, amount: '0.01', tokenCategory: category },
  ];
  await sendAs(home, alice, await home.ask(send.build, { outputs }, of(alice)));
  t.is(await satoshisOf(home, bob), 50_001_000n);
  t.is(await tokensOf(home, carol, category), 250n);
  t.is(await tokensOf(home, bob, category), 1n);
  t.is(await tokensOf(home, alice, category), 749n);
});

test('send › given max › the recipient has all but the fee, and tokens stay', async (t) => {
  const { home, category } = await withMoney(t);
  const before = await satoshisOf(home, alice);
  const reply = await home.ask(send.build, { to: of(bob).text, max: true }, of(alice));
  await sendAs(home, alice, reply);
  t.is(await satoshisOf(home, bob), before - 1_000n - BigInt(Number(reply['fee'])));
  t.is(await tokensOf(home, alice, category), 1_000n);
});

test('send › given max of a token › the recipient has all of it', async (t) => {
  const { home, category } = await withMoney(t);
  const input = { to: of(bob).text, max: true, tokenCategory: category };
  await sendAs(home, alice, await home.ask(send.build, input, of(alice)));
  t.is(await tokensOf(home, bob, category), 1_000n);
});

if (IS_LONG) {
  test('send › given max, and dust of strangers in more coins than a transaction holds › what counts is sent (at length)', async (t) => {
    const { home, category } = await withMoney(t);
    await importPerson(home, carol);
    await home.embedded.faucet(of(carol).lockingBytecode, 20_000_000n);
    await sendAs(
      home,
      alice,
      await home.ask(send.build, { to: of(carol).text, amount: '9', tokenCategory: category }, of(alice)),
    );
    const before = { satoshis: await satoshisOf(home, alice), coins: 3 };
    for (const dust of [{ amount: '0.00000546' }, { amount: '0.01', tokenCategory: category }]) {
      for (let sent = 0; sent < 800; sent += 400) {
        const outputs = Array.from({ length: 400 }, () => ({ to: of(alice).text, ...dust }));
        await sendAs(home, carol, await home.ask(send.build, { outputs }, of(carol)));
      }
    }
    const tokens = await home.ask(
      send.build,
      { to: of(bob).text, max: true, tokenCategory: category },
      of(alice),
    );
    t.is(tokens['coinsLeft'], 801 - 692);
    await sendAs(home, alice, tokens);
    t.is(await tokensOf(home, bob, category), 100n + 691n);
    const plain = await home.ask(send.build, { to: of(bob).text, max: true }, of(alice));
    t.true(Number(plain['coinsLeft']) > 0);
    await sendAs(home, alice, plain);
    t.true((await satoshisOf(home, bob)) > before.satoshis - 10_000n, 'all that is not dust');
    // What stayed goes the same way.
    const rest = await home.ask(send.build, { to: of(bob).text, max: true }, of(alice));
    t.is(rest['coinsLeft'], undefined);
  });
}

test('send › given more tokens than there are › it says so in display units', async (t) => {
  const { home, category } = await withMoney(t);
  const input = { to: of(bob).text, amount: '10.01', tokenCategory: category };
  const error = await home.refusal(t, 'insufficient_funds', send.build, input, of(alice));
  t.like(error.details, { asset: 'GEM', available: '10', needed: '10.01' });
});

for (const [what, input, code] of [
  ['an amount below dust', { amount: '0.00000545' }, 'amount_below_dust'],
  ['more than there is', { amount: '3' }, 'insufficient_funds'],
  ['too many decimals', { amount: '0.000000001' }, 'invalid_amount'],
  ['a negative amount', { amount: -1 }, 'invalid_amount'],
  ['nothing', { amount: 0 }, 'invalid_amount'],
  ['no amount', {}, 'invalid_input'],
  ['an amount and max', { amount: 1, max: true }, 'invalid_input'],
  ['a recipient and outputs', { outputs: [{ to: of(bob).text, amount: 1 }] }, 'invalid_input'],
] as const) {
  test(`send › given ${what} › it is ${code}`, async (t) => {
    const { home } = await withMoney(t);
    await home.refusal(t, code, send.build, { to: of(bob).text, ...input }, of(alice));
  });
}

test('send › given the address of another network › it is invalid_address', async (t) => {
  const home = await openTestHome(t);
  const to = bob.address('mainnet').text;
  await home.refusal(t, 'invalid_address', send.build, { to, amount: 1 }, of(alice));
});

test('send › given nobody who asks › it is unauthenticated', async (t) => {
  const home = await openTestHome(t);
  await home.refusal(t, 'unauthenticated', send.build, { to: of(bob).text, amount: 1 });
});

test('confirm-send › given a transaction that the chain does not know › it is tx_not_indexed', async (t) => {
  const home = await openTestHome(t);
  const error = await home.refusal(t, 'tx_not_indexed', send.confirm, { txHash: 'ab'.repeat(32) });
  t.like(error.details, { state: 'pending' });
});

test('balance › given the registry is corrected › tokens are shown with its decimals', async (t) => {
  const { home, category } = await withMoney(t);
  await home.ask(add, { category, symbol: 'JEM', decimals: 3 });
  const { tokens } = await home.ask(balance, {}, of(alice));
  t.like((tokens as unknown[])[0], { symbol: 'JEM', amount: 1, amountOnChain: '1000' });
});
