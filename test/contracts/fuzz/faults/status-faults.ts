/** What status, flags and time forbid of every covenant that can be paused and cancelled. */
import { asOf, HEIGHT, inState, type Broken } from './rule-faults.js';
import type { Scene } from './scene.js';

type Pausable = { readonly status: number; readonly flags: number };

const CANCELABLE = 1;

const flagless = <Terms, State extends Pausable>(
  scene: Scene<Terms, State>,
  call: string,
  noun: string,
): Broken<State> =>
  inState(scene, { ...scene.state, flags: scene.state.flags & ~CANCELABLE }, call, {
    name: `of a ${noun} that nobody may stop`,
    invariant: 'I7',
    refusedBy: `the ${noun} is cancelable`,
  });

const atHeight = <Terms, State extends Pausable>(scene: Scene<Terms, State>, call: string): Broken<State> =>
  asOf(scene, HEIGHT, call, {
    name: 'as of a block height',
    invariant: 'I3',
    refusedBy: 'the locktime is a time',
  });

/**
 * Pause, resume, cancel and push in the wrong status, without the flag, or as of a time that is none.
 *
 * @param paused the scene's state, paused a moment ago
 * @param active the scene's state, as if it had never been paused
 */
export const statusRules = <Terms, State extends Pausable>(
  scene: Scene<Terms, State>,
  call: string,
  { noun, paused, active }: { readonly noun: string; readonly paused: State; readonly active: State },
): Broken<State>[] => {
  const isPaused = scene.state.status === 1;
  if (call === 'pause')
    return [
      inState(scene, isPaused ? scene.state : paused, call, {
        name: 'what stands still already',
        invariant: 'I6',
        refusedBy: `the ${noun} is active`,
      }),
      ...(isPaused ? [] : [flagless(scene, call, noun), atHeight(scene, call)]),
    ];
  if (call === 'push')
    return [
      inState(scene, isPaused ? scene.state : paused, call, {
        name: 'what stands still',
        invariant: 'I6',
        refusedBy: `the ${noun} is active`,
      }),
    ];
  if (call === 'cancel') return [flagless(scene, call, noun), atHeight(scene, call)];
  return [
    inState(scene, active, call, {
      name: 'what does not stand still',
      invariant: 'I6',
      refusedBy: `the ${noun} is paused`,
    }),
  ];
};
