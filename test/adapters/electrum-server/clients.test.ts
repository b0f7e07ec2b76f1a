import { ElectrumClient as NetworkClient, type RPCNotification } from '@electrum-cash/network';
import { ElectrumWebSocket } from '@electrum-cash/web-socket';
import test, { registerCompletionHandler } from 'ava';
import { compileString } from 'cashc';
import {
  Contract,
  ElectrumNetworkProvider,
  Network,
  SignatureTemplate,
  TransactionBuilder,
} from 'cashscript';
import { ElectrumClient } from 'electrum-cash';
import { scriptHashOf } from '../../../src/adapters/electrum/replies.js';
import { addressOf, parseAddress } from '../../../src/bch/address.js';
import { encodeWif } from '../../../src/bch/keys.js';
import { serveChain, until } from '../electrum/electrum-fixture.js';
import { ALICE, BOB, fund, payAll, present } from '../local-chain/chain-fixture.js';

const BITCOIN = 100_000_000n;
const portOf = (url: string): number => Number(new URL(url).port);
const aliceHash = scriptHashOf(ALICE.lockingBytecode);

for (const scheme of ['tcp', 'ws'] as const) {
  for (const version of ['1.4.1', '1.5.1', '1.6']) {
    test(`electrum-cash over ${scheme} › given version ${version} › it connects, asks, is told and leaves`, async (t) => {
      const { local, tcpUrl, wsUrl } = await serveChain(t);
      const port = portOf(scheme === 'tcp' ? tcpUrl : wsUrl);
      const client = new ElectrumClient('test', version, '127.0.0.1', port, scheme);
      const told: { method: string; params: unknown[] }[] = [];
      client.on('notification', (one: (typeof told)[number]) => told.push(one));
      await client.connect();
      t.teardown(() => client.disconnect());
      // The library hands the first answer of a subscription on as a notification.
      await client.subscribe('blockchain.scripthash.subscribe', aliceHash);
      const coin = await fund(local, ALICE, BITCOIN);
      await until(t, () => told.length === 2, 'the payment');
      t.like(await client.request('blockchain.scripthash.listunspent', aliceHash), [
        { tx_hash: coin.txid, value: Number(BITCOIN) },
      ]);
      const refusal = await client.request(
        'blockchain.transaction.broadcast',
        payAll(coin, BOB, { signer: BOB }),
      );
      t.regex(String(refusal), /rejected by network rules[^]*mandatory-script-verify-flag-failed/);
      await client.unsubscribe('blockchain.scripthash.subscribe', aliceHash);
      await client.disconnect();
    });
  }
}

test('@electrum-cash/network › given a subscription and many questions at once › each is answered', async (t) => {
  const { local, wsUrl } = await serveChain(t);
  const socket = new ElectrumWebSocket('127.0.0.1', portOf(wsUrl), false);
  const client = new NetworkClient('test', '1.5.1', socket);
  const told: RPCNotification[] = [];
  client.on('notification', (one: RPCNotification) => told.push(one));
  await client.connect();
  t.teardown(() => client.disconnect());
  await client.subscribe('blockchain.headers.subscribe');
  const txids = await Promise.all([1n, 2n, 3n].map((n) => local.faucet(ALICE.lockingBytecode, n * BITCOIN)));
  const answers = await Promise.all(txids.map((txid) => client.request('blockchain.transaction.get', txid)));
  t.deepEqual(answers, await Promise.all(txids.map((txid) => local.rawTransaction(txid))));
  await until(t, () => told.length > 1, 'the blocks');
  t.is(told.at(-1)?.method, 'blockchain.headers.subscribe');
});

test('CashScript › given its own provider › a contract is paid and spends', async (t) => {
  const { local, wsUrl } = await serveChain(t);
  // As its own constructor makes it, but for the server.
  const socket = new ElectrumWebSocket('127.0.0.1', portOf(wsUrl), false);
  const electrum = new NetworkClient('CashScript Application', '1.4.1', socket);
  const provider = new ElectrumNetworkProvider(Network.CHIPNET, { electrum });
  const artifact = compileString(`
    contract Open(int answer) { function spend(int guess) { require(guess == answer); } }
  `);
  const contract = new Contract(artifact, [42n], { provider });
  const { lockingBytecode } = parseAddress(contract.address);
  await local.faucet(lockingBytecode, BITCOIN);
  const [utxo] = await contract.getUtxos();
  t.is(utxo?.satoshis, BITCOIN);
  const alice = present(addressOf(ALICE.lockingBytecode, 'local'));
  const build = (guess: bigint) =>
    new TransactionBuilder({ provider })
      .addInput(present(utxo), present(contract.unlock['spend'])(guess))
      .addOutput({ to: alice.text, amount: BITCOIN - 1_000n });
  const { txid } = await build(42n).send();
  t.is((await local.coins(ALICE.lockingBytecode))[0]?.txid, txid);
  t.is(await provider.getBlockHeight(), (await local.tip()).height);
  const [coin] = await provider.getUtxos(alice.text);
  const template = new SignatureTemplate(ALICE.privateKey);
  const payment = new TransactionBuilder({ provider })
    .addInput(present(coin), template.unlockP2PKH())
    .addOutput({ to: alice.text, amount: 50_000_000n });
  t.truthy((await payment.send()).txid);
  await t.throwsAsync(provider.sendRawTransaction('00'), { message: /TX decode failed/ });
});

// mainnet-js leaves a timer of half a minute behind, which would hold this process for as long.
registerCompletionHandler(() => {
  process.exit();
});

test('mainnet-js › given a wallet › it sees its coins, sends, mints tokens and reads its history', async (t) => {
  const { local, wsUrl } = await serveChain(t);
  process.env['ELECTRUM_REGTEST'] = wsUrl;
  const { RegTestWallet, SendRequest, TokenGenesisRequest, initProvider, disconnectProviders } =
    await import('mainnet-js');
  await initProvider('regtest');
  t.teardown(() => disconnectProviders(['regtest']));
  const wallet = await RegTestWallet.fromWIF(encodeWif(ALICE.privateKey, 'regtest'));
  const told: unknown[] = [];
  const cancel = await wallet.watchStatus((status) => void told.push(status));
  await fund(local, ALICE, BITCOIN);
  await until(t, () => told.length > 0, 'the payment');
  await cancel();
  t.is(await wallet.getBalance(), BITCOIN);

  const bob = present(addressOf(BOB.lockingBytecode, 'regtest'));
  const { txId } = await wallet.send([new SendRequest({ cashaddr: bob.text, value: 10_000n })]);
  t.is((await local.coins(BOB.lockingBytecode))[0]?.txid, txId);
  await fund(local, ALICE, BITCOIN);
  const genesis = await wallet.tokenGenesis(
    new TokenGenesisRequest({
      cashaddr: present(wallet.tokenaddr),
      amount: 1_000n,
      value: 1_000n,
    }),
  );
  const [category] = genesis.categories ?? [];
  t.is(await wallet.getTokenBalance(present(category)), 1_000n);
  const history = await wallet.getHistory({});
  t.is(history.length, 4);
  await t.throwsAsync(wallet.provider.sendRawTransaction('00'), { message: /TX decode failed/ });
});
