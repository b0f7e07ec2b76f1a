/** Where proposals and votes are kept, how they are found, and who may read them. */
import type { z } from 'zod';
import type { Address } from '../../bch/address.js';
import { newestFingerprint } from '../../covenant/artifact.js';
import { TreasuryError } from '../../errors.js';
import type { Caller, Context } from '../../operation/context.js';
import type {
  Collection,
  RecordSchema,
  StorePort,
  StoreReader,
  StoreWriter,
} from '../../operation/ports/store.js';
import { tokenAsset, type Asset } from '../../record/assets.js';
import { findRecord } from '../../record/find.js';
import { ensureLabels } from '../../record/local-label.js';
import { writeNote } from '../../record/events.js';
import { checkVaultReader, findVault, vaultReaders } from '../vaults/index.js';
import { voteIdOf, voteLockContract } from './contract.js';
import {
  UNFUNDED,
  PROPOSAL_LABEL,
  proposalCollection,
  proposalTopic,
  saidVoteCollection,
  voteLockCollection,
  voterKey,
  type ProposalRecord,
  type SaidVoteRecord,
  type VoteLockRecord,
} from './proposal.js';
import { WEIGHT_DECIMALS } from './rules.js';

/** Gives proposals of an earlier version, or of another home, their labels. */
export const labelProposals = (store: StorePort): Promise<void> =>
  ensureLabels(store, proposalCollection, PROPOSAL_LABEL);

/** A proposal by its id or its label. @throws proposal_not_found */
export const findProposal = async (store: StoreReader, id: string): Promise<ProposalRecord> =>
  (await store.get(proposalCollection, id.trim().toLowerCase())) ??
  (await findRecord(store, proposalCollection, id, 'proposal_not_found'));

/** The voting token of the proposal that a raw input names; null: any token. @throws proposal_not_found */
export const votingAsset = async (
  { proposalId }: Readonly<Record<string, unknown>>,
  store: StoreReader,
): Promise<Asset | null> => {
  const { token_category: category } = await findProposal(store, String(proposalId));
  return category === null ? null : tokenAsset(category, store);
};

/** Who may read a proposal: its creator, and whoever may read its vault. */
const { checkReader, readable } = vaultReaders<ProposalRecord>(({ vault_id: vaultId, creator }) => ({
  vaultId,
  parties: [creator],
}));
export { readable };

/** A proposal that the caller may read. @throws proposal_not_found, vault_not_found, private_vault */
export const readProposal = async (
  id: string,
  { store, caller }: Pick<Context, 'store'> & { readonly caller: Caller | null },
): Promise<ProposalRecord> => {
  await labelProposals(store);
  const proposal = await findProposal(store, id);
  await checkReader(proposal, caller, store);
  return proposal;
};

/** Checks that somebody may vote: anyone in a public vault, members only in a private one. @throws private_vault */
export const checkVoter = async (
  store: StoreReader,
  { vault_id }: ProposalRecord,
  voter: Address,
): Promise<void> => {
  checkVaultReader(await findVault(store, vault_id), voter);
};

const byVoter =
  <Schema extends RecordSchema>(collection: Collection<Schema, 'voter'>) =>
  async (store: StoreReader, proposalId: string, voter: string): Promise<z.output<Schema> | null> =>
    (
      await store.find(collection, {
        where: { voter: voterKey(proposalId, voter) },
        limit: 1,
        isCounted: false,
      })
    ).items[0] ?? null;

/** The vote lock of a voter on a proposal, or null when none was ever asked for. */
export const findVoteLock = byVoter(voteLockCollection);

/** The off-chain vote of a voter on a proposal, or null. */
export const findSaidVote = byVoter(saidVoteCollection);

/**
 * Checks that a voter has no vote yet, on chain or off it.
 *
 * @param lock the vote lock of the voter, as the chain has it
 * @throws already_voted
 */
export const checkFirstVote = async (
  store: StoreReader,
  { id }: ProposalRecord,
  { text: voter }: Address,
  lock: VoteLockRecord | null,
): Promise<void> => {
  if ((lock?.lock ?? null) !== null || (await findSaidVote(store, id, voter)) !== null)
    throw new TreasuryError('already_voted', { voter });
};

/** All vote locks of a proposal, those that were never made included, oldest first. */
export const voteLocksOf = async (store: StoreReader, proposal: string): Promise<readonly VoteLockRecord[]> =>
  (await store.find(voteLockCollection, { where: { proposal }, order: 'oldest' })).items;

/** The off-chain votes of a proposal, oldest first, without those of voters who have locked tokens since. */
export const saidVotesOf = async (
  store: StoreReader,
  proposal: string,
  locks: readonly VoteLockRecord[],
): Promise<readonly SaidVoteRecord[]> => {
  const lockers = new Set(locks.filter(({ lock }) => lock !== null).map(({ voter }) => voter));
  const filter = ({ voter }: SaidVoteRecord): boolean => !lockers.has(voter);
  return (await store.find(saidVoteCollection, { where: { proposal }, filter, order: 'oldest' })).items;
};

/** An event of a proposal that has no transaction; its amount is a weight. @returns what writes it */
export const noteOf = async (
  { id: entityId }: ProposalRecord,
  note: { readonly type: 'created' | 'voted'; readonly actor: string; readonly amount: bigint },
  { network, clock, price }: Pick<Context, 'network' | 'clock' | 'price'>,
): Promise<(writer: StoreWriter) => Promise<void>> => {
  const about = { entityType: 'proposal', entityId, decimals: WEIGHT_DECIMALS };
  const subject = { ...about, network, now: clock.now(), price: await price.reading() };
  return async (writer) => {
    const topic = proposalTopic(await findProposal(writer, entityId));
    await writeNote(writer, { ...subject, topic }, note);
  };
};

/** The vote lock of a voter on a proposal: the one that is kept, or the one that would be. */
export const voteLockFor = async (
  proposal: ProposalRecord,
  voter: Address,
  context: Pick<Context, 'network' | 'uuid' | 'clock' | 'store'>,
): Promise<VoteLockRecord> =>
  (await findVoteLock(context.store, proposal.id, voter.text)) ?? draftVoteLock(proposal, voter, context);

const draftVoteLock = (
  proposal: ProposalRecord,
  voter: Address,
  { network, uuid, clock }: Pick<Context, 'network' | 'uuid' | 'clock'>,
): VoteLockRecord => {
  const terms = {
    artifact_fingerprint: newestFingerprint('vote-lock'),
    proposal_id: proposal.id,
    voter: voter.text,
    unlock_time: proposal.voting_ends_at,
  };
  const contract = voteLockContract(terms, network);
  return {
    ...terms,
    id: uuid(),
    vote_id: voteIdOf(terms),
    contract_address: contract.address.text,
    constructor_params: [...contract.constructorParams],
    created_at: clock.now(),
    ...UNFUNDED,
  };
};

/** Keeps a vote lock, unless the voter has one on this proposal already; returns the one that is kept. */
export const keepVoteLock = async (writer: StoreWriter, draft: VoteLockRecord): Promise<VoteLockRecord> => {
  const known = await findVoteLock(writer, draft.proposal_id, draft.voter);
  if (known !== null) return known;
  writer.put(voteLockCollection, draft);
  return draft;
};
