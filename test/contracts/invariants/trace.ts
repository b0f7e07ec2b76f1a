/** Random moves over time on one covenant and on a sibling in the same batch, in the virtual machine. */
import fc from 'fast-check';
import type { Covenant, Order, Position } from './covenant.js';
import { ASKED, fundingOf, spendOf, type Attempt } from './covenant.js';
import { anyBudgetTerms, budgetCovenant } from './budget-model.js';
import { anyCampaignTerms, campaignCovenant } from './campaign-model.js';
import { emptyChain, submit, waitUntil, type Accepted, type Chain } from './chain.js';
import { reserveOf } from '../harness/coins.js';
import type { Output, Spend } from '../harness/spend.js';
import { anyPaymentTerms, paymentCovenant } from './payment-model.js';
import { anyStreamTerms, streamCovenant } from './stream-model.js';

/** Some time, then a move. */
export type Step = {
  /** Up to a second at which something changes (-1, 0 or 1 seconds beside it), or a share of the span. */
  readonly wait: { readonly boundary: number; readonly beside: number } | { readonly share: number };
  /** Seconds by which the locktime is behind the chain's now. Only where nobody witnesses the time. */
  readonly lag: number;
  readonly order: Order;
};

/** A step that was tried. */
export type Tried<State> = {
  readonly attempt: Attempt<State>;
  readonly spend: Spend;
  /** `accepted`, or what refused it. */
  readonly verdict: string;
  readonly accepted: Accepted | null;
  /** The chain before, its time already that of the attempt. */
  readonly chain: Chain;
  readonly before: Position<State>;
  readonly after: Position<State>;
  readonly chainAfter: Chain;
};

/** A covenant, how it was funded, and all that was tried. */
export type Trace<State> = {
  readonly covenant: Covenant<State>;
  /** Another of the same terms, funded in the same transaction, which never moves. */
  readonly sibling: Covenant<State>;
  readonly funding: Accepted;
  readonly start: { readonly chain: Chain; readonly position: Position<State> };
  readonly tried: readonly Tried<State>[];
};

const isAtLock = (output: Output, lock: Uint8Array): boolean =>
  Buffer.compare(output.lockingBytecode, lock) === 0;

/** Which outputs the chain of a trace remembers: threads and reserves of its covenants. */
const remembered =
  (covenants: readonly { readonly contract: Covenant<unknown>['contract'] }[], category: string) =>
  (output: Output): boolean =>
    covenants.some(
      ({ contract }) =>
        isAtLock(output, contract.lock) || isAtLock(output, reserveOf(contract, category).lock),
    );

const waitFor = <State>(
  chain: Chain,
  { span, boundaries }: Covenant<State>,
  state: State,
  { wait }: Step,
): Chain => {
  if ('share' in wait) {
    const seconds = Math.floor(((span.to - span.from) * wait.share) / 1_000) + 1;
    return waitUntil(chain, chain.medianTime + seconds);
  }
  const known = boundaries(state);
  const at = known[wait.boundary % known.length] ?? 0;
  // A locktime is below the median time, so chain now is the second before it.
  return waitUntil(chain, at + wait.beside + 1);
};

const tryStep = <State>(
  covenant: Covenant<State>,
  [chain, before]: readonly [Chain, Position<State>],
  step: Step,
  isOurs: (output: Output) => boolean,
): Tried<State> => {
  const later = waitFor(chain, covenant, before.state, step);
  const now = later.medianTime - 1;
  const { order } = step;
  const witnessed = covenant.attempt(before.state, order, now).isWitnessed;
  const locktime = witnessed ? now : now - step.lag;
  const attempt = covenant.attempt(before.state, order, locktime);
  const spend = spendOf(later, covenant, before, attempt, locktime);
  const { chain: chainAfter, accepted, verdict } = submit(later, spend, isOurs);
  const after: Position<State> =
    accepted === null
      ? before
      : {
          ...before,
          thread: attempt.after === null ? null : { txid: accepted.txid, vout: 0 },
          state: attempt.after ?? before.state,
        };
  return { attempt, spend, verdict, accepted, chain: later, before, after, chainAfter };
};

