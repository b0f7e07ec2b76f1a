/** What may have been meant by a name that is none. It is only ever said, and never taken. */
import { distance } from 'fastest-levenshtein';

/** The name that is most like one that is none; null when nothing is. Case does not count. */
export const nearestName = (name: string, known: readonly string[]): string | null => {
  const [best] = known
    .map((candidate) => ({ candidate, steps: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps);
  return best !== undefined && best.steps <= Math.max(2, name.length / 3) ? best.candidate : null;
};
