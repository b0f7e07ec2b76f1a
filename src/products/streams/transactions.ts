/**
 * The transactions of a vesting stream: coins and state in, an unsigned transaction and the outputs it promises out.
 * `observe.ts` reads the same promises back.
 */
import { hexToBin } from '@bitauth/libauth';
import { parseAddress, type Address } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import { dustOf } from '../../bch/transaction.js';
import { signedCall, witnessedCall } from '../../covenant/call.js';
import { belowDust } from '../../covenant/checks.js';
import type { GenesisMember } from '../../covenant/genesis.js';
import {
  buildPoolSpend,
  continuingOutputs,
  payoutOutput,
  poolGenesis,
  restated,
  shareOut,
  type Pool,
  type PoolSpend,
} from '../../covenant/pool.js';
import { buildPush } from '../../covenant/push.js';
import { isInsufficient, type UnsignedTransaction } from '../../covenant/spend.js';
import type { Witness } from '../../covenant/ticket.js';
import { vestingContract } from './contract.js';
import { vestedInState } from './rules.js';
import { scheduledTotal } from './schedule.js';
import { CHAIN_STATUS, flagsOf, readState, streamState, type StreamState } from './state.js';
import type { StreamRecord } from './stream.js';

/** What every spend of a stream starts from. The payer signs and pays the fee. */
export type StreamSpend = {
  readonly record: StreamRecord;
  readonly network: Network;
} & Pick<PoolSpend, 'coins' | 'payerCoins' | 'locktime'>;

/** How much of what is claimable, and where the recipient sends it. */
export type ClaimOrder = { readonly amount: bigint; readonly to: Address };

/** A vesting stream's pool. */
export const vestingPool = (stream: StreamRecord, network: Network): Pool => ({
  network,
  contract: vestingContract(stream, network),
  threadCategory: stream.thread?.category ?? '',
  tokenCategory: stream.token_category,
});

/**
 * The one thread that funding mints for a vesting stream, with its pool. The covenant is taken from the record's address
 * and not bound anew: a batch has hundreds of members.
 */
export const vestingGenesis = (stream: StreamRecord, network: Network): GenesisMember =>
  poolGenesis(
    { network, contract: parseAddress(stream.contract_address), tokenCategory: stream.token_category },
    firstState(stream),
    stream.total_amount,
  );

/** The state that funding mints, hex. */
export const firstState = (stream: StreamRecord): string =>
  streamState.encode({
    status: CHAIN_STATUS.active,
    released: 0n,
    start: stream.start_time,
    pausedAt: 0,
    recipient: parseAddress(stream.first_recipient).hash,
    flags: flagsOf(stream),
  });

/** Binding the contract is most of the work, so a pool that is at hand is used again. */
const spendStream = (
  { record: stream, network, ...gathered }: StreamSpend,
  spend: Pick<PoolSpend, 'call' | 'outputs' | 'payer'> & Partial<PoolSpend>,
  pool: Pool = vestingPool(stream, network),
): UnsignedTransaction => buildPoolSpend(pool, { ...gathered, ...spend });

const stateOf = ({ record: stream }: StreamSpend): StreamState => readState(stream.thread?.commitment ?? '');

/**
 * The part of a claim in BCH that has no output of its own: it goes to the change, which pays the fee. Coins of the
 * recipient join only when the change is the recipient's too.
 */
const claimIntoChange = (
  spend: StreamSpend,
  plan: Pick<PoolSpend, 'call' | 'outputs' | 'payer'>,
  { amount, to }: ClaimOrder,
  pool: Pool,
): UnsignedTransaction => {
  const payerCoins = to.lockingBytecode === plan.payer.lockingBytecode ? spend.payerCoins : [];
  try {
    return spendStream(spend, { ...plan, changeTo: to, payerCoins }, pool);
  } catch (error) {
    throw isInsufficient(error) ? belowDust('amount', amount) : error;
  }
};

/**
 * Claims: the recipient signs, and so chooses where the money goes.
 *
 * In BCH the fee comes from the recipient's own coins, and where these do not suffice out of the payout; in tokens
 * from the recipient's own coins. The last unit ends the thread, whose dust is the recipient's too.
 *
 * @throws insufficient_funds (tokens), amount_below_dust (too little BCH for an output, and no coins to join it)
 */
