/** A spend that the rules allow, and all that can be wrong with it, one thing at a time. */
import type { ArtifactName } from '../../../../src/covenant/artifact.js';
import type { Spend } from '../../harness/spend.js';
import type { Fault } from './fault.js';

export type FaultBase = {
  /** `contract function asset`. */
  readonly label: string;
  readonly contract: ArtifactName;
  /** Null: nothing is allowed here, so that only what is forbidden is tried. */
  readonly legit: Spend | null;
  readonly faults: readonly Fault[];
};
