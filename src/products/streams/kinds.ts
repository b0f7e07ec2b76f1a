/** Which covenant a stream stands on: the one place that asks for its type. */
import { checkVestingTerms, vestingContract } from './contract.js';
import { observeVesting } from './observe.js';
import { recurring } from './recurring.js';
import { vestingFigures, type Figures } from './rules.js';
import { scheduledTotal } from './schedule.js';
import { streamState } from './state.js';
import { vestingStray } from './vesting-stray.js';
import type { StreamRecord } from './stream.js';
import {
  buildVestingCancel,
  buildVestingClaim,
  buildVestingPause,
  buildVestingPush,
  buildVestingResume,
  buildVestingTransfer,
  vestingGenesis,
} from './transactions.js';

/** LINEAR, STEP, HYBRID and TRANCHE: one covenant, any shape. What it says, {@link recurring} says too. */
const vesting = {
  contractType: 'Stream',
  artifact: 'stream',
  contract: vestingContract,
  /** The parameter check of covenants rule 16. */
  checkTerms: checkVestingTerms,
  genesis: vestingGenesis,
  /** How far a stream with a live thread is at `now`. */
  figures: (stream: StreamRecord, now: number) =>
    vestingFigures(stream, stream.thread?.commitment ?? '', now),
  /** The move seen in a transaction that spends the thread at input 0. */
  observeMove: observeVesting,
  buildClaim: buildVestingClaim,
  buildPush: buildVestingPush,
  /** True when all that there ever is has vested: a push of it ends the stream. */
  isAllVested: ({ schedule }: StreamRecord, vested: bigint) => vested === scheduledTotal(schedule),
  buildPause: buildVestingPause,
  buildResume: buildVestingResume,
  buildCancel: buildVestingCancel,
  /** Null: this covenant knows no transfer, or no refill. */
  buildTransfer: buildVestingTransfer,
  buildRefill: null,
  /** True for a commitment that the covenant reads as a state. */
  isState: (commitment: string) => streamState.decode(commitment) !== null,
  /** What a thread allows that the record does not follow. */
  stray: vestingStray,
  /** What a pause pays the recipient: it opens the reserve. */
  pausePays: false,
} as const;

/** The covenant of a stream. */
export const kindOf = ({ stream_type: type }: Pick<StreamRecord, 'stream_type'>) =>
  type === 'RECURRING' ? recurring : vesting;

/** How far a stream is at `now`. One without a thread waits for its funding, or has ended. */
export const figuresOf = (stream: StreamRecord, now: number): Figures =>
  stream.thread === null
    ? { vested: stream.withdrawn_amount, claimable: 0n, nextUnlock: null }
    : kindOf(stream).figures(stream, now);
