/** What the registry and the audit need to know of vote locks. */
import { parseAddress } from '../../bch/address.js';
import type { Context } from '../../operation/context.js';
import { defineDeployable } from '../../record/deployable.js';
import { checkVoteLockTerms, voteIdOf, voteLockContract } from './contract.js';
import { followLock, rebuildLock } from './follow-lock.js';
import { proposalCollection, voteLockCollection, type VoteLockRecord } from './proposal.js';
import { voteMovements } from './movements.js';
import { findProposal } from './records.js';

/** A vote as it was before its lock. */
const unfunded = (record: VoteLockRecord): VoteLockRecord => ({
  ...record,
  status: 'PENDING',
  tx_hash: null,
  lock: null,
  unlock_tx_hash: null,
  unlock_height: null,
});

/** @throws Error when there is no such vote, proposal_not_found */
const findVote = async (id: string, { store }: Pick<Context, 'store'>) => {
  const record = await store.get(voteLockCollection, id);
  if (record === null) throw new Error(`there is no vote lock ${id}`);
  return { proposal: await findProposal(store, record.proposal_id) };
};

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
  // A vote has no thread: it is followed by `follow-lock.ts`, whenever its proposal is read.
  following: ({ network }) => ({
    collection: voteLockCollection,
    entityType: 'proposal',
    decimals: ({ lock }) => lock?.decimals ?? 0,
    label: ({ vote_id }) => vote_id,
    contract: (record) => voteLockContract(record, network),
    followed: {
      lockingBytecode: ({ contract_address }) => parseAddress(contract_address).lockingBytecode,
      thread: () => null,
      isPending: () => false,
      unfunded,
      observeFunding: () => null,
      observeMove: (record) => ({ record, moves: [] }),
    },
  }),
  follow: async (id, context) => {
    const { proposal } = await findVote(id, context);
    return (await followLock(proposal, id, context)).record;
  },
  rebuild: async (id, context) => {
    const { proposal } = await findVote(id, context);
    return (await rebuildLock(proposal, id, context)).record;
  },
  reset: unfunded,
  isLive: ({ status }) => status !== 'UNLOCKED',
  eventsId: ({ proposal_id }) => proposal_id,
  needs: ({ proposal_id }) => [{ collection: proposalCollection, id: proposal_id }],
});
