/** Reward campaigns: what other parts may import, and the operations in README order. */
import type { Offer } from '../../operation/define.js';
import { create } from './operations/create.js';
import { distribute } from './operations/distribute.js';
import { cancel } from './operations/cancel.js';
import { fund } from './operations/fund.js';
import { pause } from './operations/pause.js';
import { recover } from './operations/recover.js';
import { remove } from './operations/remove.js';
import { list, show } from './operations/read.js';
import { campaigns } from './product.js';

export { campaignCollection, distributionCollection } from './campaign.js';

export const { deployable } = campaigns;

export const operations: readonly Offer[] = [
  create,
  list,
  show,
  fund,
  distribute,
  pause,
  cancel,
  recover,
  remove,
];
