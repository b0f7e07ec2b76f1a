import { binToHex, encodeTransaction, hash160, hexToBin } from '@bitauth/libauth';
import test from 'ava';
import { compileString } from 'cashc';
import { Contract, MockNetworkProvider, TransactionBuilder } from 'cashscript';
import { FEE_KEY, FEE_LOCKING_BYTECODE } from '../../../src/adapters/local-chain/faucet.js';
import { parseAddress } from '../../../src/bch/address.js';
import type { Coin, Output, Token } from '../../../src/bch/coins.js';
import { decodeRaw, decodeTransaction, dustOf } from '../../../src/bch/transaction.js';
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
  type TestChain,
} from './chain-fixture.js';

const BITCOIN = 100_000_000n;

/** The coin that an output of a raw transaction makes. */
const coinOf = (rawTransaction: string, vout: number): Coin => {
  const { txid, outputs } = decodeTransaction(rawTransaction);
  const output = outputs[vout];
  if (output === undefined) throw new Error('no such output');
  return { ...output, txid, vout, height: null };
};

const withToken = (satoshis: bigint, token: Token): Output => ({
  lockingBytecode: ALICE.lockingBytecode,
  satoshis,
  token,
});

/** Broadcasts a genesis of `amount` fungible tokens for Alice and returns the coin. */
const mint = async (chain: TestChain, amount: bigint): Promise<Coin> => {
  const coin = await fund(chain, ALICE, BITCOIN);
  const raw = signSpend({
    coins: [coin],
    outputs: [withToken(BITCOIN - FEE, { category: coin.txid, amount })],
  });
  await chain.broadcast(raw);
  return coinOf(raw, 0);
};

test('faucet › it pays output 0 of a mined transaction', async (t) => {
  const chain = await openTestChain(t);
  const txid = await chain.faucet(ALICE.lockingBytecode, BITCOIN);
  const found = await chain.transaction(txid);
  const tip = await chain.tip();
  t.deepEqual(found?.transaction.outputs[0], {
    lockingBytecode: ALICE.lockingBytecode,
    satoshis: BITCOIN,
  });
  t.is(found?.height, tip.height);
  t.is(found?.blockTime, tip.time);
});

test('faucet › two payments do not hang on one another', async (t) => {
  const chain = await openTestChain(t);
  const first = await chain.faucet(ALICE.lockingBytecode, BITCOIN);
  const second = await chain.faucet(BOB.lockingBytecode, BITCOIN);
  const found = await chain.transaction(second);
  t.true(found?.transaction.inputs.every(({ txid }) => txid !== first));
});

test('faucet › given more than one of its coins holds › it joins several', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, 500_000n * BITCOIN);
  const found = await chain.transaction(coin.txid);
  t.is(found?.transaction.inputs.length, 3);
});

test('faucet › given more than there is › it says so', async (t) => {
  const chain = await openTestChain(t);
  await refused(t, chain.faucet(ALICE.lockingBytecode, 21_000_000n * BITCOIN), 'insufficient_funds');
});

test('faucet › given nothing to pay › it names the amount', async (t) => {
  const chain = await openTestChain(t);
  await refused(t, chain.faucet(ALICE.lockingBytecode, 0n), 'invalid_amount');
});

test('broadcast › given a signed payment › the coin moves', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const txid = await chain.broadcast(payAll(coin, BOB));
  t.deepEqual(await chain.coins(ALICE.lockingBytecode), []);
  t.deepEqual(await chain.coins(BOB.lockingBytecode), [
    {
      lockingBytecode: BOB.lockingBytecode,
      satoshis: BITCOIN - FEE,
      txid,
      vout: 0,
      height: present(coin.height) + 1,
    },
  ]);
});

test('broadcast › given a transaction that is known › it answers with its id', async (t) => {
  const chain = await openTestChain(t);
  const raw = payAll(await fund(chain, ALICE, BITCOIN), BOB);
  const txid = await chain.broadcast(raw);
  const tip = await chain.tip();
  t.is(await chain.broadcast(raw.toUpperCase()), txid);
  t.deepEqual(await chain.tip(), tip);
});

