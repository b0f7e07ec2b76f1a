/** What a mutant is, and the source and bytecode that it has. */
import { compileString } from 'cashc';
import type { Artifact } from 'cashscript';
import type { ArtifactName } from '../../src/covenant/artifact.js';
import type { Span } from './source-tree.js';

/** What is changed, in the order of the summary. */
export const KINDS = {
  statement: 'a require, an assignment or a branch is left out',
  branch: 'a condition is negated, always or never holds; the two blocks change places, one is empty',
  comparison: 'another comparison',
  arithmetic: 'another arithmetic operator; min for max',
  logic: 'and for or, one side alone; another bitwise operator',
  constant: 'a number or hex literal one more, one less, 0, 1; another size of a cast',
  'off-by-one': 'a bound, an index, a cut or a value that is no literal, one more or one less',
  identifier: 'another name of the same type; two parameters change places',
  operands: 'the two sides of an operator that is not symmetric, or two arguments, change places',
  introspection: 'inputs for outputs, the amount of tokens for satoshis; the other half of a split',
} as const;
export type Kind = keyof typeof KINDS;

export type Mutant = Span & {
  readonly kind: Kind;
  readonly contract: ArtifactName;
  /** The function that it changes; the contract's name for its own parameters. */
  readonly functionName: string;
  /** The statement that it changes: the message of a require, else its beginning. */
  readonly statement: string;
  readonly was: string;
  readonly becomes: string;
  /** What stands in the source's place `[begin, end)`. */
  readonly replacement: string;
  /** Where the statement begins: what comes before cannot differ. */
  readonly anchor: number;
  /** Where the function's last `}` stands. */
  readonly close: number;
};

/** The name under which a mutant is listed. */
export const nameOf = ({ contract, functionName, statement, was, becomes }: Mutant): string =>
  `${contract} › ${functionName} › ${statement} › ${was} → ${becomes}`;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * The contract with the change. The compiler wants every variable used and a `require` at the end of every function, so
 * names that only the changed place used are logged, and where it was the last one, `true` is required.
 *
 * @returns null when it does not compile.
 */
export const compileMutant = (source: string, mutant: Mutant): Artifact | null => {
  const { begin, end, replacement, anchor, close } = mutant;
  const attempt = (logs: string, last: string, tries: number): Artifact | null => {
    const changed =
      source.slice(0, anchor) + logs + source.slice(anchor, begin) + replacement + source.slice(end, close);
    try {
      return compileString(changed + last + source.slice(close));
    } catch (error) {
      const unused = /Unused variable (\w+)/.exec(messageOf(error))?.[1];
      if (tries === 0) return null;
      if (unused !== undefined) return attempt(`${logs}console.log(${unused}); `, last, tries - 1);
      return last === '' ? attempt(logs, ' require(true);', tries - 1) : null;
    }
  };
  return attempt('', '', 6);
};
