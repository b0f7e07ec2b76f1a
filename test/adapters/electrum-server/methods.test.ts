import { binToHex, flattenBinArray, hash256, hexToBin, sha256, utf8ToBin } from '@bitauth/libauth';
import test from 'ava';
import { scriptHashOf } from '../../../src/adapters/electrum/replies.js';
import { startElectrumServer } from '../../../src/adapters/electrum-server/electrum-server.js';
import { hashHeader } from '../../../src/bch/block-header.js';
import { openLocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import { addressOf } from '../../../src/bch/address.js';
import { serveChain } from '../electrum/electrum-fixture.js';
import {
  ALICE,
  BOB,
  FEE,
  fund,
  openTestChain,
  payAll,
  present,
  signSpend,
  START,
} from '../local-chain/chain-fixture.js';
import { openLineClient } from './line-client.js';

const BITCOIN = 100_000_000n;
const ALICE_HASH = scriptHashOf(ALICE.lockingBytecode);
const ALICE_ADDRESS = present(addressOf(ALICE.lockingBytecode, 'local'));

test('a call › given no JSON, no method, no such method or too few parameters › the error says which', async (t) => {
  const { tcpUrl } = await serveChain(t);
  const client = await openLineClient(t, tcpUrl);
  t.like(await client.send('{'), { id: null, error: { code: -32700 } });
  t.like(await client.send('[]'), { id: null, error: { code: -32600 } });
  t.like(await client.send('7'), { id: null, error: { code: -32600 } });
  t.like(await client.send('{"id":[1],"method":"server.ping"}'), { id: null, error: { code: -32600 } });
  t.like(await client.call('server.pong'), {
    error: { code: -32601, message: 'Unsupported method: server.pong' },
  });
  t.like(await client.call('constructor'), { error: { code: -32601 } });
  t.like(await client.call('blockchain.block.header'), { error: { code: -32602 } });
  t.like(await client.call('blockchain.block.header', 1, 2, 3), { error: { code: -32602 } });
  t.is(await client.result('server.ping'), null);
});

test('a batch › given calls, a failing one and a notification › each that wants an answer gets one', async (t) => {
  const { tcpUrl } = await serveChain(t);
  const client = await openLineClient(t, tcpUrl);
  const answers = await client.send(
    JSON.stringify([
      { id: 1, method: 'server.ping', params: [] },
      { method: 'server.ping', params: [] },
      { id: 2, method: 'nothing', params: [] },
    ]),
  );
  t.deepEqual(answers, [
    { jsonrpc: '2.0', id: 1, result: null },
    { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Unsupported method: nothing' } },
  ]);
});

for (const [asked, given] of [
  ['1.4.1', '1.4.1'],
  ['1.4.6', '1.4.6'],
  ['1.5', '1.5'],
  ['1.5.1', '1.5.1'],
  ['1.6', '1.6'],
  [['1.4', '1.5.3'], '1.5.3'],
  [['1.4', '2.0'], '1.6'],
] as const) {
  test(`server.version › given ${JSON.stringify(asked)} › it is ${given}`, async (t) => {
    const { tcpUrl } = await serveChain(t);
    const client = await openLineClient(t, tcpUrl, null);
    t.deepEqual(await client.result('server.version', 'me', asked), ['treasury embedded chain', given]);
    t.is((await client.error('server.version', 'me', asked)).message, 'server.version already sent');
  });
}

for (const asked of ['1.4', '1.6.1', '2.0', 'new', ['1.2', '1.4'], ['1.7', '1.8']]) {
  test(`server.version › given ${JSON.stringify(asked)} › it is refused and the line ends`, async (t) => {
    const { tcpUrl } = await serveChain(t);
    const client = await openLineClient(t, tcpUrl, null);
    const { message } = await client.error('server.version', 'me', asked);
    t.is(message, 'Unsupported protocol version');
    await client.ended;
  });
}

test('server.features › it names the genesis block, the versions and the ports', async (t) => {
  const { local, tcpUrl, wsUrl } = await serveChain(t);
  const client = await openLineClient(t, tcpUrl);
  t.like(await client.result('server.features'), {
    genesis_hash: hashHeader(present(await local.header(0))),
    protocol_min: '1.4.1',
    protocol_max: '1.6',
    hash_function: 'sha256',
    hosts: { '127.0.0.1': { tcp_port: Number(new URL(tcpUrl).port), ws_port: Number(new URL(wsUrl).port) } },
  });
});

test('fees › they are 1 satoshi a byte', async (t) => {
  const { tcpUrl } = await serveChain(t);
  const client = await openLineClient(t, tcpUrl);
  t.is(await client.result('blockchain.relayfee'), 0.00001);
  t.is(await client.result('blockchain.estimatefee', 2), 0.00001);
  t.like(await client.result('mempool.get_info'), { mempoolminfee: 0.00001, minrelaytxfee: 0.00001 });
  t.deepEqual(await client.result('mempool.get_fee_histogram'), []);
});

/** The root that a branch leads to, by the rules of the protocol. */
const climb = (leaf: string, branch: readonly string[], position: number): string => {
  let [hash, index] = [hexToBin(leaf).reverse(), position];
  for (const sibling of branch.map((hex) => hexToBin(hex).reverse())) {
    hash = hash256(flattenBinArray(index % 2 === 0 ? [hash, sibling] : [sibling, hash]));
    index = Math.floor(index / 2);
  }
  return binToHex(hash.slice().reverse());
};

test('headers › given heights › they are the chain, as text before 1.6 and as a list from there on', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const [older, newer] = [await openLineClient(t, tcpUrl), await openLineClient(t, tcpUrl, '1.6')];
  const { height, hash } = await local.tip();
  const headers = await Promise.all(
    Array.from({ length: height + 1 }, async (_, at) => present(await local.header(at))),
  );
  t.is(await older.result('blockchain.block.header', 3), headers[3]);
  t.deepEqual(await older.result('blockchain.block.headers', 0, 5_000), {
    count: height + 1,
    hex: headers.join(''),
    max: 2_016,
  });
  t.deepEqual(await newer.result('blockchain.block.headers', 2, 2), {
    count: 2,
    headers: headers.slice(2, 4),
    max: 2_016,
  });
  t.like(await older.result('blockchain.block.headers', height + 1, 5), { count: 0, hex: '' });
  t.deepEqual(await older.result('blockchain.headers.get_tip'), { height, hex: headers[height] });
  t.deepEqual(await older.result('blockchain.header.get', hash), { height, hex: headers[height] });
  t.deepEqual(await older.result('blockchain.header.get', 4), { height: 4, hex: headers[4] });
  for (const wrong of [height + 1, -1, 1.5, 'x']) {
    t.is((await older.error('blockchain.block.header', wrong)).message, 'Invalid height');
  }
});

test('headers › given a checkpoint › the branch leads from the header to the root over all of them', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const client = await openLineClient(t, tcpUrl);
  const proofs = await Promise.all(
    [0, 4, 8].map(async (height) => {
      type Proof = { header: string; branch: string[]; root: string };
      const proof = (await client.result('blockchain.block.header', height, 8)) as Proof;
      t.is(proof.header, present(await local.header(height)));
      t.is(climb(hashHeader(proof.header), proof.branch, height), proof.root);
      return proof.root;
    }),
  );
  t.is(new Set(proofs).size, 1);
  t.like(await client.result('blockchain.block.headers', 2, 3, 8), { count: 3, root: proofs[0] });
  t.regex((await client.error('blockchain.block.header', 9, 8)).message, /must be <= cp_height 8/);
  t.regex((await client.error('blockchain.block.header', 1, 99)).message, /must be <= chain height/);
});

