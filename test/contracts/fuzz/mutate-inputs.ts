/** Mutations of inputs: which there are, in which order, and the time that they let a transaction have. */
import { FINAL, type Input } from '../harness/spend.js';
import { insertAt, replaceAt, swap, type Mutation } from './mutation.js';

export const removeInput: Mutation = (spend, _, random) => {
  const index = random.integer(spend.inputs.length);
  return { ...spend, inputs: spend.inputs.filter((_input, at) => at !== index) };
};
export const swapInputs: Mutation = (spend, _, random) => ({
  ...spend,
  inputs: swap(spend.inputs, random.integer(spend.inputs.length), random.integer(spend.inputs.length)),
});
export const addInput: Mutation = (spend, { inputs }, random) => ({
  ...spend,
  inputs: insertAt(spend.inputs, random.integer(spend.inputs.length + 1), random.pick(inputs)),
});
export const replaceInput: Mutation = (spend, { inputs }, random) => ({
  ...spend,
  inputs: replaceAt(spend.inputs, random.integer(spend.inputs.length), random.pick(inputs)),
});

export const sequence: Mutation = (spend, _, random) => {
  const value = random.pick([FINAL, 0, 1, random.integer(FINAL), FINAL - 1]);
  if (random.once(2))
    return { ...spend, inputs: spend.inputs.map((input) => ({ ...input, sequence: value })) };
  const index = random.integer(spend.inputs.length);
  return {
    ...spend,
    inputs: replaceAt(spend.inputs, index, { ...(spend.inputs[index] as Input), sequence: value }),
  };
};

export const locktime: Mutation = (spend, { times, medianTime }, random) => {
  const at = random.pick([...times, medianTime, medianTime + random.integer(100_000), spend.locktime]);
  return { ...spend, locktime: Math.max(at + random.integer(3) - 1, 0) };
};
