/** What the registry and the audit need to know of vote locks. */
import { defineDeployable } from '../../record/deployable.js';
import { checkVoteLockTerms, voteIdOf, voteLockContract } from './contract.js';
import { lockFollowing } from './follow-lock.js';
import { readable } from './records.js';
import { proposalCollection, proposalTopic, voteLockCollection, type VoteLockRecord } from './proposal.js';
import { voteMovements } from './movements.js';

export const deployable = defineDeployable<VoteLockRecord>({
  contractType: () => 'VoteLock',
  module: 'governance',
  entityType: 'proposal',
  collection: voteLockCollection,
  label: ({ vote_id }) => vote_id,
  contract: voteLockContract,
  checkTerms: (record) => [
    ...checkVoteLockTerms(record),
    {
      check: 'voteId',
      ok: record.vote_id === voteIdOf(record),
      detail: `${record.vote_id} must be the hash of proposal, voter and end`,
    },
  ],
  genesis: () => [],
  remaining: () => null,
  tokenCategory: ({ lock }) => lock?.token_category ?? null,
  movements: voteMovements,
  parties: ({ voter }) => ({ voter }),
  following: (context) => lockFollowing(context),
  told: { kind: 'proposal', collection: proposalCollection, readable, topic: proposalTopic },
  isLive: ({ status }) => status !== 'UNLOCKED',
  eventsId: ({ proposal_id }) => proposal_id,
  idsOfEvents: async (proposal, store) =>
    (await store.find(voteLockCollection, { where: { proposal } })).items.map(({ id }) => id),
  needs: ({ proposal_id }) => [{ collection: proposalCollection, id: proposal_id }],
});
