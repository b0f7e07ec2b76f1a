/** From a plan in which something is found to a short one in which it is found still. */
import { play, type Plan, type Played } from './play.js';

export type Shrunk = { readonly plan: Plan; readonly played: Played; readonly plays: number };

/**
 * Leaves out ever smaller parts of a plan for as long as the same check finds something.
 *
 * @param isTimeUp - asked before each play
 */
export const shrink = async (plan: Plan, check: string, isTimeUp: () => boolean): Promise<Shrunk | null> => {
  let best: Shrunk | null = null;
  let plays = 0;
  const attempt = async (entries: Plan['entries']): Promise<boolean> => {
    plays += 1;
    const smaller = { ...plan, entries };
    const played = await play(smaller);
    if (!played.findings.some((finding) => finding.check === check)) return false;
    best = { plan: smaller, played, plays };
    return true;
  };
  let { entries } = plan;
  for (let size = Math.ceil(entries.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = entries.length - size; start > -size; start -= size) {
      if (isTimeUp()) return best;
      const from = Math.max(0, start);
      const rest = [...entries.slice(0, from), ...entries.slice(start + size)];
      if (rest.length < entries.length && (await attempt(rest))) entries = rest;
    }
  }
  return best;
};