test('a merkle proof › given each transaction of a block › its branch leads to the root in the header', async (t) => {
  const { local, tcpUrl } = await serveChain(t, { automine: false });
  const client = await openLineClient(t, tcpUrl);
  for (let paid = 0; paid < 4; paid += 1) await local.faucet(ALICE.lockingBytecode, BITCOIN);
  const { height } = await local.mine(1);
  const root = binToHex(
    hexToBin(present(await local.header(height)))
      .slice(36, 68)
      .reverse(),
  );
  const txids = present(await local.blockTxids(height));
  t.is(txids.length, 5);
  for (const [position, txid] of txids.entries()) {
    const proof = await client.result('blockchain.transaction.get_merkle', txid, height);
    const { merkle } = proof as { merkle: string[] };
    t.like(proof, { block_height: height, pos: position });
    t.is(climb(txid, merkle, position), root);
    t.deepEqual(await client.result('blockchain.transaction.get_merkle', txid), proof);
    t.deepEqual(await client.result('blockchain.transaction.id_from_pos', height, position, true), {
      tx_hash: txid,
      merkle,
    });
    t.is(await client.result('blockchain.transaction.id_from_pos', height, position), txid);
  }
  t.regex(
    (await client.error('blockchain.transaction.get_merkle', txids[0], 1)).message,
    /No transaction matching the requested hash found at height 1/,
  );
  t.regex((await client.error('blockchain.transaction.get_merkle', 'ab'.repeat(32))).message, /No confirmed/);
  t.regex((await client.error('blockchain.transaction.id_from_pos', height, 9)).message, /No transaction at/);
});

