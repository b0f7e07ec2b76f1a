/** A covenant in a state at a time: the setting in which one rule is broken. */
import type { Bound } from '../../harness/bound.js';
import { fungible, reserveOf, THREAD } from '../../harness/coins.js';
import { signers } from '../../harness/parties.js';
import { IN_FORCE, type Input, type Output, type Spend } from '../../harness/spend.js';
import { coinsAt, emptyChain, type Chain } from '../../invariants/chain.js';
import {
  spendOf,
  threadOf,
  type Asked,
  type Attempt,
  type Covenant,
  type Position,
} from '../../invariants/covenant.js';
import type { ProductName } from '../../invariants/trace.js';
import type { Random } from '../random.js';

export type Scene<Terms, State> = {
  readonly product: ProductName;
  readonly terms: Terms;
  readonly covenant: Covenant<State>;
  /** Another of the same terms, in the same state and category. */
  readonly sibling: Covenant<State>;
  readonly state: State;
  /** The last second that has passed. */
  readonly now: number;
};

/** Who is no party to anything. */
export const [thief] = signers;
export const CATEGORY = THREAD;

/** The reserve of a covenant's thread. */
export const reserveAt = ({ contract }: { readonly contract: Bound }): Bound => reserveOf(contract, CATEGORY);

const coinsOf = <State>(covenant: Covenant<State>, state: State): Output[] => {
  const left = covenant.remaining(state);
  const hasReserve = covenant.asset === 'tokens' && left > 0n;
  return [
    threadOf(covenant, state, CATEGORY),
    ...(hasReserve ? [fungible(reserveAt(covenant).lock, left)] : []),
  ];
};

const txidOf = (number: number): string => (number === 0 ? 'd4' : 'e5').repeat(32);

/** The chain on which covenant and sibling stand. */
export const chainOf = <Terms, State>({ covenant, sibling, state, now }: Scene<Terms, State>): Chain => {
  const coins = [covenant, sibling].flatMap((each, number) =>
    coinsOf(each, state).map((coin, vout) => [`${txidOf(number)}:${vout}`, coin] as const),
  );
  return { ...emptyChain(now + 1), coins: new Map(coins) };
};

const positionOf = <Terms, State>({ state }: Scene<Terms, State>, number: number): Position<State> => ({
  category: CATEGORY,
  thread: { txid: txidOf(number), vout: 0 },
  state,
});

/** The spend that tries an attempt: state, pool, payouts and change follow from it. `at` is its locktime. */
export const buildMove = <Terms, State>(
  scene: Scene<Terms, State>,
  attempt: Attempt<State>,
  at = scene.now,
): Spend => spendOf(chainOf(scene), scene.covenant, positionOf(scene, 0), attempt, at);

/** The same by the sibling. */
export const buildSibling = <Terms, State>(
  scene: Scene<Terms, State>,
  attempt: Attempt<State>,
  at = scene.now,
): Spend => spendOf(chainOf(scene), scene.sibling, positionOf(scene, 1), attempt, at);

/** The coins of the scene's reserve, to be spent. */
export const reserveInputs = <Terms, State>(scene: Scene<Terms, State>): Input[] => {
  const contract = reserveAt(scene.covenant);
  return coinsAt(chainOf(scene), contract.lock).map((coin): Input => ({
    ...coin,
    unlock: { contract, call: 'spend', args: [] },
    sequence: IN_FORCE,
  }));
};

/** What the model makes of a call. */
export const attemptAt = <Terms, State>(
  { covenant, state, now }: Scene<Terms, State>,
  call: string,
  asked: Asked = 'all',
  at = now,
): Attempt<State> => covenant.attempt(state, { call, asked, share: 0 }, at);

/** A move that the rules allow. */
export type Legit<State> = { readonly attempt: Attempt<State>; readonly spend: Spend };

const OWN_STEPS = 8;

/** Walks a covenant some allowed moves into its life. */
export const walk = <Terms, State>(
  first: Omit<Scene<Terms, State>, 'state' | 'now'>,
  random: Random,
): Scene<Terms, State> => {
  const { covenant } = first;
  const { from, to } = covenant.span;
  let { first: state } = covenant;
  let now = from - 1 + random.integer(3);
  const steps = random.integer(OWN_STEPS);
  for (let step = 0; step < steps; step += 1) {
    const boundary = random.pick(covenant.boundaries(state)) + random.integer(3) - 1;
    const share = now + random.integer(Math.max(Math.floor((to - from) / 4), 2));
    now = Math.max(now, random.once(2) ? boundary : share);
    const order = { call: random.pick(covenant.calls), asked: random.pick(['all', 'part'] as const) };
    const attempt = covenant.attempt(state, { ...order, share: random.integer(1_000) }, now);
    if (attempt.isAllowed && attempt.after !== null) state = attempt.after;
  }
  const end = random.once(4) ? to + random.integer(1_000) : now;
  return { ...first, state, now: Math.max(now, end) };
};
