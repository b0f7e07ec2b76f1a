/** What a rule leaves alone, and why, in words. */
import { isTreasuryError, messageOf } from '../errors.js';

/** Somebody else was quicker, or is about to be. */
const TAKEN: readonly string[] = [
  'nothing_claimable',
  'nothing_releasable',
  'amount_below_push_minimum',
  'wrong_state',
  'coins_in_use',
];

/** True for what a rule leaves alone and nobody has to look at. */
export const isLeft = (error: unknown): boolean =>
  isTreasuryError(error) &&
  (error.code === 'keeper_refused' ? error.details['isWrong'] !== true : TAKEN.includes(error.code));

/** Why, in words: without what names its record, which stands beside it. */
export const reasonOf = (error: unknown): string => {
  const { reason, summary } = isTreasuryError(error) ? error.details : {};
  const isOf = (code: string): boolean => isTreasuryError(error) && error.code === code;
  if (isOf('keeper_refused') && typeof reason === 'string') return reason;
  if (isOf('invalid_input') && typeof summary === 'string') return summary;
  return messageOf(error);
};
