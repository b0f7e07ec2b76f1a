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
import { pushedBy, pusherOf } from '../push.js';
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
  // Whoever pays the fee, the recipient has what a claim takes.
  push: 'claimed',
  refill: 'refilled',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
};

/**
 * What a move's event tells beside its amount: the periods that it paid or put in, and whom it paid.
 *
 * @example
 * RecurringDetails.parse({ periods: 1 }); // { periods: 1 }
 */
export const RecurringDetails = z.object({
  periods: z.int(),
  recipient: z.string().optional(),
  /** Who paid the fee, where the recipient did not sign. */
  pushedBy: z.string().optional(),
});
type RecurringDetails = z.output<typeof RecurringDetails>;

/** The state in which a thread ended: a last claim pays what the term still owed, a cancellation what was settled. */
const observeEnd = (
  terms: RecurringTerms,
  before: RecurringState,
  called: string,
  locktime: number,
): Pick<RecurringObserved, 'status' | 'state'> => {
  const isLast = called === 'claim' || called === 'push';
  const periods = isLast ? terms.periods - before.paid : settledPeriods(terms, before, locktime);
  const after = afterPeriods(terms, before, periods);
  return { status: isLast ? 'COMPLETED' : 'CANCELLED', state: { ...after, pool: 0n } };
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

/**
 * What a transaction that spends a recurring covenant's thread at input 0 did: one move, and where the covenant stands
 * after it. Its amount is what it paid the recipient, or what a refill put in; `periods` says the same, and `recipient`
 * whom it paid.
 *
 * @example
 * const claim = mined(buildRecurringClaim({ ...spend, payerCoins: [] }, { periods: 2 }));
 * const position = { thread, pool: genesis.pool };
 * const { status, state, moves } = observeRecurring({ terms, network: 'local' }, position, claim);
 * [status, state.paid, moves[0].type, moves[0].amount]; // ['ACTIVE', 2, 'claimed', 20_000_000n]
 */
export const observeRecurring = (
  { terms, network }: { readonly terms: RecurringTerms; readonly network: Network },
  position: RecurringPosition,
  chain: ChainTransaction,
): RecurringObserved => {
  const { transaction, height, blockTime } = chain;
  const { amountPerPeriod, artifactFingerprint: pinned } = terms;
  const before = { ...readRecurringState(position.thread.commitment), pool: position.pool };
  const contract = { name: 'recurring-payment', pinned } as const;
  const called = calledFunction(contract, transaction.inputs[0]?.unlockingBytecode ?? '') ?? '';
  const { lockingBytecode } = recurringContract(terms, network);
  const thread = continuedThread(transaction, lockingBytecode, position.thread.category);
  const { status, state } =
    thread === null
      ? observeEnd(terms, before, called, transaction.locktime)
      : observeGoingOn(terms, thread, transaction.outputs[0]?.satoshis ?? 0n);

  const type = MOVE_TYPES[called] ?? called;
  const isRefill = type === 'refilled';
  const amount = isRefill ? state.pool - before.pool : BigInt(state.paid - before.paid) * amountPerPeriod;
  const periods = Number(amount / amountPerPeriod);
  const recipient = addressOfHash(hexToBin(before.recipient), network);
  const paid = !isRefill && periods > 0 ? { recipient: recipient.text } : {};
  const pusher = called === 'push' ? (pusherOf(transaction, network) ?? recipient) : null;
  const details = { periods, ...paid, ...pushedBy(pusher) } satisfies RecurringDetails;
  const claimant = pusher ?? recipient;
  const { lockingBytecode: actorLock } = type === 'claimed' ? claimant : parseAddress(terms.sender);
  const move = { type, actorLock, amount, details, txHash: transaction.txid, height, blockTime };
  return { status, thread, state, moves: [move] };
};
