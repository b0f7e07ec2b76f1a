/** One round of comparison: a world from its number, and every spend in it before the virtual machine and the models. */
import type { ArtifactName } from '../../../../src/covenant/artifact.js';
import type { Spend } from '../../harness/spend.js';
import { isSigning } from '../../harness/bound.js';
import type { Base } from '../base.js';
import { faultBasesOf } from '../faults/round.js';
import { randomFrom, type Random } from '../random.js';
import { basesOf, shown, WORLDS } from '../round.js';
import { termsOf, transactionOf } from './call.js';
import { agree, compare, refusedBy, type Compared, type Off } from './compare.js';
import { probesOf } from './changes.js';
import { spendOfDraw } from './draw.js';
import { differenceIn, shrink } from './shrink.js';

/** What was compared of a function. */
export type ModelCounts = {
  allowed: number;
  refused: number;
  differ: number;
  /** How often each rule of the model decided alone: with 0, nobody would have noticed had it not been there. */
  readonly rules: Map<string, number>;
};
/** Counts by `contract function`. */
export type ModelTally = Map<string, ModelCounts>;

/** A call of which the virtual machine and the model say different things, shrunk. */
export type Difference = {
  /** -1: of no round, but of the contracts' cases. */
  readonly round: number;
  readonly contract: ArtifactName;
  readonly call: string;
  /** Index of the input that calls. */
  readonly input: number;
  /** `allowed`, or the check that refuses. */
  readonly contractSays: string;
  readonly modelSays: string;
  readonly steps: readonly string[];
  readonly terms: unknown;
  /** Arguments; of a signature, who made it. */
  readonly args: unknown;
  readonly transaction: unknown;
};

/** How much a round compares. */
export type Extent = {
  /** Mutants of each base that the rules allow; of another one, a few. */
  readonly mutants: number;
  /** How many of the bases and faults, in percent. */
  readonly share: number;
  readonly off: Off | null;
};
export const WHOLE: Extent = { mutants: 24, share: 100, off: null };

/** A vault has a dozen moves of the same two functions. */
const VAULT_SHARE = 0.25;
const MUTANTS_OF_OTHERS = 2;
/** How many steps a mutant has: as often as it stands here. */
const STEPS = [1, 1, 1, 2, 2, 3] as const;

/** Counts what both said of a call. */
export const count = (tally: ModelTally, compared: Compared): void => {
  const { contract, call, isAllowed, met, decides } = compared;
  const label = `${contract} ${call}`;
  const counts = tally.get(label) ?? { allowed: 0, refused: 0, differ: 0, rules: new Map<string, number>() };
  tally.set(label, counts);
  if (!agree(compared)) counts.differ += 1;
  else counts[isAllowed ? 'allowed' : 'refused'] += 1;
  for (const rule of met) counts.rules.set(rule, (counts.rules.get(rule) ?? 0) + (rule === decides ? 1 : 0));
};

/** A difference as it is shown. */
export const told = (
  round: number,
  { spend, names }: { readonly spend: Spend; readonly names: readonly string[] },
  off: Off | null,
): Difference => {
  const found = differenceIn(spend, off);
  const unlock = spend.inputs[found?.input ?? 0]?.unlock;
  if (found === null || unlock === undefined || 'key' in unlock) throw new Error('there is no difference');
  const { contract, call, input, isAllowed, model } = found;
  return {
    round,
    contract,
    call,
    input,
    contractSays: isAllowed ? 'allowed' : `refused: ${refusedBy(spend, input)}`,
    modelSays: model.allowed ? 'allowed' : `refused: ${model.rule}`,
    steps: names,
    terms: shown(termsOf(unlock.contract)),
    args: unlock.args.map((argument) =>
      isSigning(argument) ? `${argument.sign.name} signs ${argument.hashType ?? ''}` : shown(argument),
    ),
    transaction: shown(transactionOf(spend)),
  };
};

/** A base itself, mutants of it, and what chance meets too seldom. */
const compareBase = (
  base: Base,
  random: Random,
  { mutants, off }: Extent,
  seen: (spend: Spend, difference: () => ReturnType<typeof shrink>) => void,
): void => {
  const most = base.isValid ? mutants : Math.min(mutants, MUTANTS_OF_OTHERS);
  for (let number = 0; number <= most; number += 1) {
    const length = number === 0 ? 0 : random.pick(STEPS);
    const draw = { base, steps: Array.from({ length }, () => random.integer(2 ** 32)) };
    seen(spendOfDraw(draw).spend, () => shrink(draw, off));
  }
  if (!base.isValid) return;
  for (const { name, spend } of probesOf(base.spend)) seen(spend, () => ({ spend, names: [name] }));
};

/** Runs a round, counts it, and returns where the judges differ. */
export const modelRound = (
  [seed, round]: readonly [number, number],
  tally: ModelTally,
  extent: Extent = WHOLE,
): Difference[] => {
  const random = randomFrom(seed, round, 2);
  const world = WORLDS[round % WORLDS.length] ?? 'stream';
  const found: Difference[] = [];
  const { off } = extent;
  const seen = (spend: Spend, small: () => ReturnType<typeof shrink>): void => {
    if (spend.inputs.length === 0 || spend.outputs.length === 0) return;
    const compared = compare(spend, off);
    for (const each of compared) count(tally, each);
    if (!compared.every(agree)) found.push(told(round, small(), off));
  };
  const share = world === 'vault' ? extent.share * VAULT_SHARE : extent.share;
  const isDrawn = (): boolean => random.integer(100) < share;
  for (const base of basesOf(world, [seed, round], random)) {
    if (isDrawn()) compareBase(base, random, extent, seen);
  }
  for (const { legit, faults } of faultBasesOf(world, [seed, round], random)) {
    const spends = [...(legit === null ? [] : [{ name: 'as allowed', spend: legit }]), ...faults];
    for (const { name, spend } of spends) {
      if (isDrawn()) seen(spend, () => ({ spend, names: [name] }));
    }
  }
  return found;
};
