import test from 'ava';
import type { Coin, Token } from '../../../src/bch/coins.js';
import { decodeRaw, decodeTransaction, dustOf, encodeRaw } from '../../../src/bch/transaction.js';
import { openElectrumChain } from '../../../src/adapters/electrum/electrum-chain.js';
import { FEE_KEY, FEE_LOCKING_BYTECODE } from '../../../src/adapters/local-chain/faucet.js';
import { startElectrumServer } from '../../../src/adapters/electrum-server/electrum-server.js';
import { errorBody, messageOf } from '../../../src/errors.js';
import {
  ALICE,
  BOB,
  FEE,
  fund,
  openTestChain,
  payAll,
  present,
  refused,
  signSpend,
} from '../local-chain/chain-fixture.js';
import { openThrough, recordLog, serveChain, until } from './electrum-fixture.js';
import { binToHex } from '@bitauth/libauth';

const BITCOIN = 100_000_000n;

const byOutpoint = (coins: readonly Coin[]): Coin[] =>
  [...coins].sort((a, b) => (`${a.txid}${a.vout}` < `${b.txid}${b.vout}` ? -1 : 1));

for (const transport of ['tcpUrl', 'wsUrl'] as const) {
  test(`${transport} › given a chain with coins › every answer is the embedded chain's own`, async (t) => {
    const served = await serveChain(t, { automine: false });
    const { local } = served;
    const chain = await openThrough(t, [served[transport]]);
    const first = await fund(local, ALICE, BITCOIN);
    await local.mine(2);
    await local.broadcast(payAll(first, BOB));
    await fund(local, ALICE, 2n * BITCOIN);
    await local.mine(1);
    const waiting = await fund(local, ALICE, 3n * BITCOIN);

    t.deepEqual(await chain.tip(), await local.tip());
    for (const { lockingBytecode } of [ALICE, BOB]) {
      t.deepEqual(
        byOutpoint(await chain.coins(lockingBytecode)),
        byOutpoint(await local.coins(lockingBytecode)),
      );
      const history = await local.history(lockingBytecode);
      t.true(history.length > 0);
      t.deepEqual(await chain.history(lockingBytecode), history);
      for (const { txid } of history)
        t.deepEqual(await chain.transaction(txid), await local.transaction(txid));
    }
    t.is((await chain.transaction(waiting.txid))?.height, null);
  });
}

test('coins › given tokens › they are seen with amount and commitment', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const coin = await fund(local, ALICE, BITCOIN);
  const tokens: Token[] = [
    { category: coin.txid, amount: 9_223_372_036_854_775_000n },
    { category: coin.txid, amount: 0n, nft: { capability: 'mutable', commitment: 'c0ffee' } },
  ];
  await local.broadcast(
    signSpend({
      coins: [coin],
      outputs: tokens.map((token) => ({
        lockingBytecode: ALICE.lockingBytecode,
        satoshis: 10_000n,
        token,
      })),
    }),
  );
  const coins = byOutpoint(await chain.coins(ALICE.lockingBytecode));
  t.deepEqual(
    coins.map(({ token }) => token),
    tokens,
  );
  t.deepEqual(coins, byOutpoint(await local.coins(ALICE.lockingBytecode)));
});

