/**
 * What colours mean, everywhere: green is well and under way, yellow waits for somebody, cyan stands still on purpose, red is
 * wrong, dim is over. They repeat what the words say.
 */
import type { Tone } from '../operation/define.js';

const WORDS: Readonly<Record<Tone, readonly string[]>> = {
  green: [
    ...['active', 'funded', 'locked', 'passed', 'operational', 'verified', 'ok', 'good', 'paid', 'released'],
    ...['confirmed', 'safe', 'match', 'works'],
  ],
  yellow: [
    ...['pending', 'ready', 'due', 'releasable', 'degraded', 'unfunded', 'not funded', 'seen', 'waits'],
    'due, not funded',
  ],
  cyan: ['paused', 'maintenance'],
  red: [
    'damaged',
    'gone',
    'mismatch',
    'mismatched',
    'outage',
    'fail',
    'failed',
    'refused',
    'rejected',
    'lost',
  ],
  dim: [
    ...[
      'completed',
      'cancelled',
      'spent',
      'unlocked',
      'returned',
      'expired',
      'unknown',
      'said',
      'not probed',
    ],
    'ended',
  ],
};

const TONES: ReadonlyMap<string, Tone> = new Map(
  Object.entries(WORDS).flatMap(([tone, words]) => words.map((word) => [word, tone as Tone] as const)),
);

/** The colour of a state, by its word in any case and after a sign of its own (`+ operational`); undefined: none. */
export const toneOf = (state: string): Tone | undefined =>
  TONES.get(
    state
      .replace(/^(?:[^\p{L}]+|x )/u, '')
      .trim()
      .toLowerCase(),
  );
