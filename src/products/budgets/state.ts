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

/**
 * The state that a thread carries.
 *
 * @throws Error when it is not one of ours, which the covenant and the genesis audit rule out
 */
export const readState = (hex: string): PlanState => {
  const state = planState.decode(hex);
  if (state === null) throw new Error(`${hex} is not the state of a budget plan`);
  return state;
};
