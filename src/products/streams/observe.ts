/**
 * The one place that reads a vesting stream's moves back from the chain.
 *
 * The chain accepted the transaction, so the covenant has checked it: what it did follows from the function it called,
 * the state before it and its locktime.
 */
import { hexToBin } from '@bitauth/libauth';
import { z } from 'zod';
import { addressOf, addressOfHash, parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import { moved, type Move, type Observed } from '../../covenant/follow.js';
import { continuingOutputs } from '../../covenant/pool.js';
import { calledFunction } from '../../covenant/called-function.js';
import { pushedBy, pusherOf } from '../../covenant/push.js';
import { continuedThread, type ThreadPointer } from '../../covenant/thread.js';
import { vestedInState } from './rules.js';
import { CHAIN_STATUS, readState, type StreamState } from './state.js';
import { Payout, type StreamRecord, type Transferred } from './stream.js';
import { vestingPool } from './transactions.js';

const lockOf = (address: string): string => parseAddress(address).lockingBytecode;

const stateBefore = ({ thread }: StreamRecord): StreamState => readState(thread?.commitment ?? '');

/** What the event of a payout to the recipient tells. */
export const payoutDetails = (recipient: string, to: string, paidOnChain: bigint): z.input<typeof Payout> =>
  z.encode(Payout, { recipient, to, paidOnChain });

/** Who took what had vested, and what the event of it tells beside that: the recipient, or whoever pushed it. */
const takenBy = (stream: StreamRecord, { transaction }: ChainTransaction, network: Network) => {
  const { artifact_fingerprint: pinned, recipient } = stream;
  const called = calledFunction({ name: 'stream', pinned }, transaction.inputs[0]?.unlockingBytecode ?? '');
  const pusher = called === 'push' ? (pusherOf(transaction, network) ?? parseAddress(recipient)) : null;
  return { actor: pusher?.text ?? recipient, beside: pushedBy(pusher) };
};

/** Whom an output pays; the recipient where there is no such output, since then the claim went into the fee. */
const receiverAt = (
  { transaction }: ChainTransaction,
  index: number,
  { recipient }: StreamRecord,
  network: Network,
): string => {
  const output = transaction.outputs[index];
  return output === undefined ? recipient : (addressOf(output.lockingBytecode, network)?.text ?? '');
};

const ENDED = { thread: null, paused_at: null } as const;

/** The end by a last claim: two events, the claim being the later one. */
const observeCompletion = (stream: StreamRecord, chain: ChainTransaction, network: Network) => {
  const { recipient, total_amount: total } = stream;
  const { actor, beside } = takenBy(stream, chain, network);
  const actorLock = lockOf(actor);
  const to = receiverAt(chain, 0, stream, network);
  const amount = total - stateBefore(stream).released;
  return moved(stream, chain, { ...ENDED, status: 'COMPLETED', withdrawn_amount: total }, [
    { type: 'completed', actorLock, amount: total },
    { type: 'claimed', actorLock, amount, details: { ...payoutDetails(recipient, to, amount), ...beside } },
  ]);
};

/** The end by a cancellation: what had vested by its locktime to the recipient, the rest to the sender. */
const observeCancellation = (stream: StreamRecord, chain: ChainTransaction): Observed<StreamRecord> => {
  const { recipient } = stream;
  const before = stateBefore(stream);
  const { amount: vested } = vestedInState(stream.schedule, before, chain.transaction.locktime);
  const amount = stream.total_amount - vested;
  const details = payoutDetails(recipient, recipient, vested - before.released);
  const paid = { withdrawn_amount: vested, returned_amount: amount };
  return moved(stream, chain, { ...ENDED, status: 'CANCELLED', ...paid }, [
    { type: 'cancelled', actorLock: lockOf(stream.sender), amount, details },
  ]);
};

/** What a transaction that continues the thread did. */
const observeGoingOn = (
  stream: StreamRecord,
  thread: ThreadPointer,
  chain: ChainTransaction,
  network: Network,
): Observed<StreamRecord> => {
  const before = stateBefore(stream);
  const state = readState(thread.commitment);
  const { text: recipient } = addressOfHash(hexToBin(state.recipient), network);
  const isPaused = state.status === CHAIN_STATUS.paused;
  const changes: Partial<StreamRecord> = {
    thread,
    status: isPaused ? 'PAUSED' : 'ACTIVE',
    recipient,
    withdrawn_amount: state.released,
    shift_seconds: state.start - stream.start_time,
    paused_at: isPaused ? state.pausedAt : null,
  };
  const move = (type: string, actor: string, details: Move['details'], amount = 0n) =>
    moved(stream, chain, changes, [{ type, actorLock: lockOf(actor), amount, details }]);

  if (state.recipient === before.recipient && state.status !== before.status) {
    return isPaused
      ? move('paused', stream.sender, { pausedAt: state.pausedAt })
      : move('resumed', stream.sender, { stoodStillSeconds: state.start - before.start });
  }
  const amount = state.released - before.released;
  if (state.recipient === before.recipient && amount > 0n) {
    const remaining = stream.total_amount - state.released;
    const { payoutIndex } = continuingOutputs(vestingPool(stream, network), thread.commitment, remaining);
    const to = receiverAt(chain, payoutIndex, stream, network);
    const { actor, beside } = takenBy(stream, chain, network);
    return move('claimed', actor, { ...payoutDetails(stream.recipient, to, amount), ...beside }, amount);
  }
  // A transfer to the recipient itself changes nothing at all.
  const details: z.output<typeof Transferred> = { from: stream.recipient, to: recipient };
  return move('transferred', stream.recipient, details);
};

/** What a transaction that spends the thread of a vesting stream did. */
export const observeVesting = (
  stream: StreamRecord,
  chain: ChainTransaction,
  network: Network,
): Observed<StreamRecord> => {
  const { transaction } = chain;
  const thread = continuedThread(transaction, lockOf(stream.contract_address), stream.thread?.category ?? '');
  if (thread !== null) return observeGoingOn(stream, thread, chain, network);
  const contract = { name: 'stream', pinned: stream.artifact_fingerprint } as const;
  return calledFunction(contract, transaction.inputs[0]?.unlockingBytecode ?? '') === 'cancel'
    ? observeCancellation(stream, chain)
    : observeCompletion(stream, chain, network);
};