test('coins › given a script that nobody has paid › there are none', async (t) => {
  const { tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  t.deepEqual(await chain.coins('51'), []);
  t.deepEqual(await chain.history('51'), []);
});

test('transaction › given an id that nobody knows › it is null', async (t) => {
  const { tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  t.is(await chain.transaction('ab'.repeat(32)), null);
});

test('tip › given a clock that moves and a reorg › height, hash and median time past are right', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  for (let round = 0; round < 3; round += 1) {
    t.deepEqual(await chain.tip(), await local.tip());
    await local.advance(3_600);
  }
  t.deepEqual(await chain.tip(), await local.tip());
  await local.reorg(3);
  t.deepEqual(await chain.tip(), await local.tip());
});

test('opening › given a server that is not there › it does not wait, and the first question fails', async (t) => {
  const chain = await openThrough(t, ['tcp://127.0.0.1:1']);
  const error = await refused(t, chain.tip(), 'chain_unavailable');
  t.regex(error.message, /tcp:\/\/127\.0\.0\.1:1 .*ECONNREFUSED/);
});

test('opening › given no server where none is known › it says so', async (t) => {
  const opening = openElectrumChain({ network: 'regtest', servers: [], log: recordLog() });
  await refused(t, opening, 'invalid_setting');
});

test('closing › given a question after it › it is refused', async (t) => {
  const { tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  await chain.tip();
  await chain.close();
  await refused(t, chain.tip(), 'chain_unavailable');
});

test('coins › given coins of a coinbase › they come with its 100th confirmation, here and through a server, which lists them before', async (t) => {
  const { local, tcpUrl } = await serveChain(t, { automine: false });
  const chain = await openThrough(t, [tcpUrl]);
  const miner = binToHex(FEE_LOCKING_BYTECODE);
  await fund(local, ALICE, BITCOIN);
  await local.mine(1);
  await local.mine(98);
  const [listed] = await local.unspent(miner);
  t.is((await local.tip()).height, (listed?.height ?? 0) + 98);
  t.deepEqual(await chain.coins(miner), []);
  t.deepEqual(await local.coins(miner), []);
  await local.mine(1);
  t.is((await local.coins(miner))[0]?.txid, listed?.txid);
  const tip = await local.tip();
  let seen = 0;
  for (; seen < tip.height; seen = (await chain.tip()).height) continue;
  t.is((await chain.coins(miner))[0]?.txid, listed?.txid);
});

test('coins › given coins › only those of less than 100 confirmations and without tokens cost a look at their bytes, once', async (t) => {
  const real = await openTestChain(t, { automine: false });
  const asked: string[] = [];
  const server = await startElectrumServer({
    chain: {
      ...real,
      rawTransaction: (txid) => {
        asked.push(txid);
        return real.rawTransaction(txid);
      },
    },
    tcpPort: 0,
  });
  t.teardown(server.stop);
  await fund(real, ALICE, BITCOIN);
  await real.mine(100);
  const token = await fund(real, ALICE, BITCOIN);
  const minted = signSpend({
    coins: [token],
    outputs: [
      {
        lockingBytecode: ALICE.lockingBytecode,
        satoshis: BITCOIN - FEE,
        token: { category: token.txid, amount: 1n },
      },
    ],
  });
  await real.broadcast(minted);
  const young = await fund(real, ALICE, BITCOIN);
  await real.mine(1);
  await fund(real, ALICE, BITCOIN);
  const chain = await openThrough(t, [server.tcpUrl ?? '']);
  t.is((await chain.coins(ALICE.lockingBytecode)).length, 4);
  await chain.coins(ALICE.lockingBytecode);
  t.deepEqual(asked, [young.txid]);
});

test('broadcast › given an index that shows it 600 ms later › it returns once it is shown, and its change is there', async (t) => {
  const { local, tcpUrl } = await serveChain(t, { indexDelayMs: 600 });
  const coin = await fund(local, ALICE, BITCOIN);
  const chain = await openThrough(t, [tcpUrl]);
  const from = performance.now();
  const txid = await chain.broadcast(payAll(coin, BOB));
  t.true(performance.now() - from >= 600);
  t.is((await chain.transaction(txid))?.transaction.txid, txid);
  t.is((await chain.coins(BOB.lockingBytecode))[0]?.txid, txid);
});

test('broadcast › given an index that does not show it in time › it returns all the same', async (t) => {
  const { local, tcpUrl } = await serveChain(t, { indexDelayMs: 60_000 });
  const coin = await fund(local, ALICE, BITCOIN);
  const chain = await openThrough(t, [tcpUrl], { shownMs: 500 });
  const raw = payAll(coin, BOB);
  const from = performance.now();
  const txid = await chain.broadcast(raw);
  t.true(performance.now() - from < 3_000);
  t.is(await chain.transaction(txid), null);
  // Sent again it is known: the node says so, though its index does not.
  t.is(await chain.broadcast(raw), txid);
});

test('broadcast › given a signed payment › it returns its id and the coin moves', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const raw = payAll(await fund(local, ALICE, BITCOIN), BOB);
  const { txid } = decodeTransaction(raw);
  t.is(await chain.broadcast(raw), txid);
  t.is((await local.coins(BOB.lockingBytecode))[0]?.txid, txid);
});

for (const automine of [true, false]) {
  test(`broadcast › given it again ${automine ? 'from a block' : 'from the mempool'} › it is a success`, async (t) => {
    const { local, tcpUrl } = await serveChain(t, { automine });
    const chain = await openThrough(t, [tcpUrl]);
    const raw = payAll(await fund(local, ALICE, BITCOIN), BOB);
    const txid = await chain.broadcast(raw);
    t.is(await chain.broadcast(raw.toUpperCase()), txid);
  });
}

test('broadcast › given what is no transaction › tx_malformed, and nobody is asked', async (t) => {
  const chain = await openThrough(t, ['tcp://127.0.0.1:1']);
  await refused(t, chain.broadcast('0200'), 'tx_malformed');
  await refused(t, chain.broadcast('nonsense'), 'tx_malformed');
});

test('broadcast › given a coin twice › tx_malformed', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const coin = await fund(local, ALICE, BITCOIN);
  const outputs = [{ lockingBytecode: BOB.lockingBytecode, satoshis: BITCOIN }];
  await refused(t, chain.broadcast(signSpend({ coins: [coin, coin], outputs })), 'tx_malformed');
});

