/**
 * Following votes: what the chain has at a vote-lock address is folded into its record, once.
 *
 * A vote is no thread that moves on: its whole history is one lock and at most one unlock. It is read anew each time,
 * so that a lock that nobody confirmed is found and one that left the chain is forgotten.
 */
import { parseAddress } from '../../bch/address.js';
import { coinAt, type ChainTransaction } from '../../bch/transaction.js';
import { TreasuryError } from '../../errors.js';
import { tokenAsset } from '../../record/assets.js';
import type { Context } from '../../operation/context.js';
import { requireSound } from '../../record/damaged.js';
import { written, type How } from '../../record/follow.js';
import {
  certaintyOf,
  eventCollection,
  moveId,
  writeMove,
  type EventType,
  type MoveSubject,
} from '../../record/events.js';
import type { Tip } from '../../operation/ports/chain.js';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { acceptanceTime } from './acceptance-time.js';
import { voteLockContract } from './contract.js';
import {
  ballotCategoryAt,
  countVoter,
  readLock,
  type LockTerms,
  type SeenLock,
  type SeenTransaction,
  type VoterCount,
} from './observe.js';
import {
  voteLockCollection,
  type CountedLock,
  type ProposalRecord,
  type VoteLockRecord,
} from './proposal.js';
import { stakeDetails } from './movements.js';
import { voteLocksOf } from './records.js';

const MAXIMUM_TRIES = 5;

/** A vote lock as the chain has it now, and the count that says so. */
export type FollowedLock = { readonly record: VoteLockRecord; readonly count: VoterCount };

/** What the vote of a lock's voter must be. */
export const lockTerms = (
  proposal: ProposalRecord,
  { voter, contract_address }: Pick<VoteLockRecord, 'voter' | 'contract_address'>,
): LockTerms => ({
  proposalId: proposal.id,
  lockingBytecode: parseAddress(contract_address).lockingBytecode,
  voterLock: parseAddress(voter).lockingBytecode,
  end: proposal.voting_ends_at,
  tokenCategory: proposal.token_category,
});

/** A transaction with what judging it needs. @throws chain_unavailable */
export const seeTransaction = async (
  chain: ChainTransaction,
  { lockingBytecode }: LockTerms,
  tip: Tip,
  context: Pick<Context, 'chain'>,
): Promise<SeenTransaction> => {
  const category = ballotCategoryAt(chain.transaction, lockingBytecode);
  const isMinted = chain.transaction.inputs.some(({ txid, vout }) => txid === category && vout === 0);
  // The genesis coin of a category is output 0 of the transaction that the category is named after.
  const source = category === null || !isMinted ? null : await context.chain.transaction(category);
  const genesis = source === null ? null : coinAt(source, 0);
  return { chain, acceptedAt: acceptanceTime(chain, tip), genesis };
};

/**
 * The transactions without those that make or take a lock and cannot be. What else pays the address counts for nothing
 * and costs no look.
 */
const withoutFaults = async (
  history: readonly ChainTransaction[],
  terms: LockTerms,
  { chain }: Pick<Context, 'chain'>,
): Promise<readonly ChainTransaction[]> => {
  const isLock = (found: ChainTransaction): boolean => typeof (readLock(found, terms) ?? '') !== 'string';
  const locks = new Set(history.filter(isLock).map(({ transaction: { txid } }) => txid));
  const counts = ({ transaction: { txid, inputs } }: ChainTransaction): boolean =>
    locks.has(txid) || inputs.some((input) => locks.has(input.txid));
  const faults = await Promise.all(
    history.map((found) => (counts(found) ? chain.faultOf(found) : Promise.resolve(null))),
  );
  return history.filter((_, index) => faults[index] === null);
};

/** Counts one voter from the chain alone. @throws chain_unavailable */
const countFromChain = async (
  terms: LockTerms,
  tip: Tip,
  context: Pick<Context, 'chain'>,
  candidates: readonly ChainTransaction[],
): Promise<VoterCount> => {
  const entries = await context.chain.history(terms.lockingBytecode);
  const found = await Promise.all(entries.map(({ txid }) => context.chain.transaction(txid)));
  const history = found.filter((transaction) => transaction !== null);
  const known = new Set(history.map(({ transaction }) => transaction.txid));
  const further = candidates.filter(({ transaction }) => !known.has(transaction.txid));
  const valid = await withoutFaults([...history, ...further], terms, context);
  return countVoter(
    terms,
    await Promise.all(valid.map((chain) => seeTransaction(chain, terms, tip, context))),
  );
};