test('a script › given coins in blocks and in the mempool › balance, coins, history and status agree', async (t) => {
  const { local, tcpUrl } = await serveChain(t, { automine: false });
  const client = await openLineClient(t, tcpUrl);
  const coin = await fund(local, ALICE, BITCOIN);
  const { height } = await local.mine(1);
  const paid = await local.broadcast(payAll(coin, BOB));
  const waiting = await local.faucet(ALICE.lockingBytecode, 2n * BITCOIN);

  t.deepEqual(await client.result('blockchain.scripthash.get_balance', ALICE_HASH), {
    confirmed: Number(BITCOIN),
    unconfirmed: Number(BITCOIN),
  });
  t.deepEqual(await client.result('blockchain.scripthash.listunspent', ALICE_HASH), [
    { tx_hash: waiting, tx_pos: 0, height: 0, value: Number(2n * BITCOIN) },
  ]);
  const history = (await client.result('blockchain.scripthash.get_history', ALICE_HASH)) as {
    height: number;
    tx_hash: string;
  }[];
  t.like(history, [
    { tx_hash: coin.txid, height },
    { tx_hash: paid, height: 0, fee: Number(FEE) },
    { tx_hash: waiting, height: 0 },
  ]);
  t.deepEqual(await client.result('blockchain.scripthash.get_mempool', ALICE_HASH), history.slice(1));
  const range = (from: number, to: number) =>
    client.result('blockchain.scripthash.get_history', ALICE_HASH, from, to);
  t.deepEqual(await range(0, -1), history);
  t.deepEqual(await range(height + 1, -1), history.slice(1));
  t.deepEqual(await range(0, height + 1), history.slice(0, 1));
  t.deepEqual(await range(0, height), []);

  const text = history.map((line) => `${line.tx_hash}:${line.height}:`).join('');
  const status = binToHex(sha256.hash(utf8ToBin(text)));
  t.is(await client.result('blockchain.scripthash.subscribe', ALICE_HASH), status);
  t.is(await client.result('blockchain.scripthash.subscribe', scriptHashOf('51')), null);
});

test('a script › given a mempool chain › what spends the unconfirmed is at height -1', async (t) => {
  const { local, tcpUrl } = await serveChain(t, { automine: false });
  const client = await openLineClient(t, tcpUrl);
  const coin = await fund(local, ALICE, BITCOIN);
  const child = await local.broadcast(payAll(coin, BOB));
  const mempool = await client.result('blockchain.scripthash.get_mempool', scriptHashOf(BOB.lockingBytecode));
  t.deepEqual(mempool, [{ tx_hash: child, height: -1, fee: Number(FEE) }]);
});

test('a script › given an address in any form › it is the same script', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const client = await openLineClient(t, tcpUrl);
  await fund(local, ALICE, BITCOIN);
  const expected = await client.result('blockchain.scripthash.listunspent', ALICE_HASH);
  const { text, tokenText } = ALICE_ADDRESS;
  const others = (['regtest', 'mainnet'] as const).map(
    (network) => present(addressOf(ALICE.lockingBytecode, network)).text,
  );
  for (const form of [text, tokenText, text.split(':')[1], text.toUpperCase(), ...others]) {
    t.deepEqual(await client.result('blockchain.address.listunspent', form), expected, form);
    t.is(await client.result('blockchain.address.get_scripthash', form), ALICE_HASH);
  }
  t.is(
    (await client.error('blockchain.address.get_balance', 'bchtest:qq')).message,
    'Invalid address: bchtest:qq',
  );
  t.is((await client.error('blockchain.scripthash.get_balance', 'qq')).message, 'Invalid scripthash');
});

