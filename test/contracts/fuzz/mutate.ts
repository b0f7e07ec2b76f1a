/** The mutations by name, and a few of them after each other. */
import type { Spend } from '../harness/spend.js';
import type { Base } from './base.js';
import * as calls from './mutate-calls.js';
import * as inputs from './mutate-inputs.js';
import * as outputs from './mutate-outputs.js';
import type { Mutation } from './mutation.js';
import type { Random } from './random.js';

/** A spend under mutation. `medianTime` is the chain's. */
export type Draft = { readonly spend: Spend; readonly medianTime: number; readonly notes: readonly string[] };
/** Mutations by name. A name that stands twice is drawn twice as often. */
export const MUTATIONS: readonly (readonly [string, Mutation])[] = [
  ['output value', outputs.outputValue],
  ['output lock', outputs.outputLock],
  ['output lock', outputs.outputLock],
  ['token amount', outputs.tokenAmount],
  ['token category', outputs.tokenCategory],
  ['capability', outputs.capability],
  ['drop token', outputs.dropToken],
  ['glue', outputs.glue],
  ['state byte', outputs.commitmentByte],
  ['state field', outputs.commitmentField],
  ['state field', outputs.commitmentField],
  ['other state', outputs.otherCommitment],
  ['remove output', outputs.removeOutput],
  ['repeat output', outputs.repeatOutput],
  ['swap outputs', outputs.swapOutputs],
  ['add output', outputs.addOutput],
  ['leak', outputs.leak],
  ['steal', outputs.steal],
  ['steal', outputs.steal],
  ['steal', outputs.steal],
  ['remove input', inputs.removeInput],
  ['swap inputs', inputs.swapInputs],
  ['add input', inputs.addInput],
  ['add input', inputs.addInput],
  ['replace input', inputs.replaceInput],
  ['sequence', inputs.sequence],
  ['locktime', inputs.locktime],
  ['locktime', inputs.locktime],
  ['argument', calls.argument],
  ['argument', calls.argument],
  ['impersonate', calls.impersonate],
  ['other call', calls.otherCall],
];

const MOST = 4;

/** One to four mutations of a valid base; none to two of one that breaks a rule already. */
export const mutate = (base: Base, random: Random): Draft => {
  let { spend } = base;
  const notes: string[] = [];
  const count = base.isValid ? 1 + random.integer(MOST) : random.integer(3);
  for (let round = 0; round < count && spend.inputs.length > 0 && spend.outputs.length > 0; round += 1) {
    const [name, mutation] = random.pick(MUTATIONS);
    spend = mutation(spend, base, random);
    notes.push(name);
  }
  const isEarly = random.once(20);
  const medianTime = isEarly ? Math.max(random.pick(base.times), 500_000_001) : base.medianTime;
  return {
    spend,
    medianTime: Math.min(medianTime, base.medianTime),
    notes: isEarly ? [...notes, 'earlier'] : notes,
  };
};
