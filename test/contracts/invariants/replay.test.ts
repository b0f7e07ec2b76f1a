/** I12: what the products read back from the chain is what the model did, step by step and in one go. */
import { binToHex } from '@bitauth/libauth';
import test from 'ava';
import fc from 'fast-check';
import {
  fromLibauthOutput,
  fromLibauthTransaction,
  type ChainTransaction,
} from '../../../src/bch/transaction.js';
import { refold, type Followed, type Move } from '../../../src/covenant/follow.js';
import type { PlanRecord } from '../../../src/products/budgets/plan.js';
import { plans as planProduct } from '../../../src/products/budgets/product.js';
import { payments as product } from '../../../src/products/payments/product.js';
import { INTERVAL_SECONDS, type PaymentRecord } from '../../../src/products/payments/payment.js';
import { upfrontPeriods } from '../../../src/covenant/recurring/rules.js';
import type { CampaignRecord } from '../../../src/products/rewards/campaign.js';
import { campaigns as rewards } from '../../../src/products/rewards/product.js';
import type { StreamRecord } from '../../../src/products/streams/stream.js';
import { streams as streamProduct } from '../../../src/products/streams/product.js';
import { onChain, scriptedChain } from '../../covenant/scripted-chain.js';
import { atLength } from '../../at-length.js';
import { outsider, recipient } from '../harness/parties.js';
import type { BudgetState, BudgetTerms } from './budget-model.js';
import type { CampaignState, CampaignTerms } from './campaign-model.js';
import { elapsedMilestone } from './exact.js';
import type { Accepted } from './chain.js';
import { anyPaymentTerms, paymentCovenant, type PaymentState, type PaymentTerms } from './payment-model.js';
import type { StreamState, StreamTerms } from './stream-model.js';
import { addressOf, campaignRecord, paymentRecord, planRecord, streamRecord } from './records.js';
import { productOf, PRODUCTS, type Product, type Trace, type Tried } from './trace.js';

const SEED = 20_261_121;
const RUNS = atLength(15, 5);

type Folding<Terms, State, R> = {
  readonly product: Product<Terms, State>;
  readonly followed: Followed<R>;
  /** The record before its funding. */
  readonly pending: (terms: Terms) => R;
  /** What the record must say after a move. `before` is what it said before it. */
  readonly expected: (before: R, tried: Tried<State>, terms: Terms) => Partial<R>;
  /** The names of the events of a move: the last is what was done. */
  readonly events: Readonly<Record<string, string>>;
};

const chainTransactionOf = ({ built, medianTime }: Accepted, index: number): ChainTransaction => ({
  transaction: fromLibauthTransaction(built.transaction),
  height: index,
  blockTime: medianTime,
});

const spentBy = ({ spend }: Accepted) => spend.inputs.map(({ coin }) => fromLibauthOutput(coin));

const fundingIn = <State>({ funding }: Trace<State>): Accepted => funding;

/** Compares the fields that are expected; a difference names itself. */
const compare = (what: string, found: object, expected: object): void => {
  const record = found as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(expected)) {
    const [is, wanted] = [record[name], value as unknown];
    if (JSON.stringify(is, show) !== JSON.stringify(wanted, show))
      throw new Error(`${what}: ${name} is ${JSON.stringify(is, show)}, not ${JSON.stringify(wanted, show)}`);
  }
};
const show = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);

