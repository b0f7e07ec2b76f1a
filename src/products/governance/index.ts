/** Governance: what other parts may import, and the operations in README order. */
import type { Offer } from '../../operation/define.js';
import { list } from './operations/list.js';
import { lock } from './operations/lock.js';
import { propose } from './operations/propose.js';
import { recount } from './operations/recount.js';
import { show } from './operations/show.js';
import { unlock } from './operations/unlock.js';
import { vote } from './operations/vote.js';

export { keptRecords } from './kept-records.js';
export { deployable } from './deployable.js';
export { followVotes } from './follow-lock.js';
export { proposalCollection, saidVoteCollection, voteLockCollection } from './proposal.js';

export const operations: readonly Offer[] = [propose, list, show, vote, lock, unlock, recount];
