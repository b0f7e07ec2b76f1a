/**
 * The transactions of a vesting stream: coins and state in, an unsigned transaction and the outputs it promises out.
 * `observe.ts` reads the same promises back.
 */
import { hexToBin } from '@bitauth/libauth';
import { parseAddress, type Address } from '../../bch/address.js';
import type { Output } from '../../bch/coins.js';
import type { Network } from '../../bch/network.js';
import { dustOf } from '../../bch/transaction.js';
import { signedCall, witnessedCall } from '../../covenant/call.js';
import type { GenesisMember } from '../../covenant/genesis.js';
import {
  buildPoolSpend,
  continuingOutputs,
  owedOutputs,
  payoutOutput,
  poolGenesis,
  type Pool,
  type PoolSpend,
} from '../../covenant/pool.js';
import { isInsufficient, type UnsignedTransaction } from '../../covenant/spend.js';
import { threadOutput } from '../../covenant/thread.js';
import type { Witness } from '../../covenant/ticket.js';
import { vestingContract } from './contract.js';
import { belowDust, vestedInState } from './rules.js';
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

/** At most two other inputs may stand beside the thread while the reserve stays closed (covenants rule 2). */
const PASSENGERS = 2;

/** The thread with another state; the pool does not move. */
const keepPool = (
  spend: StreamSpend,
  state: StreamState,
): { readonly coins: PoolSpend['coins']; readonly output: Output } => {
  const { thread } = spend.coins;
  const commitment = streamState.encode(state);
  const output = threadOutput(thread.lockingBytecode, spend.record.thread?.category ?? '', commitment, 0n);
  return { coins: { thread, reserve: [] }, output: { ...output, satoshis: thread.satoshis } };
};

/** Transfers: another recipient from now on. The present one signs. @throws insufficient_funds */
export const buildVestingTransfer = (spend: StreamSpend, newRecipient: Address): UnsignedTransaction => {
  const { coins, output } = keepPool(spend, { ...stateOf(spend), recipient: newRecipient.hash });
  return spendStream(spend, {
    coins,
    call: signedCall('transfer', hexToBin(newRecipient.hash)),
    outputs: [output],
    payer: parseAddress(spend.record.recipient),
    maximumFeeCoins: PASSENGERS,
  });
};

/** Pauses at the locktime; the authority is the witness of it. @throws insufficient_funds */
export const buildVestingPause = (spend: StreamSpend, witness: Witness): UnsignedTransaction => {
  const state = { ...stateOf(spend), status: CHAIN_STATUS.paused, pausedAt: spend.locktime };
  const { coins, output } = keepPool(spend, state);
  return spendStream(spend, {
    coins,
    call: witnessedCall('pause', witness),
    outputs: [output, witness.ticketOutput],
    payer: parseAddress(spend.record.sender),
    extraInputs: [witness.ticket],
    // The ticket is the other one.
    maximumFeeCoins: PASSENGERS - 1,
  });
};

/** Resumes at the locktime: the schedule goes on, later by as long as it stood still. @throws insufficient_funds */
export const buildVestingResume = (spend: StreamSpend): UnsignedTransaction => {
  const state = stateOf(spend);
  const { coins, output } = keepPool(spend, {
    ...state,
    status: CHAIN_STATUS.active,
    start: state.start + (spend.locktime - state.pausedAt),
    pausedAt: 0,
  });
  return spendStream(spend, {
    coins,
    call: signedCall('resume'),
    outputs: [output],
    payer: parseAddress(spend.record.sender),
    maximumFeeCoins: PASSENGERS,
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
  const state = stateOf(spend);
  const { amount: vested, segment } = vestedInState(stream.schedule, state, spend.locktime);
  const payer = parseAddress(stream.sender);
  const recipient = parseAddress(stream.recipient);
  const rest = category === null ? 0n : total - vested;
  const owed = vested > state.released ? vested - state.released : 0n;
  return spendStream(spend, {
    call: witnessedCall('cancel', witness, BigInt(segment)),
    outputs: [
      ...owedOutputs(category, recipient.lockingBytecode, owed),
      ...owedOutputs(category, payer.lockingBytecode, rest),
      witness.ticketOutput,
    ],
    payer,
    extraInputs: [witness.ticket],
  });
};
