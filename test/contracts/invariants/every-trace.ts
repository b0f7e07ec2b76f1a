/** The traces that several invariants are held against: the same seeds, the same traces, each run once. */
import fc from 'fast-check';
import { atLength } from '../../at-length.js';
import { judge, type Violation } from './oracle.js';
import { PRODUCTS, type ProductName, type Trace, type Tried } from './trace.js';
import { rowsOf, watch } from './world.js';

const SEED = 20_261_121;

/** A state of whatever product: the fields that the invariants ask for. */
export type AnyState = {
  readonly status: number;
  readonly pausedAt?: number;
  readonly distributed?: bigint;
};
export type AnyTrace = Trace<AnyState> & { readonly product: ProductName; readonly terms: unknown };
export type AnyTried = Tried<AnyState>;

type AnyProduct = {
  readonly anyStory: fc.Arbitrary<{ readonly terms: unknown }>;
  readonly run: (story: unknown) => Trace<AnyState>;
};

const traces = new Map<string, AnyTrace>();

const keyOf = (story: unknown): string =>
  JSON.stringify(story, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));

/** Holds a property against traces of a product; the same seed gives every property the same traces. */
export const everyTrace = (
  product: ProductName,
  property: (trace: AnyTrace) => void,
  numRuns = atLength(25, 8),
): void => {
  const { anyStory, run } = PRODUCTS[product] as unknown as AnyProduct;
  fc.assert(
    fc.property(anyStory, (story) => {
      const key = `${product} ${keyOf(story)}`;
      const trace = traces.get(key) ?? { ...run(story), product, terms: story.terms };
      traces.set(key, trace);
      property(trace);
    }),
    { seed: SEED, numRuns },
  );
};

export const PRODUCT_NAMES = Object.keys(PRODUCTS) as ProductName[];

/** Those that hold what vests or falls due: they can be paused and cancelled with something owed. */
export const SCHEDULED = PRODUCT_NAMES.filter((name) => name !== 'reward-campaign');

/** The moves that the chain accepted. */
export const acceptedIn = ({ tried }: AnyTrace): AnyTried[] =>
  tried.filter(({ accepted }) => accepted !== null);

/** What a cancellation would pay at a time: what is owed to the recipient, and what the sender takes back. */
export const splitAt = (
  { covenant }: AnyTrace,
  state: AnyState,
  now: number,
): { readonly owed: bigint; readonly back: bigint } => {
  const { pays } = covenant.attempt(state, { call: 'cancel', asked: 'all', share: 0 }, now);
  return { owed: pays[0]?.amount ?? 0n, back: pays[1]?.amount ?? 0n };
};

/** What the oracle says of an accepted move. */
export const faultsOf = (
  { product, terms, covenant, sibling }: AnyTrace,
  { accepted, spend, chain, before }: AnyTried,
): Violation[] => {
  if (accepted === null) throw new Error('it was refused');
  const rows = rowsOf(product, terms);
  const watched = [covenant, sibling].map((each, index) =>
    watch(each, { name: `${product} ${index + 1}`, category: before.category, rows, chain }),
  );
  return judge(watched, {
    spend,
    built: accepted.built,
    now: chain.medianTime - 1,
    isWitnessHonest: true,
  });
};
