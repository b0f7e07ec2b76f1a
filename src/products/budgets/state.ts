/** The commitment of a plan's thread. Source: contracts/budgets/budget-plan.cash. */
import { bytes, commitment, type CommitmentState } from '../../bch/commitment.js';

/** `status u8 | current u8 | anchor u40 | pausedAt u40 | recipient 20 | flags u8`, 33 bytes. */
export const planState = commitment({
  status: 'u8',
  current: 'u8',
  anchor: 'u40',
  pausedAt: 'u40',
  recipient: bytes(20),
  flags: 'u8',
});

export type PlanState = CommitmentState<typeof planState.layout>;

/** The values of `status`. */
export const CHAIN_STATUS = { active: 0, paused: 1 } as const;
/** The bits of `flags`. */
export const CHAIN_FLAGS = { cancelable: 1 } as const;

/** The state that a thread carries. */
export const { read: readState } = planState;
