/** One function of one contract with its mutants: the unit that a process works on. */
import fs from 'node:fs';
import type { ContractCases } from '../../test/contracts/harness/cases.js';
import { EVERY_CONTRACT } from '../../test/contracts/harness/every-contract.js';
import { mutantsOf } from './generate.js';
import { isolateFunction } from './isolate.js';
import { canBeIsolated, createJudge, type Verdict } from './judge.js';
import { nameOf, type Mutant } from './mutant.js';
import { parseContract } from './source-tree.js';

export type Unit = {
  readonly contract: string;
  /** The contract's name for its own parameters. */
  readonly functionName: string;
  /** The names of the mutants to try. */
  readonly names: readonly string[];
};

const sourceOf = ({ source }: ContractCases): string =>
  fs.readFileSync(new URL(`../../contracts/${source}`, import.meta.url), 'utf8');

/** Every unit of the contracts, the largest first. */
export const listUnits = (isWanted: (contract: string) => boolean): Unit[] =>
  EVERY_CONTRACT.filter(({ contract }) => isWanted(contract))
    .flatMap((cases): Unit[] => {
      const { contract } = cases;
      const mutants = mutantsOf(contract, sourceOf(cases));
      const functionNames = [contract, ...parseContract(sourceOf(cases)).functions.map(({ name }) => name)];
      return functionNames.map((functionName) => ({
        contract,
        functionName,
        names: mutants.filter((mutant) => mutant.functionName === functionName).map(nameOf),
      }));
    })
    .filter(({ names }) => names.length > 0)
    .sort((a, b) => b.names.length - a.names.length);

/** Tries the mutants of a unit, and tells each verdict. */
export const runUnit = ({ contract, functionName, names }: Unit, tell: (verdict: Verdict) => void): void => {
  const cases = EVERY_CONTRACT.find((found) => found.contract === contract);
  if (cases === undefined) throw new Error(`no cases for ${contract}`);
  const whole = sourceOf(cases);
  const isAlone = functionName !== contract && canBeIsolated(cases, functionName);
  const source = isAlone ? isolateFunction(whole, functionName) : whole;
  const { judge } = createJudge(cases, functionName, source);
  const wanted = new Set(names);
  const mutants = mutantsOf(cases.contract, source);
  const isWanted = (mutant: Mutant): boolean =>
    mutant.functionName === functionName && wanted.has(nameOf(mutant));
  for (const mutant of mutants.filter(isWanted)) tell(judge(mutant));
};
