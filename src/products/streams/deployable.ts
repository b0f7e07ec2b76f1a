/** What the registry, the audit and the monitor need to know of streams. */
import { defineDeployable } from '../../operation/deployable.js';
import { kindOf } from './kinds.js';
import { fundedTogether, streamCollection, streamFollowing } from './records.js';
import { remainingPool } from './rules.js';
import type { StreamRecord } from './stream.js';

export const deployable = defineDeployable<StreamRecord>({
  contractType: 'Stream',
  module: 'streams',
  collection: streamCollection,
  label: (stream) => stream.stream_id,
  contract: (stream, network) => kindOf(stream).contract(stream, network),
  checkTerms: (stream) => kindOf(stream).checkTerms(stream),
  genesis: (stream, { network, store }) =>
    fundedTogether(store, stream).map((member) => kindOf(member).genesis(member, network)),
  remaining: (stream) => (stream.thread === null ? null : remainingPool(stream)),
  tokenCategory: (stream) => stream.token_category,
  parties: (stream) => ({ sender: stream.sender, recipient: stream.recipient }),
  following: streamFollowing,
});