test('broadcast › given a signature of somebody else › it is refused', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const error = await refused(t, chain.broadcast(payAll(coin, BOB, { signer: BOB })), 'tx_script_failed');
  t.regex(error.message, /input index 0/);
});

test('broadcast › given a signed transaction whose output was changed › it is refused', async (t) => {
  const chain = await openTestChain(t);
  const transaction = decodeRaw(payAll(await fund(chain, ALICE, BITCOIN), BOB));
  present(transaction.outputs[0]).valueSatoshis -= 1n;
  await refused(t, chain.broadcast(binToHex(encodeTransaction(transaction))), 'tx_script_failed');
});

test('broadcast › given a coin that is spent › it names the outpoint and the spender', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const spender = await chain.broadcast(payAll(coin, BOB));
  const error = await refused(t, chain.broadcast(payAll(coin, ALICE)), 'tx_conflict');
  t.is(error.details['outpoint'], `${coin.txid}:0`);
  t.is(error.details['spender'], spender);
});

test('broadcast › given a coin that is spent in the mempool › it is refused', async (t) => {
  const chain = await openTestChain(t, { automine: false });
  const coin = await fund(chain, ALICE, BITCOIN);
  await chain.broadcast(payAll(coin, BOB));
  await refused(t, chain.broadcast(payAll(coin, ALICE)), 'tx_conflict');
});

test('broadcast › given a coin that nobody made › it names the outpoint', async (t) => {
  const chain = await openTestChain(t);
  const coin = { ...(await fund(chain, ALICE, BITCOIN)), txid: 'ab'.repeat(32) };
  const error = await refused(t, chain.broadcast(payAll(coin, BOB)), 'tx_missing_inputs');
  t.is(error.details['outpoint'], `${coin.txid}:0`);
});

test('broadcast › given an output index that its transaction lacks › it is refused', async (t) => {
  const chain = await openTestChain(t);
  const coin = { ...(await fund(chain, ALICE, BITCOIN)), vout: 7 };
  await refused(t, chain.broadcast(payAll(coin, BOB)), 'tx_missing_inputs');
});

test('broadcast › given one coin twice › it is refused', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const outputs = [{ lockingBytecode: BOB.lockingBytecode, satoshis: 2n * BITCOIN - FEE }];
  const error = await refused(
    t,
    chain.broadcast(signSpend({ coins: [coin, coin], outputs })),
    'tx_malformed',
  );
  t.regex(error.message, /twice/);
});

test('broadcast › given text that is no transaction › it is refused', async (t) => {
  const chain = await openTestChain(t);
  await refused(t, chain.broadcast('not hex'), 'tx_malformed');
  await refused(t, chain.broadcast('0200'), 'tx_malformed');
});

test('broadcast › given version 3 › it is refused', async (t) => {
  const chain = await openTestChain(t);
  const raw = payAll(await fund(chain, ALICE, BITCOIN), BOB, { version: 3 });
  await refused(t, chain.broadcast(raw), 'tx_malformed');
});

test('broadcast › given more out than in › it is refused for its fee', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const outputs = [{ lockingBytecode: BOB.lockingBytecode, satoshis: BITCOIN + 1n }];
  await refused(t, chain.broadcast(signSpend({ coins: [coin], outputs })), 'tx_fee_too_low');
});

/** Alice's payment to Bob with exactly this fee. */
const payWithFee = (coin: Coin, fee: bigint): string =>
  signSpend({
    coins: [coin],
    outputs: [{ lockingBytecode: BOB.lockingBytecode, satoshis: coin.satoshis - fee }],
  });

test('broadcast › given 1 satoshi less than 1 a byte › it names the minimum', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const size = BigInt(payWithFee(coin, FEE).length / 2);
  const error = await refused(t, chain.broadcast(payWithFee(coin, size - 1n)), 'tx_fee_too_low');
  t.is(error.details['minimum'], Number(size));
});

test('broadcast › given 1 satoshi a byte › it is accepted', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const size = BigInt(payWithFee(coin, FEE).length / 2);
  await t.notThrowsAsync(chain.broadcast(payWithFee(coin, size)));
});

/** Alice's payment of `satoshis` to Bob, the rest to herself. */
const payPart = (coin: Coin, satoshis: bigint): string =>
  signSpend({
    coins: [coin],
    outputs: [
      { lockingBytecode: ALICE.lockingBytecode, satoshis: coin.satoshis - satoshis - FEE },
      { lockingBytecode: BOB.lockingBytecode, satoshis },
    ],
  });

