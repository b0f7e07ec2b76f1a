/** The simplest record with a covenant: a thread that counts its moves until it ends. */
import { z } from 'zod';
import type { Output } from '../../src/bch/coins.js';
import type { ChainTransaction, Transaction } from '../../src/bch/transaction.js';
import type { Followed, Move } from '../../src/covenant/follow.js';
import { continuedThread, ThreadPointer, threadOutput } from '../../src/covenant/thread.js';
import { makeTransaction } from './scripted-chain.js';

export const COVENANT_LOCK = `aa20${'11'.repeat(32)}87`;
export const CREATOR_LOCK = `76a914${'01'.repeat(20)}88ac`;
export const STRANGER_LOCK = `76a914${'02'.repeat(20)}88ac`;

export const CounterRecord = z.object({
  id: z.string(),
  contract_address: z.string(),
  status: z.enum(['PENDING', 'LIVE', 'ENDED']),
  moves: z.int(),
  thread: ThreadPointer.nullable(),
});
export type CounterRecord = z.output<typeof CounterRecord>;

export const pending: CounterRecord = {
  id: 'counter-1',
  contract_address: 'counter',
  status: 'PENDING',
  moves: 0,
  thread: null,
};

const moveOf = ({ transaction, height, blockTime }: ChainTransaction, type: string): Move => ({
  type,
  txHash: transaction.txid,
  actorLock: CREATOR_LOCK,
  amount: 1n,
  height,
  blockTime,
  details: {},
});

export const followedCounter: Followed<CounterRecord> = {
  lockingBytecode: () => COVENANT_LOCK,
  thread: ({ thread }) => thread,
  isPending: ({ status }) => status === 'PENDING',
  unfunded: ({ id }) => ({ ...pending, id }),
  observeFunding: (record, chain, spent) => {
    const { transaction } = chain;
    const category = transaction.outputs[0]?.token?.category ?? '';
    const thread = continuedThread(transaction, COVENANT_LOCK, category);
    const isPaid = spent.some((output) => output?.lockingBytecode === CREATOR_LOCK);
    return thread === null || !isPaid
      ? null
      : { record: { ...record, status: 'LIVE', thread }, moves: [moveOf(chain, 'funded')] };
  },
  observeMove: (record, chain) => {
    const thread = continuedThread(chain.transaction, COVENANT_LOCK, record.thread?.category ?? '');
    const status = thread === null ? 'ENDED' : 'LIVE';
    const type = thread === null ? 'cancelled' : 'distribution';
    return { record: { ...record, thread, status, moves: record.moves + 1 }, moves: [moveOf(chain, type)] };
  },
};

const pay = (lockingBytecode: string, satoshis = 5_000n): Output => ({ lockingBytecode, satoshis });

/** A coin of somebody: output 0. `salt` makes it another one. */
export const giveCoin = (lockingBytecode: string, salt: number): Transaction =>
  makeTransaction([{ txid: salt.toString(16).padStart(64, 'f'), vout: 0 }], [pay(lockingBytecode)]);

/** The funding that spends a coin and mints the thread from it. */
export const fundFrom = (coin: Transaction): Transaction =>
  makeTransaction(
    [{ txid: coin.txid, vout: 0 }],
    [threadOutput(COVENANT_LOCK, coin.txid, '00', 0n), pay(CREATOR_LOCK)],
  );

const threadOf = ({ outputs }: Transaction): string => outputs[0]?.token?.category ?? '';

/** The move of the thread at output 0 to a state. */
export const moveOn = (previous: Transaction, state: string): Transaction =>
  makeTransaction(
    [{ txid: previous.txid, vout: 0 }],
    [threadOutput(COVENANT_LOCK, threadOf(previous), state, 0n)],
  );

/** The end of the thread at output 0. */
export const endOf = (previous: Transaction): Transaction =>
  makeTransaction([{ txid: previous.txid, vout: 0 }], [pay(CREATOR_LOCK)]);
