/** Recurring payments: what other parts may import, and the operations in README order. */
import type { Offer } from '../../operation/define.js';
import { cancel } from './operations/cancel.js';
import { claim } from './operations/claim.js';
import { create } from './operations/create.js';
import { due } from './operations/due.js';
import { fund } from './operations/fund.js';
import { list } from './operations/list.js';
import { pause } from './operations/pause.js';
import { recover } from './operations/recover.js';
import { refill } from './operations/refill.js';
import { resume } from './operations/resume.js';
import { show } from './operations/show.js';

export { deployable } from './deployable.js';
export { executionCollection, paymentCollection } from './records.js';

// The recurring covenant itself, for streams that are paid by it.
export { checkRecurringTerms, recurringContract } from './contract.js';
export type { RecurringStart, RecurringTerms } from './contract.js';
export { observeRecurring, observeRecurringFunding } from './observe.js';
export type { RecurringObserved, RecurringPosition } from './observe.js';
export {
  duePeriods,
  fundablePeriods,
  fundedPeriods,
  MAXIMUM_UPFRONT_PERIODS,
  nextUnlock,
  periodsUntil,
  runwayEnd,
  settledPeriods,
  upfrontPeriods,
} from './rules.js';
export type { RecurringBalance, RecurringSchedule } from './rules.js';
export { CHAIN_STATUS, readRecurringState, recurringState } from './state.js';
export type { Permissions, RecurringState } from './state.js';
export {
  buildRecurringCancel,
  buildRecurringClaim,
  buildRecurringPause,
  buildRecurringRefill,
  buildRecurringResume,
  poolLeft,
  recurringGenesis,
  recurringPool,
} from './transactions.js';
export { recurringStray } from './recurring-stray.js';
export type { RecurringSpend } from './transactions.js';

export const operations: readonly Offer[] = [
  create,
  list,
  show,
  fund,
  claim,
  pause,
  resume,
  refill,
  cancel,
  recover,
  due,
];
