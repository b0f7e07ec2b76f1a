/**
 * RECURRING streams: the terms, the moves and the figures of the covenant that they share with recurring payments.
 *
 * A stream without an end is open (`periods` 0) and refillable; a fixed one is funded for its whole term.
 */
import { parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import { checkDate } from '../../covenant/checks.js';
import { moved, type Observed } from '../../covenant/follow.js';
import type { Finding } from '../../covenant/genesis.js';
import type { ThreadPointer } from '../../covenant/thread.js';
import {
  checkRecurringTerms,
  recurringContract,
  type RecurringStart,
  type RecurringTerms,
} from '../../covenant/recurring/contract.js';
import { observeRecurring, type RecurringObserved } from '../../covenant/recurring/observe.js';
import { nextUnlock, settledPeriods, type RecurringBalance } from '../../covenant/recurring/rules.js';
import { readRecurringState, recurringState } from '../../covenant/recurring/state.js';
import { recurringStray } from '../../covenant/recurring/stray.js';
import {
  buildRecurringCancel,
  buildRecurringClaim,
  buildRecurringPause,
  buildRecurringRefill,
  buildRecurringResume,
  recurringGenesis,
  type RecurringSpend,
} from '../../covenant/recurring/transactions.js';
import { checkAsset } from './contract.js';
import type { StreamKind } from './kind.js';
import { payoutDetails } from './observe.js';
import { remainingPool, type Figures } from './rules.js';
import type { StreamRecord } from './stream.js';
import type { StreamSpend } from './transactions.js';

const perInterval = ({ amount_per_interval: amount }: StreamRecord): bigint => amount ?? 1n;

const termsOf = (stream: StreamRecord): RecurringTerms => ({
  artifactFingerprint: stream.artifact_fingerprint,
  onChainId: stream.on_chain_stream_id,
  sender: stream.sender,
  authorityPublicKey: stream.authority_pubkey,
  tokenCategory: stream.token_category,
  amountPerPeriod: perInterval(stream),
  intervalSeconds: stream.interval_seconds ?? 1,
  periods: stream.end_time === null ? 0 : Number(stream.total_amount / perInterval(stream)),
});

/** The first interval is paid at its end. */
const startOf = (stream: StreamRecord): RecurringStart => ({
  recipient: stream.first_recipient,
  firstDue: stream.start_time + termsOf(stream).intervalSeconds,
  funded: Number(stream.total_amount / perInterval(stream)),
  cancelable: stream.cancelable,
  refillable: stream.refillable,
});

const checkTerms = (stream: StreamRecord): readonly Finding[] => [
  ...checkRecurringTerms(termsOf(stream), startOf(stream)),
  ...checkAsset(stream),
  checkDate('startTime', stream.start_time),
  ...(stream.end_time === null ? [] : [checkDate('endTime', stream.end_time)]),
  {
    check: 'totalAmount',
    ok: stream.total_amount % perInterval(stream) === 0n,
    detail: `${stream.total_amount} must be a whole number of intervals of ${perInterval(stream)}`,
  },
];

/** Where the covenant stands by its thread, with what is left as its pool in either asset. */
const balanceOf = (stream: StreamRecord, { commitment }: ThreadPointer): RecurringBalance => ({
  ...readRecurringState(commitment),
  pool: remainingPool(stream),
});

const figures = (stream: StreamRecord, now: number): Figures => {
  if (stream.thread === null) return { vested: stream.withdrawn_amount, claimable: 0n, nextUnlock: null };
  const balance = balanceOf(stream, stream.thread);
  const claimable = BigInt(settledPeriods(termsOf(stream), balance, now)) * perInterval(stream);
  return {
    vested: stream.withdrawn_amount + claimable,
    claimable,
    nextUnlock: nextUnlock(termsOf(stream), balance, now),
  };
};

/** How much later the next interval falls due than was agreed, seconds. */
const shiftOf = (stream: StreamRecord, { nextDue, paid }: RecurringObserved['state']): number =>
  nextDue - (startOf(stream).firstDue + paid * termsOf(stream).intervalSeconds);

const observeMove = (
  stream: StreamRecord,
  chain: ChainTransaction,
  network: Network,
): Observed<StreamRecord> => {
  const { thread } = stream;
  if (thread === null) return { record: stream, moves: [] };
  const held = remainingPool(stream);
  const observed = observeRecurring({ terms: termsOf(stream), network }, { thread, pool: held }, chain);
  const before = readRecurringState(thread.commitment);
  const paid = BigInt(observed.state.paid - before.paid) * perInterval(stream);
  const isRefill = observed.moves.some(({ type }) => type === 'refilled');
  const isCancelled = observed.status === 'CANCELLED';
  const changes: Partial<StreamRecord> = {
    status: observed.status,
    thread: observed.thread,
    withdrawn_amount: stream.withdrawn_amount + paid,
    returned_amount: isCancelled ? held - paid : 0n,
    refilled_amount: stream.refilled_amount + (isRefill ? observed.state.pool - held : 0n),
    shift_seconds: shiftOf(stream, observed.state),
    paused_at: observed.status === 'PAUSED' ? (stream.paused_at ?? chain.transaction.locktime) : null,
  };
  const { recipient } = stream;
  const payout = paid === 0n ? {} : payoutDetails(recipient, recipient, paid);
  // The end by the last claim, before the claim itself.
  const completed = {
    type: 'completed',
    actorLock: parseAddress(recipient).lockingBytecode,
    amount: stream.withdrawn_amount + paid,
  };
  return moved(stream, chain, changes, [
    ...(observed.status === 'COMPLETED' ? [completed] : []),
    ...observed.moves.map(({ amount, details, ...move }) => ({
      ...move,
      amount: isCancelled ? held - paid : amount,
      details: { ...details, ...payout },
    })),
  ]);
};

const spendOf = ({ record: stream, ...spend }: StreamSpend): RecurringSpend => {
  if (stream.thread === null) throw new Error(`${stream.stream_id} has no thread to spend`);
  return { ...spend, terms: termsOf(stream), thread: stream.thread };
};

const periodsIn = (stream: StreamRecord, amount: bigint): number => Number(amount / perInterval(stream));

/** RECURRING: a payment each interval. */
export const recurring: StreamKind = {
  contractType: 'RecurringPayment',
  artifact: 'recurring-payment',
  contract: (stream, network) => recurringContract(termsOf(stream), network),
  checkTerms,
  genesis: (stream, network) => recurringGenesis(termsOf(stream), startOf(stream), network),
  figures,
  observeMove,
  buildClaim: (spend, { amount, to }) =>
    buildRecurringClaim(spendOf(spend), { periods: periodsIn(spend.record, amount), to }),
  buildPause: (spend, witness) => buildRecurringPause(spendOf(spend), witness),
  buildResume: (spend) => buildRecurringResume(spendOf(spend)),
  buildCancel: (spend, witness) => buildRecurringCancel(spendOf(spend), witness),
  buildTransfer: null,
  buildRefill: (spend, amount) =>
    buildRecurringRefill(spendOf(spend), { periods: periodsIn(spend.record, amount) }),
  isState: (commitment) => recurringState.decode(commitment) !== null,
  stray: (stream, stray, network) =>
    recurringStray(termsOf(stream), { label: stream.stream_id, decimals: stream.decimals }, stray, network),
  pausePays: true,
};