/** Folds a trace move by move, and holds each record against the model. */
const foldTrace = async <Terms, State, R>(
  { followed, expected, pending, events }: Folding<Terms, State, R>,
  terms: Terms,
  trace: Trace<State>,
): Promise<{ readonly record: R; readonly moves: readonly Move[] }> => {
  const lock = followed.lockingBytecode(pending(terms));
  if (lock !== binToHex(trace.covenant.contract.lock)) throw new Error('the product has another address');
  const funding = fundingIn(trace);
  const funded = await followed.observeFunding(
    pending(terms),
    chainTransactionOf(funding, 1),
    spentBy(funding),
  );
  if (funded === null) throw new Error('the product does not know its funding');
  let { record } = funded;
  const moves = [...funded.moves];
  for (const tried of trace.tried) {
    if (tried.accepted === null) continue;
    const { attempt, after } = tried;
    const observed = followed.observeMove(record, chainTransactionOf(tried.accepted, moves.length));
    const thread = followed.thread(observed.record);
    if ((thread === null) !== (after.thread === null)) throw new Error(`${attempt.call}: the thread`);
    if (thread !== null) {
      const commitment = trace.covenant.encode(after.state);
      compare(attempt.call, thread, { ...after.thread, category: after.category, commitment });
    }
    compare(attempt.call, observed.record as object, expected(record, tried, terms));
    const named = observed.moves.map(({ type }) => type);
    if (!named.includes(events[attempt.call] ?? ''))
      throw new Error(`${attempt.call} is told as ${named.join()}`);
    record = observed.record;
    moves.push(...observed.moves);
  }
  return { record, moves };
};

/** The same from the chain's history, which comes in another order. */
const refoldTrace = async <Terms, State, R>(
  { followed, pending }: Folding<Terms, State, R>,
  terms: Terms,
  trace: Trace<State>,
) => {
  const chain = scriptedChain();
  const accepted = trace.tried.flatMap(({ accepted: found }) => (found === null ? [] : [found]));
  const transactions = [fundingIn(trace), ...accepted].map(({ built }) =>
    fromLibauthTransaction(built.transaction),
  );
  for (const transaction of transactions.toReversed()) chain.add(transaction);
  // The wallets' coins that pay: what a funding spends must be known, for whose it is counts.
  const sources = spentBy(fundingIn(trace));
  const reader = {
    ...chain,
    transaction: async (txid: string) => {
      const found = await chain.transaction(txid);
      const at = transactions[0]?.inputs.findIndex((input) => input.txid === txid) ?? -1;
      const source = sources[at];
      if (found !== null || source === undefined) return found;
      return onChain({ txid, version: 2, locktime: 0, inputs: [], outputs: [source] });
    },
  };
  return refold(pending(terms), followed, reader);
};

const statusOf = ({ status }: { readonly status: number }): 'ACTIVE' | 'PAUSED' =>
  status === 1 ? 'PAUSED' : 'ACTIVE';
const paidBy = ({ attempt: { pays } }: { readonly attempt: Tried<unknown>['attempt'] }, index = 0): bigint =>
  pays[index]?.amount ?? 0n;

const campaigns: Folding<CampaignTerms, CampaignState, CampaignRecord> = {
  product: PRODUCTS['reward-campaign'],
  followed: rewards.followed('local'),
  pending: campaignRecord,
  events: { distribute: 'distribution', pause: 'paused', cancel: 'cancelled' },
  expected: (before, { after }) =>
    after.thread === null
      ? {
          status: 'CANCELLED',
          distributed_total: before.distributed_total,
          distributed_count: before.distributed_count,
        }
      : {
          status: statusOf(after.state),
          distributed_total: after.state.distributed,
          distributed_count: after.state.count,
        },
};

const plans: Folding<BudgetTerms, BudgetState, PlanRecord> = {
  product: PRODUCTS['budget-plan'],
  followed: planProduct.followed('local'),
  pending: planRecord,
  events: { release: 'released', push: 'released', pause: 'paused', resume: 'resumed', cancel: 'cancelled' },
  expected: (before, tried, { milestones }) => {
    const { after, spend, attempt } = tried;
    const released_amount =
      before.released_amount + (['release', 'push', 'cancel'].includes(attempt.call) ? paidBy(tried) : 0n);
    if (after.thread !== null) {
      const { current, anchor, pausedAt, status } = after.state;
      return {
        status: statusOf(after.state),
        current_milestone: current,
        released_amount,
        anchor,
        paused_at: status === 1 ? pausedAt : null,
      };
    }
    const { state } = tried.before;
    const time = state.status === 1 ? state.pausedAt : spend.locktime;
    return {
      status: attempt.call === 'cancel' ? 'CANCELLED' : 'COMPLETED',
      current_milestone:
        attempt.call === 'cancel' ? elapsedMilestone(milestones, state, time) : milestones.length,
      released_amount,
      paused_at: null,
    };
  },
};

