/**
 * RECURRING streams: the terms, the moves and the figures of the covenant that they share with recurring payments.
 *
 * A stream without an end is open (`periods` 0) and refillable; a fixed one is funded for its whole term.
 */
import { parseAddress, type Address } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import { moved, type Observed } from '../../covenant/follow.js';
import type { Finding } from '../../covenant/genesis.js';
import type { StrayThread } from '../../covenant/stray.js';
import type { ThreadPointer } from '../../covenant/thread.js';
import type { Witness } from '../../covenant/ticket.js';
import {
  checkRecurringTerms,
  recurringContract,
  type RecurringStart,
  type RecurringTerms,
} from '../../covenant/recurring/contract.js';
import { observeRecurring } from '../../covenant/recurring/observe.js';
import { nextUnlock, runwayEnd, settledPeriods } from '../../covenant/recurring/rules.js';
import { readRecurringState, recurringState } from '../../covenant/recurring/state.js';
import { recurringStray } from '../../covenant/recurring/stray.js';
import {
  buildRecurringCancel,
  buildRecurringClaim,
  buildRecurringPause,
  buildRecurringPush,
  buildRecurringRefill,
  buildRecurringResume,
  recurringGenesis,
  type RecurringSpend,
} from '../../covenant/recurring/transactions.js';
import { checkFrame } from './contract.js';
import { payoutDetails } from './observe.js';
import { remainingPool, type Figures } from './rules.js';
import type { StreamRecord } from './stream.js';
import type { ClaimOrder, StreamSpend } from './transactions.js';

/** Whole intervals that an amount pays. */
const periodsIn = ({ amount_per_interval: each }: StreamRecord, amount: bigint): number =>
  Number(amount / (each ?? 1n));

const termsOf = (stream: StreamRecord): RecurringTerms => ({
  artifactFingerprint: stream.artifact_fingerprint,
  onChainId: stream.on_chain_stream_id,
  sender: stream.sender,
  authorityPublicKey: stream.authority_pubkey,
  tokenCategory: stream.token_category,
  amountPerPeriod: stream.amount_per_interval ?? 1n,
  intervalSeconds: stream.interval_seconds ?? 1,
  periods: stream.end_time === null ? 0 : periodsIn(stream, stream.total_amount),
  pushMinimum: stream.push_minimum,
});

/** The first interval is paid at its end. */
const startOf = (stream: StreamRecord): RecurringStart => ({
  recipient: stream.first_recipient,
  firstDue: stream.start_time + termsOf(stream).intervalSeconds,
  funded: periodsIn(stream, stream.total_amount),
  cancelable: stream.cancelable,
  refillable: stream.refillable,
});

const checkTerms = (stream: StreamRecord): readonly Finding[] => {
  const { total_amount: total, amount_per_interval: each } = stream;
  return [
    ...checkRecurringTerms(termsOf(stream), startOf(stream)),
    ...checkFrame(stream),
    {
      check: 'totalAmount',
      ok: total % (each ?? 1n) === 0n,
      detail: `${total} must be a whole number of intervals of ${each ?? 1n}`,
    },
  ];
};

const threadOf = ({ stream_id: label, thread }: StreamRecord): ThreadPointer => {
  if (thread === null) throw new Error(`${label} has no thread to spend`);
  return thread;
};

const figures = (stream: StreamRecord, now: number): Figures => {
  const terms = termsOf(stream);
  const balance = { ...readRecurringState(threadOf(stream).commitment), pool: remainingPool(stream) };
  const claimable = BigInt(settledPeriods(terms, balance, now)) * terms.amountPerPeriod;
  const vested = stream.withdrawn_amount + claimable;
  return { vested, claimable, nextUnlock: nextUnlock(terms, balance, now) };
};

const observeMove = (
  stream: StreamRecord,
  chain: ChainTransaction,
  network: Network,
): Observed<StreamRecord> => {
  const [terms, thread, held] = [termsOf(stream), threadOf(stream), remainingPool(stream)];
  const { status, state, ...observed } = observeRecurring({ terms, network }, { thread, pool: held }, chain);
  const paid = BigInt(state.paid - readRecurringState(thread.commitment).paid) * terms.amountPerPeriod;
  const isRefill = observed.moves.some(({ type }) => type === 'refilled');
  const isCancelled = status === 'CANCELLED';
  const { recipient, withdrawn_amount: withdrawn } = stream;
  const changes: Partial<StreamRecord> = {
    status,
    thread: observed.thread,
    withdrawn_amount: withdrawn + paid,
    returned_amount: isCancelled ? held - paid : 0n,
    refilled_amount: stream.refilled_amount + (isRefill ? state.pool - held : 0n),
    // How much later the next interval falls due than was agreed.
    shift_seconds: state.nextDue - (startOf(stream).firstDue + state.paid * terms.intervalSeconds),
    paused_at: status === 'PAUSED' ? (stream.paused_at ?? chain.transaction.locktime) : null,
  };
  const payout = paid === 0n ? {} : payoutDetails(recipient, recipient, paid);
  const { lockingBytecode: actorLock } = parseAddress(recipient);
  return moved(stream, chain, changes, [
    // The end by the last claim, before the claim itself.
    ...(status === 'COMPLETED' ? [{ type: 'completed', actorLock, amount: withdrawn + paid }] : []),
    ...observed.moves.map(({ amount, details, ...move }) => ({
      ...move,
      amount: isCancelled ? held - paid : amount,
      details: { ...details, ...payout },
    })),
  ]);
};

const spendOf = ({ record, ...spend }: StreamSpend): RecurringSpend => ({
  ...spend,
  terms: termsOf(record),
  thread: threadOf(record),
});

/** When what an open stream holds runs dry, unix seconds; null when it is dry already or stands still. */
export const runwayOf = (stream: StreamRecord): number | null =>
  runwayEnd(termsOf(stream), {
    ...readRecurringState(threadOf(stream).commitment),
    pool: remainingPool(stream),
  });

/** RECURRING: a payment each interval. */
export const recurring = {
  contractType: 'RecurringPayment',
  artifact: 'recurring-payment',
  contract: (stream: StreamRecord, network: Network) => recurringContract(termsOf(stream), network),
  checkTerms,
  genesis: (stream: StreamRecord, network: Network) =>
    recurringGenesis(termsOf(stream), startOf(stream), network),
  figures,
  observeMove,
  buildClaim: (spend: StreamSpend, { amount, to }: ClaimOrder) =>
    buildRecurringClaim(spendOf(spend), { periods: periodsIn(spend.record, amount), to }),
  buildPush: (spend: StreamSpend, payer: Address) => buildRecurringPush(spendOf(spend), payer),
  isAllVested: (stream: StreamRecord, vested: bigint) =>
    stream.end_time !== null && vested === stream.total_amount,
  buildPause: (spend: StreamSpend, witness: Witness) => buildRecurringPause(spendOf(spend), witness),
  buildResume: (spend: StreamSpend) => buildRecurringResume(spendOf(spend)),
  buildCancel: (spend: StreamSpend, witness: Witness) => buildRecurringCancel(spendOf(spend), witness),
  buildTransfer: null,
  buildRefill: (spend: StreamSpend, amount: bigint) =>
    buildRecurringRefill(spendOf(spend), { periods: periodsIn(spend.record, amount) }),
  isState: (commitment: string) => recurringState.decode(commitment) !== null,
  stray: (stream: StreamRecord, stray: StrayThread, network: Network) =>
    recurringStray(termsOf(stream), { label: stream.stream_id, decimals: stream.decimals }, stray, network),
  pausePays: true,
} as const;
