/**
 * A first look at a trial: only the inputs that run the mutant are signed and evaluated. It takes a third of the time of
 * the whole verdict, and whatever it finds is confirmed by that.
 */
import type { AuthenticationProgramStateBch } from '@bitauth/libauth';
import type { ArtifactName } from '../../src/covenant/artifact.js';
import type { Bound } from '../../test/contracts/harness/bound.js';
import { buildTransaction, type Spend } from '../../test/contracts/harness/spend.js';
import { MACHINES, messageOfError } from '../../test/contracts/harness/verdict.js';

const MACHINE = MACHINES['2026'];

/** How one input ends. */
const stateAt = (spend: Spend, inputIndex: number): AuthenticationProgramStateBch =>
  MACHINE.evaluate({ ...buildTransaction(spend, [inputIndex]), inputIndex });

/** The contract that an input calls, if it is one of a name. */
const calledAt = ({ inputs }: Spend, index: number, name: ArtifactName): Bound | null => {
  const unlock = inputs[index]?.unlock;
  return unlock !== undefined && 'call' in unlock && unlock.contract.name === name ? unlock.contract : null;
};

/** False where a trial ends as expected, for all that its inputs of the contract say. */
export const mayDiffer = (
  name: ArtifactName,
  spend: Spend,
  { expected, input }: { readonly expected: string; readonly input: number },
): boolean => {
  const contract = calledAt(spend, input, name);
  const passes = (index: number): boolean => MACHINE.stateSuccess(stateAt(spend, index)) === true;
  if (expected === 'accepted' || expected.startsWith('chain: '))
    return !spend.inputs.every((_, index) => calledAt(spend, index, name) === null || passes(index));
  if (contract === null) return true;
  const state = stateAt(spend, input);
  return state.error === undefined || messageOfError(state, contract) !== expected;
};
