/**
 * One spend before both judges: the virtual machine and the model. Each contract's script is run alone, at its own input,
 * so that what belongs to transactions and to no contract (sums, tokens that appear, finality, other inputs) stays
 * outside. A spend need not add up to be compared.
 */
import type { ArtifactName } from '../../../../src/covenant/artifact.js';
import { buildTransaction, type Output, type Spend } from '../../harness/spend.js';
import { MACHINES, tryTransaction } from '../../harness/verdict.js';
import { MODELS } from '../../models/index.js';
import { judge, type Verdict } from '../../models/vocabulary.js';
import { callOf, termsOf, transactionOf } from './call.js';

/** A rule of a model that is left out. */
export type Off = { readonly contract: ArtifactName; readonly rule: string };

/** What both say of a call. */
export type Compared = {
  readonly contract: ArtifactName;
  readonly call: string;
  readonly input: number;
  readonly isAllowed: boolean;
  readonly model: Verdict;
  /** Rules that were asked for. */
  readonly met: readonly string[];
  /** The rule that alone refuses: left out, the model would allow what the contract does not. */
  readonly decides: string | null;
};

export const agree = ({ isAllowed, model }: Compared): boolean => isAllowed === model.allowed;

const RULES = '2026';

/** Another script than the lock's own is refused before it runs. */
const isAt = ({ lockingBytecode }: Output, lock: Uint8Array): boolean =>
  Buffer.compare(lockingBytecode, lock) === 0;

/** What both say of every call in a spend. */
export const compare = (spend: Spend, off: Off | null = null): Compared[] => {
  const calls = spend.inputs.flatMap(({ unlock, coin }, inputIndex) =>
    'key' in unlock || !isAt(coin, unlock.contract.lock) ? [] : [{ unlock, inputIndex }],
  );
  if (calls.length === 0) return [];
  const built = buildTransaction(
    spend,
    calls.map(({ inputIndex }) => inputIndex),
  );
  const transaction = transactionOf(spend);
  const machine = MACHINES[RULES];
  return calls.map(({ unlock, inputIndex }): Compared => {
    const { name } = unlock.contract;
    const call = callOf(transaction, unlock, { built, inputIndex });
    const met: string[] = [];
    const terms = termsOf(unlock.contract);
    const without = off?.contract === name ? off.rule : null;
    const model = judge(MODELS[name], terms, call, { off: without, met: (rule) => met.push(rule) });
    const isAlone = (rule: string): boolean => judge(MODELS[name], terms, call, { off: rule }).allowed;
    return {
      contract: name,
      call: unlock.call,
      input: inputIndex,
      isAllowed: machine.stateSuccess(machine.evaluate({ ...built, inputIndex })) === true,
      model,
      met,
      decides: model.allowed || !isAlone(model.rule) ? null : model.rule,
    };
  });
};

/** Which check of a contract refused an input of a spend. */
export const refusedBy = (spend: Spend, input: number): string =>
  tryTransaction(spend, RULES).inputs[input] ?? 'its own rules do not';
