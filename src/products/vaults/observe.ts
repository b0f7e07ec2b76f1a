/** The one place that reads a vault's deposits and spends back from the chain. */
import {
  authenticationInstructionsAreMalformed,
  binToHex,
  decodeAuthenticationInstructions,
  encodeLockingBytecodeP2pkh,
  hash160,
  hexToBin,
} from '@bitauth/libauth';
import { z } from 'zod';
import { parseAddress } from '../../bch/address.js';
import { sumSatoshis, sumTokens, type Coin, type Output } from '../../bch/coins.js';
import type { Network } from '../../bch/network.js';
import { TOKEN_CHANGE_SATOSHIS } from '../../bch/payment.js';
import { THREAD_DUST, type ChainTransaction, type Transaction } from '../../bch/transaction.js';
import { touchedAt, type Followed, type Move, type Observed } from '../../covenant/follow.js';
import { auditGenesis } from '../../covenant/genesis.js';
import { continuedThread, type ThreadPointer } from '../../covenant/thread.js';
import { sortCoins } from './coins.js';
import { Deposited, Spent, tokensOf } from './movements.js';
import { initialState, readState } from './state.js';
import { unsignedTxid, vaultGenesis } from './transactions.js';
import type { Holding, VaultRecord } from './vault.js';

const lockOf = ({ contract_address: address }: Pick<VaultRecord, 'contract_address'>): string =>
  parseAddress(address).lockingBytecode;

/** A deposit: what a transaction pays to the vault. */
const depositOf = (lock: string, chain: ChainTransaction, payerLock: string): Move => {
  const { transaction, height, blockTime } = chain;
  const paid = transaction.outputs.filter(({ lockingBytecode }) => lockingBytecode === lock);
  return {
    type: 'deposited',
    txHash: transaction.txid,
    actorLock: payerLock,
    amount: sumSatoshis(paid),
    height,
    blockTime,
    details: z.encode(Deposited, tokensOf(paid)),
  };
};

/** The two keys (hex) that unlocked input 0, in the order of the contract. */
const signingKeys = ({ signer_pubkeys: keys }: VaultRecord, { inputs }: Transaction): readonly string[] => {
  const instructions = decodeAuthenticationInstructions(hexToBin(inputs[0]?.unlockingBytecode ?? ''));
  if (authenticationInstructionsAreMalformed(instructions)) return [];
  const pushed = instructions.map((instruction) => ('data' in instruction ? binToHex(instruction.data) : ''));
  return keys.filter((key) => pushed.includes(key));
};

/** A spend: what a transaction of the vault's coins pays to others. The contract names its two signers. */
const spendOf = (vault: VaultRecord, chain: ChainTransaction): Move => {
  const { transaction, height, blockTime } = chain;
  const lock = lockOf(vault);
  const paid = transaction.outputs.filter(({ lockingBytecode }) => lockingBytecode !== lock);
  const keys = signingKeys(vault, transaction);
  const signers = keys.map((key) => vault.signers[vault.signer_pubkeys.indexOf(key)] ?? '');
  const [actorKey] = keys;
  return {
    type: 'spent',
    txHash: transaction.txid,
    actorLock:
      actorKey === undefined ? '' : binToHex(encodeLockingBytecodeP2pkh(hash160(hexToBin(actorKey)))),
    amount: sumSatoshis(paid),
    height,
    blockTime,
    details: z.encode(Spent, {
      signers: signers.join(', '),
      unsigned_txid: unsignedTxid(transaction),
      ...tokensOf(paid),
    }),
  };
};

/**
 * What a transaction did to a vault, or null when it neither pays nor spends its coins.
 *
 * @param firstSource the output that its input 0 spends: no coin of a vault moves without one of the vault there
 */
export const observeTransaction = (
  vault: VaultRecord,
  chain: ChainTransaction,
  firstSource: Output | null,
): Move | null => {
  const lock = lockOf(vault);
  if (firstSource?.lockingBytecode === lock) return spendOf(vault, chain);
  const isPaid = chain.transaction.outputs.some(({ lockingBytecode }) => lockingBytecode === lock);
  return isPaid ? depositOf(lock, chain, firstSource?.lockingBytecode ?? '') : null;
};

