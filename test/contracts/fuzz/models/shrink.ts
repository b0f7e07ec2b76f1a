/** A difference made small: without the steps that it does not need, and as its base is wherever it can be. */
import type { Spend } from '../../harness/spend.js';
import { replaceAt } from '../mutation.js';
import { agree, compare, type Compared, type Off } from './compare.js';
import { spendOfDraw, type Draw } from './draw.js';

/** The first call of a spend of which the judges say different things. */
export const differenceIn = (spend: Spend, off: Off | null): Compared | null => {
  if (spend.inputs.length === 0 || spend.outputs.length === 0) return null;
  return compare(spend, off).find((compared) => !agree(compared)) ?? null;
};

/** The draw with as few steps as still differ. */
const withFewSteps = (draw: Draw, off: Off | null): Draw => {
  for (let at = 0; at < draw.steps.length; at += 1) {
    const fewer = { ...draw, steps: draw.steps.filter((_, index) => index !== at) };
    if (differenceIn(spendOfDraw(fewer).spend, off) !== null) return withFewSteps(fewer, off);
  }
  return draw;
};

/** A list with one item as another list has it, in turn; and without its last item. */
const nearer = <T>(list: readonly T[], other: readonly T[]): (readonly T[])[] => [
  ...list.flatMap((item, index) => {
    const wanted = other[index];
    return wanted === undefined || wanted === item ? [] : [replaceAt(list, index, wanted)];
  }),
  ...(list.length > other.length ? [list.slice(0, -1)] : []),
];

/** The spend as the base has it wherever it still differs. */
const towards = (spend: Spend, base: Spend, off: Off | null): Spend => {
  const tries: Spend[] = [
    ...(spend.locktime === base.locktime ? [] : [{ ...spend, locktime: base.locktime }]),
    ...nearer(spend.inputs, base.inputs).map((inputs) => ({ ...spend, inputs })),
    ...nearer(spend.outputs, base.outputs).map((outputs) => ({ ...spend, outputs })),
  ];
  const better = tries.find((tried) => differenceIn(tried, off) !== null);
  return better === undefined ? spend : towards(better, base, off);
};

/** The same difference, or another that is smaller. */
export const shrink = (
  draw: Draw,
  off: Off | null,
): { readonly spend: Spend; readonly names: readonly string[] } => {
  const few = withFewSteps(draw, off);
  const { spend, names } = spendOfDraw(few);
  return { spend: towards(spend, draw.base.spend, off), names };
};
