/**
 * The one place that reads a vesting stream's moves back from the chain.
 *
 * The chain accepted the transaction, so the covenant has checked it: what it did follows from the function it called,
 * the state before it and its locktime.
 */
import { decodeAuthenticationInstructions, hexToBin } from '@bitauth/libauth';
import { addressOf, addressOfHash, parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import { loadArtifact } from '../../covenant/artifact.js';
import { touchedAt, type Move, type Observed } from '../../covenant/follow.js';
import { continuingOutputs } from '../../covenant/pool.js';
import { continuedThread, type ThreadPointer } from '../../covenant/thread.js';
import { vestedInState } from './rules.js';
import { CHAIN_STATUS, readState, type StreamState } from './state.js';
import type { StreamRecord } from './stream.js';
import { vestingPool } from './transactions.js';

/** A move of a transaction. */
export const moveOf = (
  { transaction, height, blockTime }: ChainTransaction,
  move: Pick<Move, 'type' | 'actorLock' | 'amount'> & Partial<Pick<Move, 'details'>>,
): Move => ({ details: {}, ...move, txHash: transaction.txid, height, blockTime });

/** The record as any move leaves it, before what the move itself changes. */
export const movedBy = (stream: StreamRecord, chain: ChainTransaction): StreamRecord => ({
  ...stream,
  last_tx_hash: chain.transaction.txid,
  updated_at: touchedAt(stream, chain),
});

/**
 * The details of a payout to the recipient. A claim record is made of them; the amount is exact text in the smallest
 * unit.
 */
export const payoutDetails = (recipient: string, to: string, amount: bigint): Move['details'] => ({
  recipient,
  to,
  paidOnChain: amount.toString(),
});

/** The funding of a stream, whose genesis audit (with all members of its batch) gave this thread. */
export const observeFunded = (
  stream: StreamRecord,
  chain: ChainTransaction,
  thread: ThreadPointer,
): Observed<StreamRecord> => {
  const actorLock = parseAddress(stream.sender).lockingBytecode;
  return {
    record: { ...movedBy(stream, chain), status: 'ACTIVE', thread, tx_hash: chain.transaction.txid },
    moves: [moveOf(chain, { type: 'funded', actorLock, amount: stream.total_amount })],
  };
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

type Ended = { readonly stream: StreamRecord; readonly before: StreamState };

/** The end by a last claim: two events, the claim being the later one. */
const observeCompletion = ({ stream, before }: Ended, chain: ChainTransaction, network: Network) => {
  const { lockingBytecode: actorLock } = parseAddress(stream.recipient);
  const amount = stream.total_amount - before.released;
  const to = receiverAt(chain, 0, stream, network);
  return {
    record: {
      ...movedBy(stream, chain),
      status: 'COMPLETED' as const,
      thread: null,
      paused_at: null,
      withdrawn_amount: stream.total_amount,
    },
    moves: [
      moveOf(chain, { type: 'completed', actorLock, amount: stream.total_amount }),
      moveOf(chain, {
        type: 'claimed',
        actorLock,
        amount,
        details: payoutDetails(stream.recipient, to, amount),
      }),
    ],
  };
};

/** The end by a cancellation: what had vested by its locktime to the recipient, the rest to the sender. */
const observeCancellation = ({ stream, before }: Ended, chain: ChainTransaction): Observed<StreamRecord> => {
  const { amount: vested } = vestedInState(stream.schedule, before, chain.transaction.locktime);
  const owed = vested - before.released;
  const returned = stream.total_amount - vested;
  return {
    record: {
      ...movedBy(stream, chain),
      status: 'CANCELLED',
      thread: null,
      paused_at: null,
      withdrawn_amount: vested,
      returned_amount: returned,
    },
    moves: [
      moveOf(chain, {
        type: 'cancelled',
        actorLock: parseAddress(stream.sender).lockingBytecode,
        amount: returned,
        details: payoutDetails(stream.recipient, stream.recipient, owed),
      }),
    ],
  };
};

/** What a transaction that continues the thread did. */
const observeGoingOn = (
  stream: StreamRecord,
  thread: ThreadPointer,
  chain: ChainTransaction,
  network: Network,
): Observed<StreamRecord> => {
  const before = readState(stream.thread?.commitment ?? '');
  const state = readState(thread.commitment);
  const recipient = addressOfHash(hexToBin(state.recipient), network);
  const isPaused = state.status === CHAIN_STATUS.paused;
  const record: StreamRecord = {
    ...movedBy(stream, chain),
    thread,
    status: isPaused ? 'PAUSED' : 'ACTIVE',
    recipient: recipient.text,
    withdrawn_amount: state.released,
    shift_seconds: state.start - stream.start_time,
    paused_at: isPaused ? state.pausedAt : null,
  };
  const senderLock = parseAddress(stream.sender).lockingBytecode;
  const recipientLock = parseAddress(stream.recipient).lockingBytecode;
  const move = (
    type: string,
    actorLock: string,
    amount = 0n,
    details: Move['details'] = {},
  ): Observed<StreamRecord> => ({ record, moves: [moveOf(chain, { type, actorLock, amount, details })] });

  if (state.recipient !== before.recipient) {
    return move('transferred', recipientLock, 0n, { from: stream.recipient, to: recipient.text });
  }
  if (state.status !== before.status) {
    return isPaused
      ? move('paused', senderLock, 0n, { pausedAt: state.pausedAt })
      : move('resumed', senderLock, 0n, { stoodStillSeconds: state.start - before.start });
  }
  const amount = state.released - before.released;
  const remaining = stream.total_amount - state.released;
  const { payoutIndex } = continuingOutputs(vestingPool(stream, network), thread.commitment, remaining);
  const to = receiverAt(chain, payoutIndex, stream, network);
  if (amount > 0n) return move('claimed', recipientLock, amount, payoutDetails(stream.recipient, to, amount));
  // A transfer to the recipient itself changes nothing at all.
  return move('transferred', recipientLock, 0n, { from: stream.recipient, to: stream.recipient });
};

/** The opcode that pushes a number from 1 to 16, less that number. */
const OP_N = 0x50;

/** True when an input called `cancel`. Source: CashScript, the function's number is pushed before the redeem script. */
const callsCancel = (unlockingBytecode: string, { artifact_fingerprint: pinned }: StreamRecord): boolean => {
  const selector = decodeAuthenticationInstructions(hexToBin(unlockingBytecode)).at(-2);
  const { abi } = loadArtifact('stream', pinned);
  return selector?.opcode === OP_N + abi.findIndex(({ name }) => name === 'cancel');
};

/** What a transaction that spends the thread of a vesting stream did. */
export const observeVesting = (
  stream: StreamRecord,
  chain: ChainTransaction,
  network: Network,
): Observed<StreamRecord> => {
  const { transaction } = chain;
  const { lockingBytecode } = parseAddress(stream.contract_address);
  const thread = continuedThread(transaction, lockingBytecode, stream.thread?.category ?? '');
  if (thread !== null) return observeGoingOn(stream, thread, chain, network);
  const ended = { stream, before: readState(stream.thread?.commitment ?? '') };
  return callsCancel(transaction.inputs[0]?.unlockingBytecode ?? '', stream)
    ? observeCancellation(ended, chain)
    : observeCompletion(ended, chain, network);
};
