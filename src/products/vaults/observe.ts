/** The one place that reads a vault's deposits and spends back from the chain. */
import { binToHex, encodeLockingBytecodeP2pkh, hash160, hexToBin } from '@bitauth/libauth';
import { z } from 'zod';
import { parseAddress } from '../../bch/address.js';
import { holdingsOf, sumSatoshis, type Coin, type Output } from '../../bch/coins.js';
import { pushesOf } from '../../bch/instructions.js';
import type { Network } from '../../bch/network.js';
import { TOKEN_CHANGE_SATOSHIS } from '../../bch/payment.js';
import {
  THREAD_DUST,
  toLibauthTransaction,
  type ChainTransaction,
  type Transaction,
} from '../../bch/transaction.js';
import { moved, type Followed, type Move, type Observed } from '../../covenant/follow.js';
import { auditGenesis } from '../../covenant/genesis.js';
import { continuedThread, type ThreadPointer } from '../../covenant/thread.js';
import { sortCoins } from './coins.js';
import { initialState, lockOf, readState } from './contract.js';
import { Deposited, Spent, tokensOf } from './movements.js';
import { unsignedTxid, vaultGenesis } from './transactions.js';
import { UNFUNDED, type NOTHING_HELD, type VaultRecord } from './vault.js';

/** What a transaction pays to the vault. */
const paidTo = (vault: VaultRecord, { outputs }: Transaction): Output[] => {
  const lock = lockOf(vault);
  return outputs.filter(({ lockingBytecode }) => lockingBytecode === lock);
};

/** A deposit: what a transaction pays to the vault. */
const depositOf = (vault: VaultRecord, { transaction }: ChainTransaction, actorLock: string) => {
  const paid = paidTo(vault, transaction);
  return {
    type: 'deposited',
    actorLock,
    amount: sumSatoshis(paid),
    details: z.encode(Deposited, tokensOf(paid)),
  };
};

/** A spend: what a transaction of the vault's coins pays to others. The contract names its two signers. */
const spendOf = (vault: VaultRecord, { transaction }: ChainTransaction) => {
  const pushed = pushesOf(hexToBin(transaction.inputs[0]?.unlockingBytecode ?? '')).map(binToHex);
  const keys = vault.signer_pubkeys.filter((key) => pushed.includes(key));
  const signers = keys.map((key) => vault.signers[vault.signer_pubkeys.indexOf(key)] ?? '');
  const [actorKey] = keys;
  const own = paidTo(vault, transaction);
  const paid = transaction.outputs.filter((output) => !own.includes(output));
  return {
    type: 'spent',
    actorLock:
      actorKey === undefined ? '' : binToHex(encodeLockingBytecodeP2pkh(hash160(hexToBin(actorKey)))),
    amount: sumSatoshis(paid),
    details: z.encode(Spent, {
      signers: signers.join(', '),
      unsigned_txid: unsignedTxid(toLibauthTransaction(transaction)),
      ...tokensOf(paid),
    }),
  };
};

/**
 * What a transaction did to a vault: nothing when it neither pays nor spends its coins.
 *
 * @param firstSource the output that its input 0 spends: no coin of a vault moves without one of the vault there
 */
export const observeTransaction = (
  vault: VaultRecord,
  chain: ChainTransaction,
  firstSource: Output | null,
): readonly Move[] => {
  if (firstSource?.lockingBytecode === lockOf(vault))
    return moved(vault, chain, {}, [spendOf(vault, chain)]).moves;
  if (paidTo(vault, chain.transaction).length === 0) return [];
  return moved(vault, chain, {}, [depositOf(vault, chain, firstSource?.lockingBytecode ?? '')]).moves;
};

/** The output of a first deposit, and the thread that it mints; null for any other transaction. Any amount will do. */
export const readFirstDeposit = (
  vault: VaultRecord,
  transaction: Transaction,
  network: Network,
): { readonly minted: Output; readonly thread: ThreadPointer } | null => {
  const minted = paidTo(vault, transaction).find(({ token }) => token?.nft !== undefined);
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
  const first = readFirstDeposit(vault, chain.transaction, network);
  if (first === null) return null;
  const { minted, thread } = first;
  const { spends } = initialState;
  const [genesis_satoshis, tx_hash] = [minted.satoshis, chain.transaction.txid];
  const changes = { status: 'active', thread, spends, genesis_satoshis, tx_hash } as const;
  return moved(vault, chain, changes, [depositOf(vault, chain, creatorLock)]);
};

/** A spend that moved the thread: its state counts it. */
const observeMove = (vault: VaultRecord, chain: ChainTransaction): Observed<VaultRecord> => {
  const thread = continuedThread(chain.transaction, lockOf(vault), vault.thread?.category ?? '');
  const spends = thread === null ? vault.spends : readState(thread.commitment).spends;
  return moved(vault, chain, { thread, spends }, [spendOf(vault, chain)]);
};

/** How vaults are followed on a network. */
export const followedVault = (network: Network): Followed<VaultRecord> => ({
  lockingBytecode: lockOf,
  thread: (vault) => vault.thread,
  fundedBy: (vault) => vault.tx_hash,
  isPending: (vault) => vault.status === 'pending',
  unfunded: (vault) => ({ ...vault, ...UNFUNDED }),
  observeFunding: (vault, chain, spent) => observeFunding(vault, chain, spent, network),
  observeMove,
});

/** What a coin holds above what its tokens ride on. */
const above = ({ satoshis, token }: Coin): bigint => {
  const rest = token === undefined ? satoshis : satoshis - TOKEN_CHANGE_SATOSHIS;
  return rest > 0n ? rest : 0n;
};

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** What the chain holds for a vault, whoever sent it. */
export const observeHoldings = (
  vault: VaultRecord,
  coins: readonly Coin[],
): Pick<VaultRecord, keyof typeof NOTHING_HELD> => {
  const { thread, free, alike, stuck } = sortCoins(vault, coins);
  // Only one of those that have the state of a thread can stand at input 0: the one that brings most.
  const leads = [...(thread === null ? [] : [thread]), ...alike].map(above);
  return {
    balance: sumSatoshis(coins),
    spendable: sum(free.map(above)) + leads.reduce((most, one) => (one > most ? one : most), 0n),
    stuck: sumSatoshis(stuck),
    tokens: holdingsOf(coins.filter((coin) => coin !== thread)),
  };
};
