/** What the registry and the audit need to know of vote locks. */
import { parseAddress } from '../../bch/address.js';
import { defineDeployable } from '../../operation/deployable.js';
import { checkVoteLockTerms, voteLockContract } from './contract.js';
import type { VoteLockRecord } from './proposal.js';
import { voteLockCollection } from './records.js';

export const deployable = defineDeployable<VoteLockRecord>({
  contractType: 'VoteLock',
  module: 'governance',
  collection: voteLockCollection,
  label: ({ vote_id }) => vote_id,
  contract: voteLockContract,
  checkTerms: checkVoteLockTerms,
  genesis: () => [],
  remaining: () => null,
  tokenCategory: ({ lock }) => lock?.token_category ?? null,
  parties: ({ voter }) => ({ voter }),
  // A vote has no thread: it is followed by `follow-lock.ts`, whenever its proposal is read.
  following: () => ({
    collection: voteLockCollection,
    entityType: 'vote',
    decimals: ({ lock }) => lock?.decimals ?? 0,
    label: ({ vote_id }) => vote_id,
    followed: {
      lockingBytecode: ({ contract_address }) => parseAddress(contract_address).lockingBytecode,
      thread: () => null,
      isPending: () => false,
      unfunded: (record) => record,
      observeFunding: () => null,
      observeMove: (record) => ({ record, moves: [] }),
    },
  }),
});
