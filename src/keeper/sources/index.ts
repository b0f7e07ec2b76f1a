/** What there is to do for each task, read through the lists that everybody reads; and what will be, and when. */
import type { Item } from '../items.js';
import type { TaskName } from '../tasks.js';
import type { Asked, Source } from './asked.js';
import { releases } from './budgets.js';
import { unlocks } from './governance.js';
import { paymentClaims, paymentRefills } from './payments.js';
import { paymentPushes, planPushes, streamPushes } from './pushes.js';
import { campaignEnds } from './rewards.js';
import { streamClaims, streamRefills } from './streams.js';
import { spends } from './vaults.js';

const SOURCES: Readonly<Record<TaskName, Source>> = {
  'payments claim': paymentClaims,
  'streams claim': streamClaims,
  'budgets release': releases,
  'payments push': paymentPushes,
  'streams push': streamPushes,
  'budgets push': planPushes,
  'governance unlock': unlocks,
  'payments refill': paymentRefills,
  'streams refill': streamRefills,
  'rewards cancel': campaignEnds,
  'vaults spend broadcast': spends,
};

/** What a rule may do now and, where that is asked for, later. @throws what its lists throw */
export const itemsOf = (asked: Asked): Promise<readonly Item[]> => SOURCES[asked.rule.do](asked);
