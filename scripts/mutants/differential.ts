/** Runs the same random transactions over a contract and over a mutant of it: a difference refutes an equivalence. */
import fc from 'fast-check';
import type { Artifact } from 'cashscript';
import type { ArtifactName } from '../../src/covenant/artifact.js';
import { replaceArtifact } from '../../test/contracts/harness/bound.js';
import { PRODUCTS, type ProductName } from '../../test/contracts/invariants/trace.js';

const TRACES = 12;
const SEED = 20_261_121;

const isProduct = (contract: ArtifactName): contract is ArtifactName & ProductName => contract in PRODUCTS;

/** What becomes of random moves over time on covenants of random terms: one line for every transaction. */
const verdictsOf = (contract: ArtifactName & ProductName, seed: number, traces: number): string[] => {
  const { anyStory, run } = PRODUCTS[contract] as unknown as {
    readonly anyStory: fc.Arbitrary<never>;
    readonly run: (story: never) => { readonly tried: readonly { readonly verdict: string }[] };
  };
  return fc
    .sample(anyStory, { seed, numRuns: traces })
    .flatMap((story) => run(story).tried.map(({ verdict }) => verdict));
};

/** Compares mutants with the contract that they were made from. */
export const createDifferential = (contract: ArtifactName, original: Artifact) => {
  const runOn = (artifact: Artifact): string[] => {
    if (!isProduct(contract)) return [];
    replaceArtifact(contract, artifact);
    try {
      return verdictsOf(contract, SEED, TRACES);
    } finally {
      replaceArtifact(contract, null);
    }
  };
  let expected: string[] | null = null;
  return (mutant: Artifact): { readonly agrees: boolean; readonly inputs: number } => {
    expected ??= runOn(original);
    const found = runOn(mutant);
    return { agrees: JSON.stringify(found) === JSON.stringify(expected), inputs: found.length };
  };
};