test('token_filter › given each, and none before and after 1.5.0 › the coins are those', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const coin = await fund(local, ALICE, BITCOIN);
  const { lockingBytecode } = ALICE;
  const nft = { capability: 'none' as const, commitment: '01' };
  await local.broadcast(
    signSpend({
      coins: [coin],
      outputs: [
        { lockingBytecode, satoshis: 1_000n, token: { category: coin.txid, amount: 5n, nft } },
        { lockingBytecode, satoshis: 5_000n },
      ],
    }),
  );
  const [old, aware] = [await openLineClient(t, tcpUrl, '1.4.1'), await openLineClient(t, tcpUrl, '1.5.0')];
  const silent = await openLineClient(t, tcpUrl, null);
  const values = async (client: typeof old, ...filter: string[]) => {
    const coins = await client.result('blockchain.scripthash.listunspent', ALICE_HASH, ...filter);
    const balance = await client.result('blockchain.scripthash.get_balance', ALICE_HASH, ...filter);
    const found = (coins as { value: number }[]).map(({ value }) => value);
    t.is(
      (balance as { confirmed: number }).confirmed,
      found.reduce((sum, value) => sum + value, 0),
    );
    return found;
  };
  t.deepEqual(await values(old), [5_000]);
  t.deepEqual(await values(silent), [5_000]);
  t.deepEqual(await values(aware), [1_000, 5_000]);
  t.deepEqual(await values(old, 'include_tokens'), [1_000, 5_000]);
  t.deepEqual(await values(aware, 'exclude_tokens'), [5_000]);
  t.deepEqual(await values(aware, 'tokens_only'), [1_000]);
  t.like(await aware.result('blockchain.scripthash.listunspent', ALICE_HASH, 'tokens_only'), [
    { token_data: { category: coin.txid, amount: '5', nft } },
  ]);
  const { code, message } = await aware.error('blockchain.scripthash.listunspent', ALICE_HASH, 'all');
  t.is(code, -32602);
  t.regex(message, /Invalid token filtering option/);
});

test('a transaction › given its id › raw, in full and by height', async (t) => {
  const { local, tcpUrl } = await serveChain(t, { automine: false });
  const client = await openLineClient(t, tcpUrl);
  const { txid } = await fund(local, ALICE, BITCOIN);
  const raw = present(await local.rawTransaction(txid));
  t.is(await client.result('blockchain.transaction.get', txid), raw);
  t.is(await client.result('blockchain.transaction.get_height', txid), 0);
  const waiting = (await client.result('blockchain.transaction.get', txid, true)) as Record<string, unknown>;
  t.false('blockhash' in waiting);
  const { height, hash, time } = await local.mine(1);
  await local.mine(2);
  t.is(await client.result('blockchain.transaction.get_height', txid), height);
  t.like(await client.result('blockchain.transaction.get', txid, true), {
    txid,
    hex: raw,
    size: raw.length / 2,
    blockhash: hash,
    confirmations: 3,
    time,
    blocktime: time,
    vout: [
      {
        n: 0,
        value: 1,
        scriptPubKey: {
          hex: ALICE.lockingBytecode,
          type: 'pubkeyhash',
          addresses: [ALICE_ADDRESS.text],
        },
      },
    ],
  });
  const unknown = 'ab'.repeat(32);
  t.is(await client.result('blockchain.transaction.get_height', unknown), null);
  const { code, message } = await client.error('blockchain.transaction.get', unknown);
  t.is(code, 2);
  t.regex(message, /No such mempool or blockchain transaction/);
  t.is((await client.error('blockchain.transaction.get', 'xyz')).message, 'Invalid tx hash');
});

test('utxo.get_info › given a coin, a spent one and none › it is the coin or null', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const client = await openLineClient(t, tcpUrl);
  const coin = await fund(local, ALICE, BITCOIN);
  const about = (txid: string, vout: number) => client.result('blockchain.utxo.get_info', txid, vout);
  t.deepEqual(await about(coin.txid, 0), {
    value: Number(BITCOIN),
    scripthash: ALICE_HASH,
    confirmed_height: coin.height,
  });
  await local.broadcast(payAll(coin, BOB));
  t.is(await about(coin.txid, 0), null);
  t.is(await about(coin.txid, 9), null);
  t.is(await about('ab'.repeat(32), 0), null);
});

