/** Streams: what other parts may import, and the operations in README order. */
import type { Offer } from '../../operation/define.js';
import { activity } from './operations/activity.js';
import { batch } from './operations/batch.js';
import { batchRun, batchRuns, exportRun } from './operations/batch-runs.js';
import { claim } from './operations/claim.js';
import { claimInfo } from './operations/claim-info.js';
import { create } from './operations/create.js';
import { cancel } from './operations/cancel.js';
import { fund } from './operations/fund.js';
import { pause } from './operations/pause.js';
import { push, pushable } from './operations/push.js';
import { recover } from './operations/recover.js';
import { refill } from './operations/refill.js';
import { resume } from './operations/resume.js';
import { transfer } from './operations/transfer.js';

import { claimable } from './operations/claimable.js';
import { list } from './operations/list.js';
import { show } from './operations/show.js';
import { templates } from './operations/templates.js';
import { streams } from './product.js';

export { activityCollection } from './activity.js';
export { keptRecords } from './kept-records.js';
export { batchCollection, claimCollection, streamCollection } from './stream.js';

export const { deployable } = streams;

export const operations: readonly Offer[] = [
  create,
  batch,
  list,
  show,
  fund,
  claimInfo,
  claim,
  claimable,
  push,
  pushable,
  pause,
  resume,
  refill,
  transfer,
  cancel,
  recover,
  activity,
  templates,
  batchRuns,
  batchRun,
  exportRun,
];