for (const automine of [true, false]) {
  test(`broadcast › given a coin spent ${automine ? 'in a block' : 'in the mempool'} › tx_conflict names who`, async (t) => {
    const { local, tcpUrl } = await serveChain(t, { automine });
    const chain = await openThrough(t, [tcpUrl]);
    const coin = await fund(local, ALICE, BITCOIN);
    const spender = await chain.broadcast(payAll(coin, BOB));
    const error = await refused(t, chain.broadcast(payAll(coin, ALICE)), 'tx_conflict');
    t.like(error.details, { outpoint: `${coin.txid}:0`, spender });
  });
}

test('broadcast › given a coin that nobody made › tx_missing_inputs names it', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const coin = await fund(local, ALICE, BITCOIN);
  for (const wrong of [
    { ...coin, txid: 'ab'.repeat(32) },
    { ...coin, vout: 7 },
  ]) {
    const error = await refused(t, chain.broadcast(payAll(wrong, BOB)), 'tx_missing_inputs');
    t.is(error.details['outpoint'], `${wrong.txid}:${wrong.vout}`);
  }
});

test('broadcast › given an output below dust › tx_dust names output and minimum', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const coin = await fund(local, ALICE, BITCOIN);
  const outputs = [
    { lockingBytecode: ALICE.lockingBytecode, satoshis: BITCOIN - FEE },
    { lockingBytecode: BOB.lockingBytecode, satoshis: 500n },
  ];
  const error = await refused(t, chain.broadcast(signSpend({ coins: [coin], outputs })), 'tx_dust');
  const minimum = Number(dustOf(present(outputs[1])));
  t.like(error.details, { output: 1, satoshis: 500, minimum });
});

for (const fee of [1n, -1n]) {
  test(`broadcast › given a fee of ${fee} › tx_fee_too_low names fee, size and minimum`, async (t) => {
    const { local, tcpUrl } = await serveChain(t);
    const chain = await openThrough(t, [tcpUrl]);
    const coin = await fund(local, ALICE, BITCOIN);
    const outputs = [{ lockingBytecode: BOB.lockingBytecode, satoshis: BITCOIN - fee }];
    const raw = signSpend({ coins: [coin], outputs });
    const error = await refused(t, chain.broadcast(raw), 'tx_fee_too_low');
    t.like(error.details, { fee: Number(fee), size: raw.length / 2, minimum: raw.length / 2 });
  });
}

test('broadcast › given tokens from nothing › tx_token_rule in the words of the node', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const coin = await fund(local, ALICE, BITCOIN);
  const token = { category: 'ab'.repeat(32), amount: 1n };
  const outputs = [{ lockingBytecode: BOB.lockingBytecode, satoshis: BITCOIN - FEE, token }];
  const error = await refused(t, chain.broadcast(signSpend({ coins: [coin], outputs })), 'tx_token_rule');
  t.regex(error.message, /bad-txns-token/);
});

test('broadcast › given a signature of somebody else › tx_script_failed', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const coin = await fund(local, ALICE, BITCOIN);
  const error = await refused(t, chain.broadcast(payAll(coin, BOB, { signer: BOB })), 'tx_script_failed');
  t.regex(error.message, /mandatory-script-verify-flag-failed/);
  t.regex(messageOf(error.cause), /^tcp:\/\/\S+ refuses it: mandatory-script-verify-flag-failed/);
  // Which servers this home asks is nobody's business over HTTP.
  t.false(JSON.stringify(errorBody(error)).includes('tcp:'));
});

test('broadcast › given 100,001 bytes › tx_too_large names size and limit', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const transaction = decodeRaw(payAll(await fund(local, ALICE, BITCOIN), BOB));
  const bulk = Uint8Array.from({ length: 100_100 }, () => 0x6a);
  transaction.outputs.push({ lockingBytecode: bulk, valueSatoshis: 0n });
  const raw = encodeRaw(transaction);
  const error = await refused(t, chain.broadcast(raw), 'tx_too_large');
  t.like(error.details, { size: raw.length / 2, limit: 100_000 });
});

