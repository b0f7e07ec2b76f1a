/** Which covenant a stream stands on: the one place that asks for its type. */
import { checkVestingTerms, vestingContract } from './contract.js';
import type { StreamKind } from './kind.js';
import { observeVesting } from './observe.js';
import { recurring } from './recurring.js';
import { vestingFigures, type Figures, endedFigures } from './rules.js';
import { streamState } from './state.js';
import { vestingStray } from './vesting-stray.js';
import type { StreamRecord } from './stream.js';
import {
  buildVestingCancel,
  buildVestingClaim,
  buildVestingPause,
  buildVestingResume,
  buildVestingTransfer,
  vestingGenesis,
} from './transactions.js';

/** LINEAR, STEP, HYBRID and TRANCHE: one covenant, any shape. */
const vesting: StreamKind = {
  contractType: 'Stream',
  artifact: 'stream',
  contract: vestingContract,
  checkTerms: checkVestingTerms,
  genesis: vestingGenesis,
  figures: (stream, now) => vestingFigures(stream, stream.thread?.commitment ?? '', now),
  observeMove: observeVesting,
  buildClaim: buildVestingClaim,
  buildPause: buildVestingPause,
  buildResume: buildVestingResume,
  buildCancel: buildVestingCancel,
  buildTransfer: buildVestingTransfer,
  buildRefill: null,
  isState: (commitment) => streamState.decode(commitment) !== null,
  stray: vestingStray,
  pausePays: false,
};

/** The covenant of a stream. */
export const kindOf = ({ stream_type: type }: Pick<StreamRecord, 'stream_type'>): StreamKind =>
  type === 'RECURRING' ? recurring : vesting;

/** How far a stream is at `now`, whatever its state. */
export const figuresOf = (stream: StreamRecord, now: number): Figures =>
  stream.thread === null ? endedFigures(stream) : kindOf(stream).figures(stream, now);
