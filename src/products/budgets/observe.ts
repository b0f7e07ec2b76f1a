/** The one place that reads a plan's moves back from the chain. */
import {
  authenticationInstructionsAreMalformed,
  decodeAuthenticationInstructions,
  hexToBin,
} from '@bitauth/libauth';
import { parseAddress } from '../../bch/address.js';
import type { Output } from '../../bch/coins.js';
import type { Network } from '../../bch/network.js';
import type { ChainTransaction, Transaction } from '../../bch/transaction.js';
import { touchedAt, type Followed, type Move, type Observed } from '../../covenant/follow.js';
import { auditGenesis } from '../../covenant/genesis.js';
import { continuedThread, type ThreadPointer } from '../../covenant/thread.js';
import { planContract } from './contract.js';
import type { PlanRecord } from './plan.js';
import { amountBetween, dueAt, elapsedMilestone, remainingPool } from './rules.js';
import { CHAIN_STATUS, readState } from './state.js';
import { planGenesis } from './transactions.js';

const lockOf = (address: string): string => parseAddress(address).lockingBytecode;

const moveOf = (
  { transaction, height, blockTime }: ChainTransaction,
  move: Pick<Move, 'type' | 'actorLock' | 'amount'> & Partial<Pick<Move, 'details'>>,
): Move => ({ details: {}, ...move, txHash: transaction.txid, height, blockTime });

/** The funding of a plan: its genesis audit holds, and the controller's wallet paid. */
const observeFunding = (
  plan: PlanRecord,
  chain: ChainTransaction,
  spent: readonly (Output | null)[],
  network: Network,
): Observed<PlanRecord> | null => {
  const audit = auditGenesis(chain.transaction, [planGenesis(plan, network)]);
  const controllerLock = lockOf(plan.creator);
  const [thread] = audit.threads;
  if (thread === undefined || !spent.some((output) => output?.lockingBytecode === controllerLock))
    return null;
  const { txid } = chain.transaction;
  return {
    record: {
      ...plan,
      status: 'ACTIVE',
      thread,
      tx_hash: txid,
      last_tx_hash: txid,
      updated_at: touchedAt(plan, chain),
    },
    moves: [moveOf(chain, { type: 'funded', actorLock: controllerLock, amount: plan.total_amount })],
  };
};

/** Milestones that a move paid, as its event tells them and as the release rows are made. */
const paidMilestones = (plan: PlanRecord, upTo: number) => ({
  firstMilestone: plan.current_milestone + 1,
  lastMilestone: upTo,
});

const release = (plan: PlanRecord, chain: ChainTransaction, upTo: number): Move =>
  moveOf(chain, {
    type: 'released',
    actorLock: lockOf(plan.recipient),
    amount: amountBetween(plan, plan.current_milestone, upTo),
    details: paidMilestones(plan, upTo),
  });

/** Position of `release` among the contract's functions: what its unlocking bytecode pushes before the script. */
const RELEASE_SELECTOR = 0x00;

/** True when the transaction ends the thread by its last release, false when by a cancellation. */
const isRelease = ({ inputs }: Transaction): boolean => {
  const decoded = decodeAuthenticationInstructions(hexToBin(inputs[0]?.unlockingBytecode ?? ''));
  if (authenticationInstructionsAreMalformed(decoded)) return false;
  return decoded.at(-2)?.opcode === RELEASE_SELECTOR;
};

/** The end: the last release, or a cancellation, which pays what had elapsed at its locktime. */
const observeEnd = (plan: PlanRecord, moved: PlanRecord, chain: ChainTransaction): Observed<PlanRecord> => {
  const ended: PlanRecord = { ...moved, thread: null, paused_at: null };
  if (isRelease(chain.transaction)) {
    const last = plan.milestones.length;
    return {
      record: {
        ...ended,
        status: 'COMPLETED',
        current_milestone: last,
        released_amount: plan.total_amount,
        anchor: dueAt(plan, last),
      },
      moves: [
        release(plan, chain, last),
        moveOf(chain, { type: 'completed', actorLock: lockOf(plan.recipient), amount: 0n }),
      ],
    };
  }
  const upTo = elapsedMilestone(plan, chain.transaction.locktime);
  const vested = amountBetween(plan, plan.current_milestone, upTo);
  const unvested = remainingPool(plan) - vested;
  return {
    record: {
      ...ended,
      status: 'CANCELLED',
      current_milestone: upTo,
      released_amount: plan.released_amount + vested,
      anchor: dueAt(plan, upTo),
    },
    moves: [
      moveOf(chain, {
        type: 'cancelled',
        actorLock: lockOf(plan.creator),
        amount: unvested,
        details: { vestedAmount: vested.toString(), ...paidMilestones(plan, upTo) },
      }),
    ],
  };
};

/** The thread goes on: milestones were released, or the plan was paused or resumed. */
const observeState = (
  plan: PlanRecord,
  moved: PlanRecord,
  chain: ChainTransaction,
  thread: ThreadPointer,
): Observed<PlanRecord> => {
  const state = readState(thread.commitment);
  const isPaused = state.status === CHAIN_STATUS.paused;
  const record: PlanRecord = {
    ...moved,
    thread,
    status: isPaused ? 'PAUSED' : 'ACTIVE',
    current_milestone: state.current,
    released_amount: amountBetween(plan, 0, state.current),
    anchor: state.anchor,
    paused_at: isPaused ? state.pausedAt : null,
  };
  if (state.current > plan.current_milestone) {
    return { record, moves: [release(plan, chain, state.current)] };
  }
  const type = isPaused ? 'paused' : 'resumed';
  return { record, moves: [moveOf(chain, { type, actorLock: lockOf(plan.creator), amount: 0n })] };
};

/** What a transaction that spends the thread did. */
const observeMove = (plan: PlanRecord, chain: ChainTransaction, network: Network): Observed<PlanRecord> => {
  const { transaction } = chain;
  const { lockingBytecode } = planContract(plan, network);
  const moved = {
    ...plan,
    last_tx_hash: transaction.txid,
    updated_at: touchedAt(plan, chain),
  };
  const thread = continuedThread(transaction, lockingBytecode, plan.thread?.category ?? '');
  return thread === null ? observeEnd(plan, moved, chain) : observeState(plan, moved, chain, thread);
};

/** How plans are followed on a network. */
export const followedPlan = (network: Network): Followed<PlanRecord> => ({
  lockingBytecode: (plan) => lockOf(plan.contract_address),
  thread: (plan) => plan.thread,
  fundedBy: (plan) => plan.tx_hash,
  isPending: (plan) => plan.status === 'PENDING',
  unfunded: (plan) => ({
    ...plan,
    status: 'PENDING',
    current_milestone: 0,
    released_amount: 0n,
    anchor: plan.startDate,
    paused_at: null,
    tx_hash: null,
    last_tx_hash: null,
    thread: null,
  }),
  observeFunding: (plan, chain, spent) => observeFunding(plan, chain, spent, network),
  observeMove: (plan, chain) => observeMove(plan, chain, network),
});
