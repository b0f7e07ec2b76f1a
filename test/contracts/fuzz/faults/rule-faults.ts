/** What the terms of a product forbid: each move as its model makes it, state and pool consistent with what it asks for. */
import type { Asked, Attempt } from '../../invariants/covenant.js';
import type { Invariant } from '../../invariants/oracle.js';
import { changeOutput, type Spend } from '../../harness/spend.js';
import { fit, type Fault } from './fault.js';
import { attemptAt, buildMove, thief, type Scene } from './scene.js';

/** A rule broken by an attempt. */
export type Broken<State> = {
  readonly name: string;
  readonly invariant: Invariant;
  readonly refusedBy: string;
  readonly attempt: Attempt<State>;
  /** Its locktime; the scene's now when absent. */
  readonly at?: number;
  /** The scene that it is tried in, where it is another. */
  readonly state?: State;
  readonly change?: (spend: Spend) => Spend;
};

/** Below what nodes relay, nothing else would be right with a thread. */
const LEAST_THREAD = 801n;

/**
 * A pool cannot be below nothing, but a coin can hold less than the dust beside its thread: a BCH thread keeps what it
 * held, less what is paid, for as long as that can be an output.
 */
const keepExact = <State>(
  spend: Spend,
  { after, pays, adds, opens }: Attempt<State>,
  asset: string,
): Spend => {
  const before = spend.inputs[0]?.coin.valueSatoshis ?? 0n;
  const paid = pays.reduce((sum, { amount }) => sum + (amount > 0n ? amount : 0n), 0n);
  const valueSatoshis = before - paid + adds;
  if (asset !== 'BCH' || !opens || after === null || valueSatoshis < LEAST_THREAD) return spend;
  return fit(changeOutput(spend, 0, { valueSatoshis }), thief);
};

/** The fault that a broken rule is in a scene. */
export const toFault = <Terms, State>(
  scene: Scene<Terms, State>,
  { name, invariant, refusedBy, attempt, at, state, change = (spend) => spend }: Broken<State>,
): Fault => {
  const there = state === undefined ? scene : { ...scene, state };
  const spend = keepExact(buildMove(there, attempt, at), attempt, scene.covenant.asset);
  return { name, invariant, refusedBy, spend: change(spend) };
};

/** A call in another state, with everything that follows from that state. */
export const inState = <Terms, State>(
  scene: Scene<Terms, State>,
  state: State,
  call: string,
  broken: Pick<Broken<State>, 'name' | 'invariant' | 'refusedBy'> & { readonly asked?: Asked },
): Broken<State> => {
  const { asked = 'all', ...rest } = broken;
  return { ...rest, state, attempt: attemptAt({ ...scene, state }, call, asked) };
};

/** A call as of another time, with everything that follows from that time. */
export const asOf = <Terms, State>(
  scene: Scene<Terms, State>,
  at: number,
  call: string,
  broken: Pick<Broken<State>, 'name' | 'invariant' | 'refusedBy'>,
): Broken<State> => ({ ...broken, at, attempt: attemptAt(scene, call, 'all', at) });

/** A block height where a locktime is a time. */
export const HEIGHT = 900_000;

/** The first integer in (from, to] for which something holds that goes on to hold; null when it does not hold at `to`. */
export const firstWhere = (from: number, to: number, holds: (value: number) => boolean): number | null => {
  if (!holds(to)) return null;
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
};