test('broadcast › given an output below dust › it names the output and the minimum', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const minimum = dustOf({ lockingBytecode: BOB.lockingBytecode, satoshis: 0n });
  const error = await refused(t, chain.broadcast(payPart(coin, minimum - 1n)), 'tx_dust');
  t.is(error.details['output'], 1);
  t.is(error.details['minimum'], Number(minimum));
  await t.notThrowsAsync(chain.broadcast(payPart(coin, minimum)));
});

/** An OP_RETURN output whose script has this many bytes. */
const dataOutput = (size: number): Output => ({
  lockingBytecode: `6a4c${(size - 3).toString(16).padStart(2, '0')}${'00'.repeat(size - 3)}`,
  satoshis: 0n,
});

const payWithData = (coin: Coin, size: number): string =>
  signSpend({
    coins: [coin],
    outputs: [{ lockingBytecode: BOB.lockingBytecode, satoshis: coin.satoshis - FEE }, dataOutput(size)],
  });

test('broadcast › given a data output of 222 bytes › it is accepted and is no coin', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const { coins } = await chain.status();

  await chain.broadcast(payWithData(coin, 222));
  t.is((await chain.status()).coins, coins + 1, 'of three outputs, Bob and the fee hold a coin');
  t.deepEqual(await chain.coins(dataOutput(222).lockingBytecode), []);
});

test('broadcast › given a data output of 223 bytes and its length byte › it is refused', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const error = await refused(t, chain.broadcast(payWithData(coin, 223)), 'tx_not_standard');
  t.regex(error.message, /data carrier/);
});

test('broadcast › given a locking script that is not standard › it is refused', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const outputs = [{ lockingBytecode: '51'.repeat(202), satoshis: BITCOIN - FEE }];
  const error = await refused(t, chain.broadcast(signSpend({ coins: [coin], outputs })), 'tx_not_standard');
  t.regex(error.message, /non-standard/);
});

test('broadcast › given an unlocking script that does more than push › it is refused', async (t) => {
  const chain = await openTestChain(t);
  const transaction = decodeRaw(payAll(await fund(chain, ALICE, BITCOIN), BOB));
  const input = present(transaction.inputs[0]);
  input.unlockingBytecode = Uint8Array.of(0x61, ...input.unlockingBytecode);
  const raw = binToHex(encodeTransaction(transaction));
  const error = await refused(t, chain.broadcast(raw), 'tx_not_standard');
  t.regex(error.message, /push operations/);
});

test('broadcast › given more than 100,000 bytes › it is refused', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const output = { lockingBytecode: BOB.lockingBytecode, satoshis: 1_000n };
  const raw = signSpend({ coins: [coin], outputs: Array.from({ length: 3_000 }, () => output) });
  const error = await refused(t, chain.broadcast(raw), 'tx_too_large');
  t.is(error.details['size'], raw.length / 2);
});

test('broadcast › given a coin of a transaction that waits in the mempool › it is accepted', async (t) => {
  const chain = await openTestChain(t, { automine: false });
  const coin = await fund(chain, ALICE, BITCOIN);
  const parent = payAll(coin, ALICE);
  await chain.broadcast(parent);
  const child = await chain.broadcast(payAll(coinOf(parent, 0), BOB));
  t.is((await chain.transaction(child))?.height, null);
  t.is((await chain.status()).mempool, 3);
});

test('broadcast › given a coinbase that 100 blocks have not buried › it is refused', async (t) => {
  const chain = await openTestChain(t);
  await fund(chain, ALICE, BITCOIN);
  const miner = { privateKey: FEE_KEY, lockingBytecode: binToHex(FEE_LOCKING_BYTECODE) };
  const [fees] = await chain.unspent(miner.lockingBytecode);
  const spend = (): string =>
    signSpend({ coins: [present(fees)], outputs: [{ lockingBytecode: '6a', satoshis: 0n }], signer: miner });
  await chain.mine(98);
  const error = await refused(t, chain.broadcast(spend()), 'tx_not_final');
  t.is(error.details['blocksLeft'], 1);
  await chain.mine(1);
  await t.notThrowsAsync(chain.broadcast(spend()));
});