/**
 * Decimals of a token that votes: those of the proposal's token, else those pinned with its first vote on the
 * proposal, else the registry's.
 */
export const votingDecimals = async (
  store: StoreReader,
  proposal: ProposalRecord,
  tokenCategory: string,
): Promise<number> => {
  if (proposal.decimals !== null) return proposal.decimals;
  const earlier = (await voteLocksOf(store, proposal.id)).find(
    ({ lock }) => lock?.token_category === tokenCategory,
  );
  return earlier?.lock?.decimals ?? (await tokenAsset(tokenCategory, store)).decimals;
};

const countedLock = (
  seen: SeenLock,
  { record, decimals, now }: { record: VoteLockRecord; decimals: number; now: number },
): CountedLock => ({
  choice: seen.choice,
  token_category: seen.tokenCategory,
  decimals,
  stake: seen.stake,
  stake_vout: seen.stakeVout,
  ballot_category: seen.ballotCategory,
  ballot_vout: seen.ballotVout,
  commitment: seen.commitment,
  height: seen.height,
  locked_at: seen.blockTime ?? (record.tx_hash === seen.txid ? record.lock?.locked_at : undefined) ?? now,
});

/** The record that a count gives. */
const applyCount = (
  record: VoteLockRecord,
  { lock, unlock }: VoterCount,
  at: { readonly decimals: number; readonly now: number },
): VoteLockRecord => ({
  ...record,
  status: lock === null ? 'PENDING' : unlock === null ? 'LOCKED' : 'UNLOCKED',
  tx_hash: lock?.txid ?? null,
  lock: lock === null ? null : countedLock(lock, { record, ...at }),
  unlock_tx_hash: unlock?.transaction.txid ?? null,
  unlock_height: unlock?.height ?? null,
});

const isSame = (a: VoteLockRecord, b: VoteLockRecord): boolean =>
  a.tx_hash === b.tx_hash &&
  a.lock?.height === b.lock?.height &&
  a.unlock_tx_hash === b.unlock_tx_hash &&
  a.unlock_height === b.unlock_height;

type Happening = Pick<VoteLockRecord, 'proposal_id' | 'voter'> & { readonly type: EventType; txHash: string };

const happenings = ({
  proposal_id,
  voter,
  tx_hash,
  unlock_tx_hash,
}: VoteLockRecord): readonly Happening[] => [
  ...(tx_hash === null ? [] : [{ proposal_id, voter, type: 'locked' as const, txHash: tx_hash }]),
  ...(unlock_tx_hash === null
    ? []
    : [{ proposal_id, voter, type: 'unlocked' as const, txHash: unlock_tx_hash }]),
];

/** Where the transaction of a happening is, by the count. */
const placeOf = ({ type }: Happening, { lock, unlock }: VoterCount): SeenLock | ChainTransaction | null =>
  type === 'locked' ? lock : unlock;

/** True when the events of a record say what the chain says. */
const areSettled = async (
  store: StoreReader,
  { record, count }: FollowedLock,
  tipHeight: number,
): Promise<boolean> => {
  for (const happening of happenings(record)) {
    const event = await store.get(eventCollection, moveId(record.proposal_id, happening));
    const height = placeOf(happening, count)?.height ?? null;
    if (event?.height !== height || event.certainty !== certaintyOf(height, tipHeight)) return false;
  }
  return true;
};

/** Ids of all events of a proposal that tell of a voter's lock. */
const eventsOfVoter = async (
  store: StoreReader,
  { proposal_id: entity, voter }: VoteLockRecord,
): Promise<readonly string[]> =>
  (await store.find(eventCollection, { where: { entity }, limit: Number.MAX_SAFE_INTEGER })).items
    .filter(({ actor, tx_hash }) => actor === voter && tx_hash !== null)
    .map(({ id }) => id);

