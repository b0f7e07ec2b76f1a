/** What the registry, the audit and the monitor need to know of streams. */
import { defineDeployable } from '../../record/deployable.js';
import { eventCollection } from '../../record/events.js';
import { defineFeed } from '../../record/order-by-time.js';
import { poolMovements } from '../../record/movement.js';
import { vaultCollection } from '../vaults/index.js';
import { activityCollection, type ActivityRecord } from './activity.js';
import { kindOf } from './kinds.js';
import {
  batchCollection,
  claimCollection,
  fundedTogether,
  streamCollection,
  streamFollowing,
} from './records.js';
import { remainingPool } from './rules.js';
import type { ClaimRecord, StreamRecord } from './stream.js';
import { streamStrays } from './strays.js';
import { paidByStream } from './paid.js';

const pool = {
  tokenCategory: (stream: StreamRecord) => stream.token_category,
  parties: (stream: StreamRecord) => ({ sender: stream.sender, recipient: stream.recipient }),
};

export const deployable = defineDeployable<StreamRecord>({
  contractType: (stream) => kindOf(stream).contractType,
  module: 'streams',
  entityType: 'stream',
  strays: streamStrays,
  collection: streamCollection,
  label: (stream) => stream.stream_id,
  contract: (stream, network) => kindOf(stream).contract(stream, network),
  checkTerms: (stream) => kindOf(stream).checkTerms(stream),
  genesis: async (stream, { network, store }) =>
    (await fundedTogether(store, stream)).map((member) => kindOf(member).genesis(member, network)),
  fundedTogether: (stream, { store }) => fundedTogether(store, stream),
  remaining: (stream) => (stream.thread === null ? null : remainingPool(stream)),
  ...pool,
  movements: poolMovements({ ...pool, paid: paidByStream }),
  following: streamFollowing,
  needs: ({ vault_id, batch_id }) => [
    ...(vault_id === null ? [] : [{ collection: vaultCollection, id: vault_id }]),
    ...(batch_id === null ? [] : [{ collection: batchCollection, id: batch_id }]),
  ],
  feeds: [
    defineFeed<ClaimRecord>({ collection: claimCollection, timeOf: ({ claimed_at }) => claimed_at }),
    defineFeed<ActivityRecord>({
      collection: activityCollection,
      timeOf: async ({ id }, store) => (await store.get(eventCollection, id))?.created_at ?? 0,
    }),
  ],
});
