/** What the examples in the sources speak of: a few people, their coins, and a recurring payment between them. */
import { hexToBin } from '@bitauth/libauth';
import type { Coin } from '../src/bch/coins.js';
import { signerOf } from '../src/bch/keys.js';
import { buildPayment } from '../src/bch/payment.js';
import { encodeWalletTransaction } from '../src/bch/signing-request.js';
import { fromLibauthTransaction, type ChainTransaction } from '../src/bch/transaction.js';
import type { UnsignedTransaction } from '../src/covenant/spend.js';
import { witnessOf } from '../src/covenant/ticket.js';
import { recurringContract, type RecurringTerms } from '../src/covenant/recurring/contract.js';
import { recurringGenesis, type RecurringSpend } from '../src/covenant/recurring/transactions.js';
import { threadOutput } from '../src/covenant/thread.js';
import {
  COVENANT_LOCK,
  CREATOR_LOCK,
  endOf,
  followedCounter,
  fundFrom,
  giveCoin,
  pending,
} from './covenant/counter.js';
import { scriptedChain } from './covenant/scripted-chain.js';

const NETWORK = 'local';
const keyOf = (byte: string): Uint8Array => hexToBin(byte.repeat(32));
const alice = signerOf('alice', keyOf('01'), NETWORK);
const bob = signerOf('bob', keyOf('02'), NETWORK);
const authority = signerOf('authority', keyOf('03'), NETWORK);

/** A token's category. */
const category = 'cc'.repeat(32);
const coinAtLock = (txid: string, lockingBytecode: string, satoshis: bigint): Coin => ({
  txid: txid.repeat(32),
  vout: 0,
  satoshis,
  lockingBytecode,
  height: 1,
});
/** 1 BCH of Alice's. */
const coin = coinAtLock('11', alice.address.lockingBytecode, 100_000_000n);
/** 500 of the token, Alice's. */
const tokenCoin: Coin = {
  ...coinAtLock('22', alice.address.lockingBytecode, 1_000n),
  token: { category, amount: 500n },
};
const ticketCoin = coinAtLock('33', authority.address.lockingBytecode, 10_000n);
const witness = witnessOf(ticketCoin, authority);

/** 0.25 BCH from Alice to Bob, to be signed by Alice. */
const payment = buildPayment({
  payer: alice.address,
  coins: [coin],
  outputs: [{ lockingBytecode: bob.address.lockingBytecode, satoshis: 25_000_000n }],
});
const { transaction, sourceOutputs } = payment;
/** The payment as wallets are asked to sign it. */
const request = encodeWalletTransaction({ transaction, sourceOutputs, broadcast: true });

/** Monday, 2026-06-01T00:00:00Z. */
const monday = 1_780_272_000;
/** 0.1 BCH from Alice to Bob on each of ten days; three are funded. */
const terms: RecurringTerms = {
  artifactFingerprint: null,
  onChainId: 'ab'.repeat(32),
  sender: alice.address.text,
  authorityPublicKey: Buffer.from(authority.publicKey).toString('hex'),
  tokenCategory: null,
  amountPerPeriod: 10_000_000n,
  intervalSeconds: 86_400,
  periods: 10,
  pushMinimum: 0n,
};
const start = {
  recipient: bob.address.text,
  firstDue: monday + 86_400,
  funded: 3,
  cancelable: true,
  refillable: true,
};
const genesis = recurringGenesis(terms, start, NETWORK);
const contract = recurringContract(terms, NETWORK);
const threadCoin: Coin = {
  ...coinAtLock('44', contract.lockingBytecode, 0n),
  ...threadOutput(contract.lockingBytecode, coin.txid, genesis.commitment, genesis.pool),
};
const thread = { category: coin.txid, txid: threadCoin.txid, vout: 0, commitment: genesis.commitment };
/** A spend of the recurring payment on the second day. */
const spend: RecurringSpend = {
  terms,
  network: NETWORK,
  thread,
  coins: { thread: threadCoin, reserve: [] },
  payerCoins: [coin],
  locktime: monday + 2 * 86_400,
};
/** What is left of the recurring payment, as its state says. */
const balance = { status: 0, nextDue: start.firstDue, paid: 0, pool: genesis.pool };

/** A record that counts the moves of its thread, and the chain on which it was funded and ended. */
const source = giveCoin(CREATOR_LOCK, 1);
const funding = fundFrom(source);
const chain = scriptedChain();
for (const one of [source, funding, endOf(funding)]) chain.add(one);
const counter = pending;

/** What a transaction says on chain once it is in a block. */
const mined = (unsigned: UnsignedTransaction | typeof payment): ChainTransaction => ({
  transaction: fromLibauthTransaction(unsigned.transaction),
  height: 2,
  blockTime: monday,
});
const outputsOf = ({ outputs }: { readonly outputs: readonly { readonly satoshis: bigint }[] }): bigint[] =>
  outputs.map(({ satoshis }) => satoshis);

export const exampleWorld = {
  alice,
  bob,
  authority,
  category,
  coin,
  tokenCoin,
  ticketCoin,
  threadCoin,
  witness,
  payment,
  request,
  monday,
  terms,
  start,
  genesis,
  contract,
  thread,
  spend,
  balance,
  funding,
  chain,
  counter,
  followedCounter,
  COVENANT_LOCK,
  mined,
  outputsOf,
  hexBytes: hexToBin,
};