test('subscriptions › given a script, an address, a transaction and the tip › each is told once per change', async (t) => {
  const { local, tcpUrl } = await serveChain(t, { automine: false });
  const client = await openLineClient(t, tcpUrl);
  const bob = present(addressOf(BOB.lockingBytecode, 'local')).tokenText;
  await client.result('blockchain.scripthash.subscribe', ALICE_HASH);
  await client.result('blockchain.address.subscribe', bob);
  const coin = await fund(local, ALICE, BITCOIN);
  const told = (await client.next()) as { params: unknown[] };
  t.like(told, { jsonrpc: '2.0', method: 'blockchain.scripthash.subscribe', params: [ALICE_HASH] });
  t.is(told.params[1], await client.result('blockchain.scripthash.subscribe', ALICE_HASH));

  t.is(await client.result('blockchain.scripthash.unsubscribe', ALICE_HASH), true);
  t.is(await client.result('blockchain.scripthash.unsubscribe', ALICE_HASH), false);
  await local.broadcast(payAll(coin, BOB));
  t.like(await client.next(), { method: 'blockchain.address.subscribe', params: [bob] });
  await client.result('blockchain.address.unsubscribe', bob);

  t.is(await client.result('blockchain.transaction.subscribe', coin.txid), 0);
  const first = await local.mine(1);
  t.deepEqual(await client.next(), {
    jsonrpc: '2.0',
    method: 'blockchain.transaction.subscribe',
    params: [coin.txid, first.height],
  });
  t.is(await client.result('blockchain.transaction.unsubscribe', coin.txid), true);

  t.like(await client.result('blockchain.headers.subscribe'), { height: first.height });
  const second = await local.mine(1);
  t.deepEqual(await client.next(), {
    jsonrpc: '2.0',
    method: 'blockchain.headers.subscribe',
    params: [{ height: second.height, hex: await local.header(second.height) }],
  });
  t.is(await client.result('blockchain.headers.unsubscribe'), true);
  t.is(await client.result('blockchain.headers.unsubscribe'), false);
  await local.mine(1);
  t.is(await client.result('server.ping'), null);
  t.deepEqual(await client.send('{"id":"last","method":"server.ping"}'), {
    jsonrpc: '2.0',
    id: 'last',
    result: null,
  });
});

test('starting › given a mempool that nobody broadcast to this server › its scripts are known', async (t) => {
  const local = await openTestChain(t, { automine: false });
  const coin = await fund(local, ALICE, BITCOIN);
  await local.broadcast(payAll(coin, BOB));
  const server = await startElectrumServer({ chain: local, tcpPort: 0 });
  t.teardown(server.stop);
  t.is(server.wsUrl, null);
  const client = await openLineClient(t, present(server.tcpUrl));
  const coins = await client.result('blockchain.scripthash.listunspent', scriptHashOf(BOB.lockingBytecode));
  t.is((coins as unknown[]).length, 1);
});

test('another process › given a payment by it › it is seen and told', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const client = await openLineClient(t, tcpUrl);
  const other = await openLocalChain({ folder: local.folder, now: () => START });
  t.teardown(other.close);
  await other.faucet(ALICE.lockingBytecode, BITCOIN);
  const coins = await client.result('blockchain.scripthash.listunspent', ALICE_HASH);
  t.is((coins as unknown[]).length, 1);
  await client.result('blockchain.scripthash.subscribe', ALICE_HASH);
  await other.faucet(ALICE.lockingBytecode, BITCOIN);
  t.like(await client.next(), { method: 'blockchain.scripthash.subscribe', params: [ALICE_HASH] });
});

test('a port › given one that is taken › it says so and leaves nothing open', async (t) => {
  const { local, tcpUrl } = await serveChain(t);
  const taken = Number(new URL(tcpUrl).port);
  await t.throwsAsync(startElectrumServer({ chain: local, wsPort: 0, tcpPort: taken }), {
    message: /"?\d+"?: expected a port that is free/,
  });
  await t.throwsAsync(startElectrumServer({ chain: local, tcpPort: 0, wsPort: taken }), {
    message: /expected a port that is free/,
  });
});