/** Writes the events of a record, and removes `others` and those of what the chain took back. */
const writeHappenings = async (
  writer: StoreWriter,
  before: VoteLockRecord,
  { record, count }: FollowedLock,
  context: Pick<Context, 'network' | 'clock'> & Pick<MoveSubject, 'price' | 'tipHeight'>,
  others: readonly string[],
): Promise<void> => {
  const kept = new Set(happenings(record).map((happening) => moveId(record.proposal_id, happening)));
  for (const id of [...happenings(before).map((gone) => moveId(gone.proposal_id, gone)), ...others])
    if (!kept.has(id)) writer.remove(eventCollection, id);
  for (const happening of happenings(record)) {
    const { height = null, blockTime = null } = placeOf(happening, count) ?? {};
    const { network, clock, price, tipHeight } = context;
    const about = {
      entityType: 'proposal',
      entityId: record.proposal_id,
      decimals: record.lock?.decimals ?? 0,
    };
    const subject = { ...about, network, now: clock.now(), price, tipHeight };
    await writeMove(writer, subject, {
      ...happening,
      height,
      blockTime,
      actorLock: parseAddress(record.voter).lockingBytecode,
      amount: record.lock?.stake ?? 0n,
      details: stakeDetails(record),
    });
  }
};

const foldIn = async (
  proposal: ProposalRecord,
  id: string,
  context: Context,
  how: How,
): Promise<FollowedLock> => {
  const { store, chain, clock } = context;
  const { candidates, isRebuild } = how;
  for (let tries = 0; tries < MAXIMUM_TRIES; tries += 1) {
    const record = await store.get(voteLockCollection, id);
    if (record === null) break;
    requireSound(record, (lock) => voteLockContract(lock, context.network), record.vote_id);
    const tip = await chain.tip();
    const count = await countFromChain(lockTerms(proposal, record), tip, context, candidates);
    const { lock } = count;
    const decimals = lock === null ? 0 : await votingDecimals(store, proposal, lock.tokenCategory);
    const next = applyCount(record, count, { decimals, now: clock.now() });
    const { height: tipHeight } = tip;
    const isUpToDate = isSame(record, next) && (await areSettled(store, { record, count }, tipHeight));
    if (isUpToDate && !isRebuild) return { record, count };
    const price = isRebuild ? null : await context.price.reading();
    const writing = store.transaction(async (writer) => {
      // Check: somebody else may have followed it meanwhile.
      if ((await writer.get(voteLockCollection, id)) !== record) return false;
      // Record: the fold and its events.
      writer.put(voteLockCollection, next);
      const others = isRebuild ? await eventsOfVoter(writer, record) : [];
      await writeHappenings(
        writer,
        record,
        { record: next, count },
        { ...context, price, tipHeight },
        others,
      );
      return true;
    });
    const isWritten = await written(writing, how);
    if (isWritten !== false) return { record: next, count };
  }
  throw new TreasuryError('store_conflict', { label: `The vote lock of proposal ${proposal.id}` });
};

/**
 * A vote lock as the chain has it now. Whatever was found is in the store before this returns.
 *
 * @param candidates transactions that may not be in the address's history yet
 * @throws chain_unavailable, store_conflict
 */
export const followLock = (
  proposal: ProposalRecord,
  id: string,
  context: Context,
  candidates: readonly ChainTransaction[] = [],
): Promise<FollowedLock> => foldIn(proposal, id, context, { candidates, isRebuild: false });

/**
 * A vote lock written anew with its events, whatever the store said of it.
 *
 * @throws chain_unavailable, store_conflict
 */
export const rebuildLock = (proposal: ProposalRecord, id: string, context: Context): Promise<FollowedLock> =>
  foldIn(proposal, id, context, { candidates: [], isRebuild: true });

/** Every vote lock of a proposal as the chain has it now, oldest first. @throws chain_unavailable, store_conflict */
export const followVotes = async (
  proposal: ProposalRecord,
  context: Context,
): Promise<readonly FollowedLock[]> =>
  Promise.all(
    (await voteLocksOf(context.store, proposal.id)).map(({ id }) => followLock(proposal, id, context)),
  );