const holderOf = (hash: string): string =>
  addressOf(hash === binToHex(recipient.hash) ? recipient : outsider);

const streams: Folding<StreamTerms, StreamState, StreamRecord> = {
  product: PRODUCTS.stream,
  followed: streamProduct.followed('local'),
  pending: streamRecord,
  events: {
    claim: 'claimed',
    push: 'claimed',
    transfer: 'transferred',
    pause: 'paused',
    resume: 'resumed',
    cancel: 'cancelled',
  },
  expected: (before, tried, { start }) => {
    const { after, attempt } = tried;
    const withdrawn_amount =
      before.withdrawn_amount + (['claim', 'push', 'cancel'].includes(attempt.call) ? paidBy(tried) : 0n);
    if (after.thread !== null) {
      const { state } = after;
      return {
        status: statusOf(state),
        withdrawn_amount,
        recipient: holderOf(state.recipient),
        shift_seconds: state.start - start,
        paused_at: state.status === 1 ? state.pausedAt : null,
      };
    }
    const isCancel = attempt.call === 'cancel';
    return {
      status: isCancel ? 'CANCELLED' : 'COMPLETED',
      withdrawn_amount,
      returned_amount: isCancel ? paidBy(tried, 1) : 0n,
      paused_at: null,
    };
  },
};

/** Terms whose interval has a name, funded as products fund. */
const anyNamedTerms: fc.Arbitrary<PaymentTerms> = fc
  .record({ terms: anyPaymentTerms, interval: fc.constantFrom(...Object.values(INTERVAL_SECONDS)) })
  .map(({ terms, interval }) => ({
    ...terms,
    interval,
    funded: upfrontPeriods(terms),
    flags: terms.flags | 4,
  }));

const payments: Folding<PaymentTerms, PaymentState, PaymentRecord> = {
  product: productOf(anyNamedTerms, paymentCovenant),
  followed: product.followed('local'),
  pending: paymentRecord,
  events: {
    claim: 'claimed',
    push: 'claimed',
    refill: 'refilled',
    pause: 'paused',
    resume: 'resumed',
    cancel: 'cancelled',
  },
  expected: (before, tried) => {
    const { after, attempt } = tried;
    const total_paid = before.total_paid + (attempt.call === 'refill' ? 0n : paidBy(tried));
    if (after.thread !== null) {
      const { state } = after;
      return {
        status: statusOf(state),
        next_payment_date: state.nextDue,
        payment_count: state.paid,
        pool: state.pool,
        total_paid,
      };
    }
    return {
      status: attempt.call === 'cancel' ? 'CANCELLED' : 'COMPLETED',
      next_payment_date: null,
      pool: 0n,
      total_paid,
    };
  },
};

const declare = <Terms, State, R>(name: string, folding: Folding<Terms, State, R>): void => {
  test(`I12 › ${name} › given any sequence of moves › the record is the model's, step by step and folded anew`, async (t) => {
    let moves = 0;
    await fc.assert(
      fc.asyncProperty(folding.product.anyStory, async (story) => {
        const trace = folding.product.run(story, true);
        const folded = await foldTrace(folding, story.terms, trace);
        moves += folded.moves.length;
        const again = await refoldTrace(folding, story.terms, trace);
        const { updated_at: _, ...expected } = folded.record as object & { readonly updated_at?: number };
        compare('folded anew', again.record as object, expected);
        const outline = (list: readonly Move[]) =>
          list.map(({ type, txHash, amount, actorLock, details }) => ({
            type,
            txHash,
            amount,
            actorLock,
            details,
          }));
        compare('the moves', { moves: outline(again.moves) }, { moves: outline(folded.moves) });
      }),
      { seed: SEED, numRuns: RUNS },
    );
    t.true(moves > RUNS * 2);
  });
};

declare('rewards', campaigns);
declare('budgets', plans);
declare('streams', streams);
declare('payments', payments);
