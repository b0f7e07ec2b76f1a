/** Recurring payments: what other parts may import, and the operations in README order. */
import type { Offer } from '../../operation/define.js';
import { create } from './operations/create.js';
import { due } from './operations/due.js';
import { cancel } from './operations/cancel.js';
import { claim } from './operations/claim.js';
import { fund } from './operations/fund.js';
import { pause } from './operations/pause.js';
import { push, pushable } from './operations/push.js';
import { recover } from './operations/recover.js';
import { refill } from './operations/refill.js';
import { resume } from './operations/resume.js';
import { list, show } from './operations/read.js';
import { payments } from './product.js';

export { executionCollection, paymentCollection } from './payment.js';

export const { deployable } = payments;

export const operations: readonly Offer[] = [
  create,
  list,
  show,
  fund,
  claim,
  push,
  pause,
  resume,
  refill,
  cancel,
  recover,
  due,
  pushable,
];