/** Funds a covenant (and its sibling, unless it is to be alone), and tries the steps until it has ended. */
export const runTrace = <State>(
  covenant: Covenant<State>,
  sibling: Covenant<State>,
  steps: readonly Step[],
  isAlone = false,
): Trace<State> => {
  const empty = emptyChain(covenant.span.from - 100);
  const { spend, category } = fundingOf(
    empty,
    (isAlone ? [covenant] : [covenant, sibling]) as unknown as Covenant<never>[],
  );
  const isOurs = remembered([covenant, sibling], category);
  const funded = submit(empty, spend, isOurs);
  if (funded.accepted === null) throw new Error(`not funded: ${funded.verdict}`);
  const thread = { txid: funded.accepted.txid, vout: 0 };
  const position: Position<State> = { category, thread, state: covenant.first };
  const tried: Tried<State>[] = [];
  let here = [funded.chain, position] as const;
  for (const step of steps) {
    if (here[1].thread === null) break;
    const next = tryStep(covenant, here, step, isOurs);
    tried.push(next);
    here = [next.chainAfter, next.after];
  }
  return { covenant, sibling, funding: funded.accepted, start: { chain: funded.chain, position }, tried };
};

/** Steps of a trace, each a call of those that there are. */
export const anyStep = (calls: readonly string[]): fc.Arbitrary<Step> =>
  fc.record({
    wait: fc.oneof(
      fc.record({ boundary: fc.nat({ max: 11 }), beside: fc.integer({ min: -1, max: 1 }) }),
      fc.record({ share: fc.oneof(fc.constantFrom(0, 1_000), fc.nat({ max: 400 })) }),
    ),
    lag: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 2_000 }) }),
    order: fc.record({
      call: fc.constantFrom(...calls),
      asked: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom('all', 'part') },
        { weight: 1, arbitrary: fc.constantFrom(...ASKED) },
      ),
      share: fc.nat({ max: 999 }),
    }),
  });

/** What a trace is made of. */
export type Story<Terms> = { readonly terms: Terms; readonly steps: readonly Step[] };

const anyStoryOf = <Terms extends { readonly id: Uint8Array }, State>(
  anyTerms: fc.Arbitrary<Terms>,
  make: (terms: Terms) => Covenant<State>,
  length: number,
): fc.Arbitrary<Story<Terms>> => {
  const calls = fc.sample(anyTerms, { numRuns: 1, seed: 1 }).flatMap((terms) => make(terms).calls);
  return fc.record({
    terms: anyTerms,
    steps: fc.array(anyStep(calls), { minLength: length, maxLength: length }),
  });
};

const otherId = (id: Uint8Array): Uint8Array => id.map((byte) => byte ^ 0xff);

const traceOf =
  <Terms extends { readonly id: Uint8Array }, State>(make: (terms: Terms) => Covenant<State>) =>
  ({ terms, steps }: Story<Terms>, isAlone = false): Trace<State> =>
    runTrace(make(terms), make({ ...terms, id: otherId(terms.id) }), steps, isAlone);

const LENGTH = 10;

/** How the traces of a product come about: what they are made of, and the trace that it makes. */
export type Product<Terms, State> = {
  readonly anyStory: fc.Arbitrary<Story<Terms>>;
  /** Alone: its sibling is not funded with it. */
  readonly run: (story: Story<Terms>, isAlone?: boolean) => Trace<State>;
};

/** Traces of random terms of a kind. */
export const productOf = <Terms extends { readonly id: Uint8Array }, State>(
  anyTerms: fc.Arbitrary<Terms>,
  make: (terms: Terms) => Covenant<State>,
): Product<Terms, State> => ({ anyStory: anyStoryOf(anyTerms, make, LENGTH), run: traceOf(make) });

export const PRODUCTS = {
  'reward-campaign': productOf(anyCampaignTerms, campaignCovenant),
  'budget-plan': productOf(anyBudgetTerms, budgetCovenant),
  stream: productOf(anyStreamTerms, streamCovenant),
  'recurring-payment': productOf(anyPaymentTerms, paymentCovenant),
} as const;
export type ProductName = keyof typeof PRODUCTS;
