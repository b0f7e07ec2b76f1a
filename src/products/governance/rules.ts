/** The rules of governance: pure, with time and votes as arguments. */
import { formatUnits, toPositiveUnits, type WrittenAmount } from '../../bch/amount.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import { TreasuryError } from '../../errors.js';
import type { Choice, CountedLock, ProposalRecord, ProposalStatus, SaidVoteRecord } from './proposal.js';

/**
 * Weights of votes in different tokens are added in display units. As integers they have 18 decimals, the most that a
 * token can have, so that nothing is rounded.
 */
export const WEIGHT_DECIMALS = 18;

/** The most that a quorum or an off-chain weight may be, display units: more than any token has. */
const MAXIMUM_WEIGHT = 10n ** 19n;

const scale = (units: bigint, decimals: number): bigint => units * 10n ** BigInt(WEIGHT_DECIMALS - decimals);

/** The weight of a stake in a token of that many decimals. */
export const stakeWeight = ({ stake, decimals }: Pick<CountedLock, 'stake' | 'decimals'>): bigint =>
  scale(stake, decimals);

/**
 * A weight as it was written, which has the decimals that it is written with.
 *
 * @param decimals the most decimals that it may have
 * @throws invalid_amount when it is 0, too large or too fine
 */
export const readWeight = (written: WrittenAmount, field: string, decimals = WEIGHT_DECIMALS): bigint => {
  const fraction = (written.decimal.split('.')[1] ?? '').length;
  const own = Math.min(fraction, decimals);
  return scale(toPositiveUnits(written, own, field, MAXIMUM_WEIGHT * 10n ** BigInt(own)), own);
};

/** A weight in the smallest unit of a token of that many decimals, exact for sums of its stakes. */
export const unitsOfWeight = (weight: bigint, decimals: number): bigint =>
  weight / 10n ** BigInt(WEIGHT_DECIMALS - decimals);

/** A weight as exact display text. */
export const weightText = (weight: bigint): string => formatUnits(weight, WEIGHT_DECIMALS);

/** What a locked vote adds to a tally. */
export type LockedVote = Pick<CountedLock, 'choice' | 'stake' | 'token_category' | 'decimals'>;

/** The sums of one kind of votes. */
export type Sums = Readonly<Record<Choice, bigint>>;

/** Votes of one token, or those that were only said. */
export type TallyPart = {
  /** Null: off-chain. */
  readonly tokenCategory: string | null;
  /** Null: off-chain. */
  readonly decimals: number | null;
  readonly sums: Sums;
  readonly voters: number;
  /** False: shown, and not part of the result. */
  readonly isTallied: boolean;
};

export type Tally = { readonly sums: Sums; readonly parts: readonly TallyPart[] };

type Cast = { readonly choice: Choice; readonly weight: bigint };

const NOTHING: Sums = { FOR: 0n, AGAINST: 0n, ABSTAIN: 0n };

const add = (sums: Sums, { choice, weight }: Cast): Sums => ({ ...sums, [choice]: sums[choice] + weight });

const sumsOf = (casts: readonly Cast[]): Sums => casts.reduce(add, NOTHING);

const castBy = (locks: readonly LockedVote[]): readonly Cast[] =>
  locks.map((lock) => ({ choice: lock.choice, weight: stakeWeight(lock) }));

/** The parts of a tally that locked tokens make, one for each token, by category. */
const lockedParts = (locks: readonly LockedVote[]): readonly TallyPart[] => {
  const categories = [...new Set(locks.map(({ token_category }) => token_category))].sort();
  return categories.map((tokenCategory) => {
    const own = locks.filter(({ token_category }) => token_category === tokenCategory);
    const decimals = own[0]?.decimals ?? 0;
    return { tokenCategory, decimals, isTallied: true, sums: sumsOf(castBy(own)), voters: own.length };
  });
};

/**
 * The tally of a proposal. Off-chain votes are a part of their own; they do not count when a voting token is fixed.
 */
export const tallyOf = (
  { token_category }: Pick<ProposalRecord, 'token_category'>,
  locks: readonly LockedVote[],
  said: readonly Pick<SaidVoteRecord, 'choice' | 'weight'>[],
): Tally => {
  const isTallied = token_category === null;
  const offChain = {
    tokenCategory: null,
    decimals: null,
    isTallied,
    sums: sumsOf(said),
    voters: said.length,
  };
  return {
    parts: [...lockedParts(locks), ...(said.length === 0 ? [] : [offChain])],
    sums: sumsOf([...castBy(locks), ...(isTallied ? said : [])]),
  };
};

type TipTime = { /** Of the tip's own header, unix seconds. */ readonly time: number };

/**
 * When a transaction was accepted, as far as it decides whether a lock is in time, unix seconds.
 *
 * Anyone must be able to count again, so this is read from headers alone: the time of the block that holds the
 * transaction. A block's time is above the median time past that it was mined at, so a lock that is in time by its
 * block is in time by median time past as well. A transaction of the mempool stands where the tip stands.
 */
export const acceptanceTime = ({ blockTime }: Pick<ChainTransaction, 'blockTime'>, tip: TipTime): number =>
  blockTime ?? tip.time;

/** The earliest time at which what is built now can be accepted, unix seconds. */
export const nextAcceptanceTime = (tip: TipTime): number => tip.time;

/** For, against and abstain together: what the quorum is compared with. */
export const turnout = ({ FOR, AGAINST, ABSTAIN }: Sums): bigint => FOR + AGAINST + ABSTAIN;

/** True when voting has ended at `now` (unix seconds). */
export const hasEnded = ({ voting_ends_at }: Pick<ProposalRecord, 'voting_ends_at'>, now: number): boolean =>
  now >= voting_ends_at;

/**
 * The status of a proposal at `now`. After the end: EXPIRED without a quorum; with one PASSED when more is for than
 * against, else REJECTED.
 */
export const statusOf = (
  proposal: Pick<ProposalRecord, 'voting_ends_at' | 'quorum'>,
  sums: Sums,
  now: number,
): ProposalStatus => {
  if (!hasEnded(proposal, now)) return 'ACTIVE';
  if (turnout(sums) < proposal.quorum) return 'EXPIRED';
  return sums.FOR > sums.AGAINST ? 'PASSED' : 'REJECTED';
};

/** The end as answers write it: ISO 8601. */
export const endText = ({ voting_ends_at }: Pick<ProposalRecord, 'voting_ends_at'>): string =>
  new Date(voting_ends_at * 1000).toISOString();

/** @throws voting_ended */
export const checkVotingOpen = (proposal: Pick<ProposalRecord, 'voting_ends_at'>, now: number): void => {
  if (!hasEnded(proposal, now)) return;
  throw new TreasuryError('voting_ended', { votingEndsAt: endText(proposal), chainTime: now });
};

/** @throws voting_open */
export const checkVotingEnded = (proposal: Pick<ProposalRecord, 'voting_ends_at'>, now: number): void => {
  if (hasEnded(proposal, now)) return;
  throw new TreasuryError('voting_open', { votingEndsAt: endText(proposal), chainTime: now });
};

/** Checks the token of a lock. @throws token_category_mismatch */
export const checkVotingToken = (expected: string | null, found: string): void => {
  if (expected === null || expected === found) return;
  throw new TreasuryError('token_category_mismatch', { expected, found });
};
