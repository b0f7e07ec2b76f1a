/** What status, terms and time forbid of a push. */
import { firstWhere, inState, type Broken } from './rule-faults.js';
import { attemptAt, type Scene } from './scene.js';

type Pushable = { readonly status: number };

/** A second before so much is due that it may be pushed: nothing then, or too little. */
const early = <Terms extends { readonly least: bigint }, State>(
  scene: Scene<Terms, State>,
): Broken<State>[] => {
  const { terms, covenant, now } = scene;
  const dueAt = (time: number): bigint => attemptAt(scene, 'push', 'all', time).pays[0]?.amount ?? 0n;
  const first = firstWhere(covenant.span.from - 1, now, (time) => dueAt(time) >= terms.least);
  if (first === null || first <= covenant.span.from) return [];
  const at = first - 1;
  const attempt = attemptAt(scene, 'push', 'all', at);
  // The last push may be below the minimum.
  if (attempt.after === null) return [];
  return [
    {
      name: 'a second before the minimum is due',
      invariant: 'I3',
      refusedBy: dueAt(at) > 0n ? 'the amount is not below the minimum' : 'the amount is positive',
      at,
      attempt,
    },
  ];
};

/**
 * Pushes that are forbidden whatever they pay.
 *
 * @param paused the scene's state, paused a moment ago
 */
export const pushRules = <Terms extends { readonly least: bigint }, State extends Pushable>(
  scene: Scene<Terms, State>,
  { noun, paused }: { readonly noun: string; readonly paused: State },
): Broken<State>[] => {
  const isPaused = scene.state.status === 1;
  const stopped = inState(scene, isPaused ? scene.state : paused, 'push', {
    name: 'of what stands still',
    invariant: 'I6',
    refusedBy: `the ${noun} is active`,
  });
  if (isPaused) return [stopped];
  if (scene.terms.least > 0n) return [stopped, ...early(scene)];
  const unasked = inState(scene, scene.state, 'push', {
    name: 'of what nobody may push',
    invariant: 'I7',
    refusedBy: `the ${noun} can be pushed`,
  });
  return [stopped, unasked];
};
