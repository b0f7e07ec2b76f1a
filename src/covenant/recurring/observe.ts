/**
 * The one place that reads the moves of a recurring covenant back from the chain.
 *
 * The transaction was accepted, so the covenant has checked it: what it did follows from the function it called, the
 * state before it, and its locktime. The outputs are read for the state after it only.
 */
import { hexToBin } from '@bitauth/libauth';
import { z } from 'zod';
import { addressOfHash, parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import type { Move } from '../follow.js';
import { continuedThread, type ThreadPointer } from '../thread.js';
import { calledFunction } from '../called-function.js';
import { recurringContract, type RecurringTerms } from './contract.js';
import { afterPeriods, settledPeriods } from './rules.js';
import { CHAIN_STATUS, readRecurringState, type RecurringState } from './state.js';
import { poolLeft } from './transactions.js';

/** Where a funded recurring covenant stands. */
export type RecurringPosition = {
  readonly thread: ThreadPointer;
  /** What is left, smallest unit of either asset. */
  readonly pool: bigint;
};

/** A covenant after a move. `state.pool` is what is left in either asset. */
export type RecurringObserved = {
  readonly status: 'ACTIVE' | 'PAUSED' | 'COMPLETED' | 'CANCELLED';
  /** Null: it has ended. */
  readonly thread: ThreadPointer | null;
  readonly state: RecurringState;
  readonly moves: readonly Move[];
};

const MOVE_TYPES: Readonly<Record<string, string>> = {
  claim: 'claimed',
  refill: 'refilled',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
};

/** What a move's event tells beside its amount: the periods that it paid or put in, and whom it paid. */
export const RecurringDetails = z.object({ periods: z.int(), recipient: z.string().optional() });
type RecurringDetails = z.output<typeof RecurringDetails>;

/** The state in which a thread ended: a last claim pays what the term still owed, a cancellation what was settled. */
const observeEnd = (
  terms: RecurringTerms,
  before: RecurringState,
  called: string,
  locktime: number,
): Pick<RecurringObserved, 'status' | 'state'> & { readonly periods: number } => {
  const isLast = called === 'claim';
  const periods = isLast ? terms.periods - before.paid : settledPeriods(terms, before, locktime);
  const after = afterPeriods(terms, before, periods);
  return { status: isLast ? 'COMPLETED' : 'CANCELLED', state: { ...after, pool: 0n }, periods };
};

/** The amount that a move is told with: what it paid the recipient, or what a refill put in. */
const amountOf = (
  terms: RecurringTerms,
  type: string,
  before: RecurringState,
  after: RecurringState,
): bigint =>
  type === 'refilled' ? after.pool - before.pool : BigInt(after.paid - before.paid) * terms.amountPerPeriod;

const periodsOf = ({ amountPerPeriod }: RecurringTerms, amount: bigint): number =>
  Number(amount / amountPerPeriod);

/**
 * What a transaction that spends a recurring covenant's thread at input 0 did: one move, and where the covenant stands
 * after it. The move's `details` are `periods` (paid to the recipient, or refilled) and `recipient` where it paid one.
 */
export const observeRecurring = (
  { terms, network }: { readonly terms: RecurringTerms; readonly network: Network },
  position: RecurringPosition,
  chain: ChainTransaction,
): RecurringObserved => {
  const { transaction } = chain;
  const before = { ...readRecurringState(position.thread.commitment), pool: position.pool };
  const contract = { name: 'recurring-payment', pinned: terms.artifactFingerprint } as const;
  const called = calledFunction(contract, transaction.inputs[0]?.unlockingBytecode ?? '') ?? '';
  const { lockingBytecode } = recurringContract(terms, network);
  const thread = continuedThread(transaction, lockingBytecode, position.thread.category);
  const { status, state } =
    thread === null
      ? observeEnd(terms, before, called, transaction.locktime)
      : observeGoingOn(terms, thread, transaction.outputs[0]?.satoshis ?? 0n);

  const type = MOVE_TYPES[called] ?? called;
  const recipient = addressOfHash(hexToBin(before.recipient), network);
  const sender = parseAddress(terms.sender);
  const amount = amountOf(terms, type, before, state);
  const periods = periodsOf(terms, amount);
  const isPaid = type !== 'refilled' && periods > 0;
  const details = {
    periods,
    ...(isPaid ? { recipient: recipient.text } : {}),
  } satisfies RecurringDetails;
  const { lockingBytecode: actorLock } = type === 'claimed' ? recipient : sender;
  const { txid: txHash } = transaction;
  const { height, blockTime } = chain;
  return { status, thread, state, moves: [{ type, actorLock, amount, details, txHash, height, blockTime }] };
};

const observeGoingOn = (
  terms: RecurringTerms,
  thread: ThreadPointer,
  threadSatoshis: bigint,
): Pick<RecurringObserved, 'status' | 'state'> => {
  const state = readRecurringState(thread.commitment);
  return {
    status: state.status === CHAIN_STATUS.paused ? 'PAUSED' : 'ACTIVE',
    state: { ...state, pool: poolLeft(terms, state, threadSatoshis) },
  };
};
