/** Tries the moves and attacks of a contract on its mutants. */
import { compileString } from 'cashc';
import type { Artifact } from 'cashscript';
import type { ArtifactName } from '../../src/covenant/artifact.js';
import { replaceArtifact } from '../../test/contracts/harness/bound.js';
import type { ContractCases } from '../../test/contracts/harness/cases.js';
import type { Spend } from '../../test/contracts/harness/spend.js';
import { refusalOf, tryTransaction } from '../../test/contracts/harness/verdict.js';
import { createDifferential } from './differential.js';
import { equivalenceOf } from './equivalents.js';
import { compileMutant, nameOf, type Kind, type Mutant } from './mutant.js';
import { mayDiffer } from './quick.js';

/** A move or an attack, and how it ends on the contract as it is. */
export type Trial = {
  readonly name: string;
  readonly expected: string;
  readonly input: number;
  readonly build: () => Spend;
};

const RULES = '2026';

export const outcomeOf = ({ build, input }: Trial): string =>
  refusalOf(tryTransaction(build(), RULES), input);

/** Every move and attack as a trial. */
export const trialsOf = ({ moves, attacks }: ContractCases): Trial[] => [
  ...moves.map(({ name, asset, build }) => ({
    name: `${name} (${asset})`,
    expected: 'accepted',
    input: 0,
    build,
  })),
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

/** What becomes of a mutant. */
export const FATES = {
  invalid: 'does not compile',
  equal: 'has the bytecode of the contract',
  twin: 'has the bytecode of a mutant tried before',
  killed: 'a move or an attack ends otherwise',
  equivalent: 'is listed with a proof, and no input of its space contradicts it',
  survives: 'nothing tells it from the contract',
} as const;
export type Fate = keyof typeof FATES;

export type Verdict = {
  readonly name: string;
  readonly kind: Kind;
  readonly fate: Fate;
  /** The case that kills it, the mutant that it is the twin of, the proof that it is equivalent. */
  readonly by: string;
};

/** Whether a transaction calls a function of the contract and no other of it: then the others need not be whole. */
export const canBeIsolated = (cases: ContractCases, functionName: string): boolean =>
  trialsThatCall(cases.contract, functionName, trialsOf(cases)).every((trial) =>
    callsAt(trial, cases.contract).every((call) => call === null || call === functionName),
  );

/** The contract with a check that always holds, so that its bytecode and with it every address is another. */
const moveElsewhere = (source: string, functionName: string): string => {
  const found = source.indexOf(`function ${functionName}(`);
  const body = source.indexOf('{', found === -1 ? source.indexOf('function ') : found) + 1;
  return `${source.slice(0, body)} require(this.activeInputIndex >= 0, 'always'); ${source.slice(body)}`;
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

  const untouched = compileString(source);
  const compare = createDifferential(contract, untouched);
  const elsewhere = compileString(moveElsewhere(source, functionName));
  const sound = new Map<Trial, boolean>();
  /** Whether a trial ends as its case says on a contract that does the same at another address: only then a mutant changed it. */
  const isSound = (trial: Trial): boolean => {
    const known = sound.get(trial);
    if (known !== undefined) return known;
    replaceArtifact(contract, elsewhere);
    const found = outcomeOf(trial) === trial.expected;
    sound.set(trial, found);
    return found;
  };

  const findKiller = (mutant: Mutant, artifact: Artifact): Trial | undefined => {
    replaceArtifact(contract, artifact);
    try {
      return inOrder(mutant).find((trial) => {
        const differs = mayDiffer(contract, trial.build(), trial) && outcomeOf(trial) !== trial.expected;
        const isKiller = differs && isSound(trial);
        replaceArtifact(contract, artifact);
        return isKiller;
      });
    } finally {
      replaceArtifact(contract, null);
    }
  };

  /** The proof of an equivalence and what was searched, or what contradicts it. */
  const explain = (mutant: Mutant, artifact: Artifact): { readonly fate: Fate; readonly by: string } => {
    const listed = equivalenceOf(mutant);
    if (listed === undefined) return { fate: 'survives', by: '' };
    const space = listed.search();
    const traces = compare(artifact);
    if (!space.agrees || !traces.agrees)
      return {
        fate: 'survives',
        by: `listed as equivalent, refuted by ${space.agrees ? 'a trace' : 'its space'}`,
      };
    return {
      fate: 'equivalent',
      by: `${listed.proof} Searched: ${listed.space} (${space.inputs}), ${traces.inputs} transactions of random traces.`,
    };
  };

  return {
    judge: (mutant: Mutant): Verdict => {
      const verdict = (fate: Verdict['fate'], by = ''): Verdict => ({
        name: nameOf(mutant),
        kind: mutant.kind,
        fate,
        by,
      });
      const artifact = compileMutant(source, mutant);
      if (artifact === null) return verdict('invalid');
      if (artifact.bytecode === untouched.bytecode) return verdict('equal');
      const twin = known.get(artifact.bytecode);
      if (twin !== undefined) return verdict('twin', twin);
      known.set(artifact.bytecode, nameOf(mutant));
      const killer = findKiller(mutant, artifact);
      if (killer === undefined) {
        const { fate, by } = explain(mutant, artifact);
        return verdict(fate, by);
      }
      recent = [killer, ...recent.filter((trial) => trial !== killer)];
      return verdict('killed', killer.name);
    },
  };
};
