/** Spends to compare: a base, and steps that change it, each drawn from a number of its own, so that any can be left out. */
import type { Base } from '../base.js';
import { MUTATIONS } from '../mutate.js';
import type { Mutation } from '../mutation.js';
import { randomFrom } from '../random.js';
import type { Spend } from '../../harness/spend.js';
import { CHANGES } from './changes.js';

/** A spend that is made anew from the numbers of its steps. */
export type Draw = { readonly base: Base; readonly steps: readonly number[] };

const EVERY: readonly (readonly [string, Mutation])[] = [...MUTATIONS, ...CHANGES];

/** The spend of a draw, and the names of its steps. */
export const spendOfDraw = ({ base, steps }: Draw): { readonly spend: Spend; readonly names: string[] } => {
  let { spend } = base;
  const names: string[] = [];
  for (const step of steps) {
    if (spend.inputs.length === 0 || spend.outputs.length === 0) break;
    const random = randomFrom(step);
    const [name, mutation] = random.pick(EVERY);
    spend = mutation(spend, base, random);
    names.push(name);
  }
  return { spend, names };
};
