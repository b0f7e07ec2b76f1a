/** What the chain cannot give of a vote: what it is about, and what was only said. */
import type { Finding } from '../../covenant/genesis.js';
import { defineKeptRecord, type Beside, type KeptRecord } from '../../record/kept-record.js';
import { findVault, vaultCollection } from '../vaults/index.js';
import {
  PROPOSAL_LABEL,
  proposalCollection,
  saidVoteCollection,
  type ProposalRecord,
  type SaidVoteRecord,
} from './proposal.js';
import { voteLocksOf } from './records.js';

const checkProposal = async (proposal: ProposalRecord, { store }: Beside): Promise<readonly Finding[]> => {
  const { on_chain_vault_id: id } = await findVault(store, proposal.vault_id);
  const other = (await voteLocksOf(store, proposal.id)).find(
    ({ unlock_time }) => unlock_time !== proposal.voting_ends_at,
  );
  return [
    {
      check: 'vault',
      ok: id === proposal.on_chain_vault_id,
      detail: `the vault is ${id}, not ${proposal.on_chain_vault_id}`,
    },
    {
      check: 'end',
      ok: other === undefined,
      detail: `it ends at ${proposal.voting_ends_at}; a vote lock of it unlocks at ${other?.unlock_time ?? 0}`,
    },
  ];
};

export const keptRecords: readonly KeptRecord[] = [
  defineKeptRecord<ProposalRecord>({
    collection: proposalCollection,
    pack: (proposal) => proposal,
    identity: ({ label: _, ...proposal }) => proposal,
    localLabelKind: PROPOSAL_LABEL,
    needs: ({ vault_id: id }) => [{ collection: vaultCollection, id }],
    check: checkProposal,
  }),
  defineKeptRecord<SaidVoteRecord>({
    collection: saidVoteCollection,
    pack: (vote) => vote,
    needs: ({ proposal_id: id }) => [{ collection: proposalCollection, id }],
    unique: ({ proposal_id, voter }) => `${proposal_id} ${voter}`,
  }),
];