/** The output of a first deposit, and the thread that it mints; null for any other transaction. Any amount will do. */
export const readFirstDeposit = (
  vault: VaultRecord,
  transaction: Transaction,
  network: Network,
): { readonly minted: Output; readonly thread: ThreadPointer } | null => {
  const lock = lockOf(vault);
  const minted = transaction.outputs.find(
    ({ lockingBytecode, token }) => lockingBytecode === lock && token?.nft !== undefined,
  );
  if (minted === undefined || minted.satoshis < THREAD_DUST) return null;
  const [thread] = auditGenesis(transaction, [vaultGenesis(vault, minted.satoshis, network)]).threads;
  return thread === undefined ? null : { minted, thread };
};

/** The first deposit: the creator's wallet paid, and its genesis audit holds. Any amount of BCH is the vault's money. */
const observeFunding = (
  vault: VaultRecord,
  chain: ChainTransaction,
  spent: readonly (Output | null)[],
  network: Network,
): Observed<VaultRecord> | null => {
  const creatorLock = parseAddress(vault.creator).lockingBytecode;
  if (!spent.some((output) => output?.lockingBytecode === creatorLock)) return null;
  const { transaction } = chain;
  const first = readFirstDeposit(vault, transaction, network);
  if (first === null) return null;
  const { minted, thread } = first;
  const { txid } = transaction;
  return {
    record: {
      ...vault,
      status: 'active',
      thread,
      spends: initialState.spends,
      genesis_satoshis: minted.satoshis,
      tx_hash: txid,
      last_tx_hash: txid,
      updated_at: touchedAt(vault, chain),
    },
    moves: [depositOf(lockOf(vault), chain, creatorLock)],
  };
};

/** A spend that moved the thread: its state counts it. */
const observeMove = (vault: VaultRecord, chain: ChainTransaction): Observed<VaultRecord> => {
  const { transaction } = chain;
  const thread = continuedThread(transaction, lockOf(vault), vault.thread?.category ?? '');
  return {
    record: {
      ...vault,
      thread,
      spends: thread === null ? vault.spends : readState(thread.commitment).spends,
      last_tx_hash: transaction.txid,
      updated_at: touchedAt(vault, chain),
    },
    moves: [spendOf(vault, chain)],
  };
};

/** How vaults are followed on a network. */
export const followedVault = (network: Network): Followed<VaultRecord> => ({
  lockingBytecode: lockOf,
  thread: (vault) => vault.thread,
  fundedBy: (vault) => vault.tx_hash,
  isPending: (vault) => vault.status === 'pending',
  unfunded: (vault) => ({
    ...vault,
    status: 'pending',
    thread: null,
    spends: 0,
    genesis_satoshis: null,
    tx_hash: null,
    last_tx_hash: null,
  }),
  observeFunding: (vault, chain, spent) => observeFunding(vault, chain, spent, network),
  observeMove,
});

type Holdings = Pick<VaultRecord, 'balance' | 'spendable' | 'stuck' | 'tokens'>;

/** What a coin holds above what its tokens ride on. */
const above = ({ satoshis, token }: Coin): bigint => {
  const rest = token === undefined ? satoshis : satoshis - TOKEN_CHANGE_SATOSHIS;
  return rest > 0n ? rest : 0n;
};

const sumAbove = (coins: readonly Coin[]): bigint => coins.reduce((sum, coin) => sum + above(coin), 0n);

/** The most that the coin at input 0 brings: only one of those that have the state of a thread can stand there. */
const mostAbove = (coins: readonly Coin[]): bigint =>
  coins.reduce((most, coin) => (above(coin) > most ? above(coin) : most), 0n);

/** What the chain holds for a vault, whoever sent it. */
export const observeHoldings = (vault: VaultRecord, coins: readonly Coin[]): Holdings => {
  const { thread, free, alike, stuck } = sortCoins(vault, coins);
  const withTokens = coins.filter((coin) => coin !== thread && coin.token !== undefined);
  const categories = [...new Set(withTokens.map(({ token }) => token?.category ?? ''))].sort();
  const tokens: Holding[] = categories.map((category) => ({
    category,
    amount: sumTokens(withTokens, category),
    nfts: withTokens.filter(({ token }) => token?.category === category && token.nft !== undefined).length,
  }));
  return {
    balance: sumSatoshis(coins),
    spendable: sumAbove(free) + mostAbove([...(thread === null ? [] : [thread]), ...alike]),
    stuck: sumSatoshis(stuck),
    tokens,
  };
};