test('tokens › given a category that is the id of a spent output 0 › they are minted', async (t) => {
  const chain = await openTestChain(t);
  const token = await mint(chain, 1_000n);
  const [found] = await chain.coins(ALICE.lockingBytecode);
  t.deepEqual(found?.token, { category: present(token.token).category, amount: 1_000n });
});

test('tokens › given a category of an output 1 › they are refused', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const split = payPart(coin, 50_000n);
  await chain.broadcast(split);
  const second = { ...coinOf(split, 1) };
  const outputs = [withToken(second.satoshis - FEE, { category: second.txid, amount: 5n })];
  const raw = signSpend({ coins: [second], outputs, signer: BOB });
  await refused(t, chain.broadcast(raw), 'tx_token_rule');
});

test('tokens › given fewer out than in › the rest is burned', async (t) => {
  const chain = await openTestChain(t);
  const coin = await mint(chain, 1_000n);
  const token = { ...present(coin.token), amount: 400n };
  await chain.broadcast(signSpend({ coins: [coin], outputs: [withToken(coin.satoshis - FEE, token)] }));
  t.is((await chain.coins(ALICE.lockingBytecode))[0]?.token?.amount, 400n);
});

test('tokens › given none out › all are burned', async (t) => {
  const chain = await openTestChain(t);
  const coin = await mint(chain, 1_000n);
  await chain.broadcast(payAll(coin, ALICE));
  t.is((await chain.coins(ALICE.lockingBytecode))[0]?.token, undefined);
});

test('tokens › given more out than in › they are refused', async (t) => {
  const chain = await openTestChain(t);
  const coin = await mint(chain, 1_000n);
  const token = { ...present(coin.token), amount: 1_001n };
  const raw = signSpend({ coins: [coin], outputs: [withToken(coin.satoshis - FEE, token)] });
  await refused(t, chain.broadcast(raw), 'tx_token_rule');
});

test('tokens › given an immutable NFT that becomes mutable › it is refused', async (t) => {
  const chain = await openTestChain(t);
  const coin = await fund(chain, ALICE, BITCOIN);
  const nft = (capability: 'none' | 'mutable'): Token => ({
    category: coin.txid,
    amount: 0n,
    nft: { capability, commitment: 'beef' },
  });
  const genesis = signSpend({ coins: [coin], outputs: [withToken(BITCOIN - FEE, nft('none'))] });
  await chain.broadcast(genesis);
  const minted = coinOf(genesis, 0);
  const raw = signSpend({ coins: [minted], outputs: [withToken(minted.satoshis - FEE, nft('mutable'))] });
  await refused(t, chain.broadcast(raw), 'tx_token_rule');
});

const SECRET = 'open sesame';

/** A P2SH32 contract that pays whoever knows the secret, funded, and how to spend it. */
const openContract = async (chain: TestChain) => {
  const artifact = compileString(`
    contract Door(bytes20 lock) {
      function open(string secret) { require(hash160(secret) == lock); }
    }`);
  const provider = new MockNetworkProvider();
  const contract = new Contract(artifact, [hash160(new TextEncoder().encode(SECRET))], { provider });
  const { lockingBytecode } = parseAddress(contract.address);
  const { txid, vout, satoshis } = await fund(chain, { ...ALICE, lockingBytecode }, BITCOIN);
  return (secret: string): string =>
    new TransactionBuilder({ provider })
      .addInput({ txid, vout, satoshis }, present(contract.unlock['open'])(secret))
      .addOutput({ to: hexToBin(BOB.lockingBytecode), amount: BITCOIN - FEE })
      .build();
};

test('contracts › given what the covenant asks for › the coin moves', async (t) => {
  const chain = await openTestChain(t);
  const spend = await openContract(chain);
  const txid = await chain.broadcast(spend(SECRET));
  t.is((await chain.coins(BOB.lockingBytecode))[0]?.txid, txid);
});

test('contracts › given anything else › the script refuses', async (t) => {
  const chain = await openTestChain(t);
  const spend = await openContract(chain);
  await refused(t, chain.broadcast(spend('open barley')), 'tx_script_failed');
});