export const buildVestingClaim = (spend: StreamSpend, order: ClaimOrder): UnsignedTransaction => {
  const { record: stream, network, locktime } = spend;
  const { token_category: category, total_amount: total } = stream;
  const state = stateOf(spend);
  const released = state.released + order.amount;
  const { segment } = vestedInState(stream.schedule, state, locktime);
  const pool = vestingPool(stream, network);
  const continuing =
    released === scheduledTotal(stream.schedule)
      ? []
      : continuingOutputs(pool, streamState.encode({ ...state, released }), total - released).outputs;
  const plan = {
    call: signedCall('claim', order.amount, BigInt(segment)),
    outputs: continuing,
    payer: parseAddress(stream.recipient),
  };
  const payout = payoutOutput(category, order.to.lockingBytecode, order.amount);
  if (payout.satoshis < dustOf(payout)) return claimIntoChange(spend, plan, order, pool);
  try {
    return spendStream(spend, { ...plan, outputs: [...continuing, payout] }, pool);
  } catch (error) {
    if (category !== null || !isInsufficient(error)) throw error;
    return claimIntoChange(spend, plan, order, pool);
  }
};

/** Pushes: all that has vested goes to the recipient, and the payer pays the fee. @throws insufficient_funds */
export const buildVestingPush = (spend: StreamSpend, payer: Address): UnsignedTransaction => {
  const { record: stream, network, coins, payerCoins, locktime } = spend;
  const state = stateOf(spend);
  const { amount: vested, segment } = vestedInState(stream.schedule, state, locktime);
  const remaining = scheduledTotal(stream.schedule) - vested;
  return buildPush(
    vestingPool(stream, network),
    { coins, payerCoins, payer, locktime },
    {
      args: [BigInt(segment)],
      next: remaining === 0n ? null : streamState.encode({ ...state, released: vested }),
      remaining,
      amount: vested - state.released,
      recipient: parseAddress(stream.recipient).lockingBytecode,
    },
  );
};

/** The part of a spend that gives the thread another state. */
const inState = (spend: StreamSpend, changes: Partial<StreamState>, witness?: Witness) =>
  restated(
    spend.coins,
    spend.record.thread?.category ?? '',
    streamState.encode({ ...stateOf(spend), ...changes }),
    witness,
  );

/** Transfers: another recipient from now on. The present one signs. @throws insufficient_funds */
export const buildVestingTransfer = (spend: StreamSpend, newRecipient: Address): UnsignedTransaction =>
  spendStream(spend, {
    ...inState(spend, { recipient: newRecipient.hash }),
    call: signedCall('transfer', hexToBin(newRecipient.hash)),
    payer: parseAddress(spend.record.recipient),
  });

/** Pauses at the locktime; the authority is the witness of it. @throws insufficient_funds */
export const buildVestingPause = (spend: StreamSpend, witness: Witness): UnsignedTransaction =>
  spendStream(spend, {
    ...inState(spend, { status: CHAIN_STATUS.paused, pausedAt: spend.locktime }, witness),
    call: witnessedCall('pause', witness),
    payer: parseAddress(spend.record.sender),
  });

/** Resumes at the locktime: the schedule goes on, later by as long as it stood still. @throws insufficient_funds */
export const buildVestingResume = (spend: StreamSpend): UnsignedTransaction => {
  const { start, pausedAt } = stateOf(spend);
  const later = start + (spend.locktime - pausedAt);
  return spendStream(spend, {
    ...inState(spend, { status: CHAIN_STATUS.active, start: later, pausedAt: 0 }),
    call: signedCall('resume'),
    payer: parseAddress(spend.record.sender),
  });
};

/**
 * Cancels at the locktime: what has vested and was not claimed goes to the recipient, the rest to the sender (in BCH
 * as the change), and the thread is burned.
 *
 * @throws insufficient_funds
 */
export const buildVestingCancel = (spend: StreamSpend, witness: Witness): UnsignedTransaction => {
  const { record: stream } = spend;
  const { token_category: category, total_amount: total } = stream;
  const { released, ...state } = stateOf(spend);
  const { amount: vested, segment } = vestedInState(stream.schedule, state, spend.locktime);
  const owed = { to: parseAddress(stream.recipient), amount: vested > released ? vested - released : 0n };
  const rest = { to: parseAddress(stream.sender), amount: total - vested };
  return spendStream(spend, {
    ...shareOut(category, owed, rest, witness),
    call: witnessedCall('cancel', witness, BigInt(segment)),
  });
};
