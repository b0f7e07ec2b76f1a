/** Tries the moves and attacks of a contract on its mutants. */
import { compileString } from 'cashc';
import type { Artifact } from 'cashscript';
import type { ArtifactName } from '../../src/covenant/artifact.js';
import { replaceArtifact } from '../../test/contracts/harness/bound.js';
import type { ContractCases } from '../../test/contracts/harness/cases.js';
import type { Spend } from '../../test/contracts/harness/spend.js';
import { refusalOf, tryTransaction } from '../../test/contracts/harness/verdict.js';
import { compileMutant, nameOf, type Kind, type Mutant } from './mutant.js';

/** A move or an attack, and how it ends on the contract as it is. */
export type Trial = {
  readonly name: string;
  readonly expected: string;
  readonly input: number;
  readonly build: () => Spend;
};

const RULES = '2026';

export const outcomeOf = ({ build, input }: Trial): string => refusalOf(tryTransaction(build(), RULES), input);

/** Every move and attack as a trial. */
export const trialsOf = ({ moves, attacks }: ContractCases): Trial[] => [
  ...moves.map(({ name, asset, build }) => ({ name: `${name} (${asset})`, expected: 'accepted', input: 0, build })),
  ...attacks.map(({ name, refusedBy, input = 0, build }) => ({ name, expected: refusedBy, input, build })),
];

const callsAt = ({ build }: Trial, contract: ArtifactName): (string | null)[] =>
  build().inputs.map(({ unlock }) =>
    'call' in unlock && unlock.contract.name === contract ? unlock.call : null,
  );

/** Trials in whose transaction a function runs. */
const trialsThatCall = (contract: ArtifactName, functionName: string, trials: readonly Trial[]): Trial[] =>
  functionName === contract
    ? [...trials]
    : trials.filter((trial) => callsAt(trial, contract).includes(functionName));

export type Fate = 'killed' | 'equal' | 'twin' | 'equivalent' | 'survives';
export type Verdict = {
  readonly name: string;
  readonly kind: Kind;
  readonly fate: Fate | 'invalid';
  /** The case that kills it, the mutant that it is the twin of. */
  readonly by: string;
};

/** Tries mutants of one function, those that killed the last ones first. */
export const createJudge = (cases: ContractCases, functionName: string, source: string) => {
  const { contract } = cases;
  const trials = trialsThatCall(contract, functionName, trialsOf(cases));
  const reach = new Map(
    trials.map((trial) => [
      trial,
      // What refuses in another contract or function, or in no require, tells nothing about how far a run gets.
      callsAt(trial, contract)[trial.input] === functionName ? source.lastIndexOf(`'${trial.expected}'`) : -1,
    ]),
  );
  const original = compileString(source).bytecode;
  const known = new Map<string, string>();
  let recent: Trial[] = [];

  const inOrder = ({ statement, anchor }: Mutant): Trial[] => {
    const reached = trials.filter((trial) => {
      const refusedAt = reach.get(trial) ?? -1;
      return refusedAt === -1 || refusedAt >= anchor;
    });
    const rank = (trial: Trial): number => {
      const killed = recent.indexOf(trial);
      if (killed !== -1 && killed < 6) return killed;
      if (trial.expected === statement) return 10;
      return trial.expected === 'accepted' ? 11 : 12;
    };
    const ranked = new Map(reached.map((trial) => [trial, rank(trial)]));
    return reached.sort((a, b) => (ranked.get(a) ?? 0) - (ranked.get(b) ?? 0));
  };

  const findKiller = (mutant: Mutant, artifact: Artifact): Trial | undefined => {
    replaceArtifact(contract, artifact);
    try {
      return inOrder(mutant).find((trial) => outcomeOf(trial) !== trial.expected);
    } finally {
      replaceArtifact(contract, null);
    }
  };

  return {
    /** Trials that end otherwise though nothing is changed: none, unless the cases are wrong. */
    findBroken: (): string[] => {
      replaceArtifact(contract, compileString(source));
      const broken = trials.filter((trial) => outcomeOf(trial) !== trial.expected).map(({ name }) => name);
      replaceArtifact(contract, null);
      return broken;
    },
    judge: (mutant: Mutant): Verdict => {
      const verdict = (fate: Verdict['fate'], by = ''): Verdict => ({
        name: nameOf(mutant),
        kind: mutant.kind,
        fate,
        by,
      });
      const artifact = compileMutant(source, mutant);
      if (artifact === null) return verdict('invalid');
      if (artifact.bytecode === original) return verdict('equal');
      const twin = known.get(artifact.bytecode);
      if (twin !== undefined) return verdict('twin', twin);
      known.set(artifact.bytecode, nameOf(mutant));
      const killer = findKiller(mutant, artifact);
      if (killer === undefined) return verdict('survives');
      recent = [killer, ...recent.filter((trial) => trial !== killer)];
      return verdict('killed', killer.name);
    },
  };
};
