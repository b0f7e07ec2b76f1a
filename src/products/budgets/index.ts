/** Budget plans: what other parts may import, and the operations in README order. */
import type { Offer } from '../../operation/define.js';
import { create } from './operations/create.js';
import { cancel } from './operations/cancel.js';
import { fund } from './operations/fund.js';
import { pause } from './operations/pause.js';
import { recover } from './operations/recover.js';
import { push, pushable } from './operations/push.js';
import { release } from './operations/release.js';
import { resume } from './operations/resume.js';
import { list, listOfVault, show } from './operations/read.js';
import { plans } from './product.js';

export { planCollection, releaseCollection } from './plan.js';

export const { deployable } = plans;

export const operations: readonly Offer[] = [
  create,
  list,
  listOfVault,
  show,
  fund,
  release,
  push,
  pushable,
  pause,
  resume,
  cancel,
  recover,
];