test('broadcast › given what is valid but not relayed › tx_not_standard', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const coin = await fund(local, ALICE, BITCOIN);
  const note = { lockingBytecode: `6a4ce6${'00'.repeat(230)}`, satoshis: 0n };
  const raw = signSpend({ coins: [coin], outputs: [{ ...BOB, satoshis: BITCOIN - FEE }, note] });
  await refused(t, chain.broadcast(raw), 'tx_not_standard');
});

test('broadcast › given a locktime ahead › tx_not_final tells the seconds that the embedded chain tells', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const coin = await fund(local, ALICE, BITCOIN);
  const { height, medianTimePast } = await local.tip();
  for (const locktime of [medianTimePast + 1_000, height + 5]) {
    const raw = payAll(coin, BOB, { locktime, sequence: 0 });
    const own = await refused(t, local.broadcast(raw), 'tx_not_final');
    const error = await refused(t, chain.broadcast(raw), 'tx_not_final');
    t.deepEqual(error.details, own.details);
  }
});

test('broadcast › given a relative lock › tx_not_final tells the seconds that the embedded chain tells', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  const coin = await fund(local, ALICE, BITCOIN);
  for (const sequence of [10, 2 ** 22 + 3]) {
    const raw = payAll(coin, BOB, { sequence });
    const own = await refused(t, local.broadcast(raw), 'tx_not_final');
    const error = await refused(t, chain.broadcast(raw), 'tx_not_final');
    t.deepEqual(error.details, own.details);
  }
});

test('broadcast › given a coin of a young coinbase › tx_not_final tells the blocks', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const chain = await openThrough(t, [tcpUrl]);
  await local.broadcast(payAll(await fund(local, ALICE, BITCOIN), BOB));
  const fees = { privateKey: FEE_KEY, lockingBytecode: binToHex(FEE_LOCKING_BYTECODE) };
  const coin = present((await local.unspent(fees.lockingBytecode)).find(({ satoshis }) => satoshis === FEE));
  const outputs = [{ lockingBytecode: BOB.lockingBytecode, satoshis: 600n }];
  const raw = signSpend({ coins: [coin], outputs, signer: fees });
  const own = await refused(t, local.broadcast(raw), 'tx_not_final');
  const error = await refused(t, chain.broadcast(raw), 'tx_not_final');
  t.deepEqual(error.details, own.details);
});

test('watch › given a payment, a block and a reorg › it calls back for each', async (t) => {
  const { local, tcpUrl } = await serveChain(t, { automine: false });
  const chain = await openThrough(t, [tcpUrl]);
  let [scripts, headers] = [0, 0];
  const stop = await chain.watch({ lockingBytecodes: [ALICE.lockingBytecode] }, () => (scripts += 1));
  await chain.watch({ headers: true }, () => (headers += 1));
  await local.faucet(ALICE.lockingBytecode, BITCOIN);
  await until(t, () => scripts === 1, 'the payment');
  t.is(headers, 0);
  await local.mine(1);
  await until(t, () => scripts === 2 && headers === 1, 'the block');
  await local.reorg(1);
  await until(t, () => scripts === 3 && headers === 2, 'the reorg');

  stop();
  await local.faucet(ALICE.lockingBytecode, BITCOIN);
  await local.mine(1);
  await until(t, () => headers === 3, 'the block after it');
  t.is(scripts, 3);
});

test('watch › given one script twice and another › each watcher is called for its own', async (t) => {
  const { local, wsUrl } = await serveChain(t);
  const chain = await openThrough(t, [wsUrl]);
  const calls: string[] = [];
  const stop = await chain.watch({ lockingBytecodes: [ALICE.lockingBytecode] }, () => calls.push('first'));
  await chain.watch({ lockingBytecodes: [ALICE.lockingBytecode, BOB.lockingBytecode] }, () =>
    calls.push('second'),
  );
  stop();
  await local.faucet(ALICE.lockingBytecode, BITCOIN);
  await until(t, () => calls.length > 0, 'the payment to Alice');
  await local.faucet(BOB.lockingBytecode, BITCOIN);
  await until(t, () => calls.length > 1, 'the payment to Bob');
  t.deepEqual(calls, ['second', 'second']);
});
