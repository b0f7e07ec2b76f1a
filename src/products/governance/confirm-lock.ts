/** What is compared before a lock is confirmed: the transaction with the terms, and the request with both. */
import type { Address } from '../../bch/address.js';
import { toPositiveUnits, formatUnits, type WrittenAmount } from '../../bch/amount.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import { mismatch } from '../../offer/confirm.js';
import type { Context } from '../../operation/context.js';
import { lockTerms, seeTransaction, votingDecimals } from './follow-lock.js';
import { FAULTS, judgeLock, type LockTerms, type SeenLock } from './observe.js';
import type { Choice, ProposalRecord, VoteLockRecord } from './proposal.js';
import { checkVotingOpen, checkVotingToken } from './rules.js';

/** What a request says of a lock. Compared, never believed. */
export type LockClaim = {
  readonly voteChoice?: Choice | undefined;
  readonly weight?: WrittenAmount | undefined;
  readonly contractAddress?: Address | undefined;
  readonly voteId?: string | undefined;
  readonly constructorParams?: readonly (string | number)[] | undefined;
  readonly nftCommitment?: string | undefined;
};

/** The first thing that a request says otherwise than terms and chain, as what is expected of it; or null. */
const differenceOf = (
  { weight, constructorParams, contractAddress, voteId, nftCommitment, ...claim }: LockClaim,
  lock: SeenLock,
  record: VoteLockRecord,
  decimals: number,
): string | null => {
  const units = weight === undefined ? undefined : toPositiveUnits(weight, decimals, 'weight');
  const checks: readonly (readonly [name: string, claimed: string | undefined, actual: string])[] = [
    ['voteChoice', claim.voteChoice, lock.choice],
    ['weight', units === undefined ? units : formatUnits(units, decimals), formatUnits(lock.stake, decimals)],
    ['contractAddress', contractAddress?.text, record.contract_address],
    ['voteId', voteId?.toLowerCase(), record.vote_id],
    [
      'constructorParams',
      constructorParams?.map((param) => String(param).toLowerCase()).join(', '),
      record.constructor_params.join(', '),
    ],
    ['nftCommitment', nftCommitment?.toLowerCase(), lock.commitment],
  ];
  const other = checks.find(([, claimed, actual]) => claimed !== undefined && claimed !== actual);
  return other === undefined ? null : `${other[0]} ${other[2]}`;
};

const stakeCategoryAt = ({ transaction }: ChainTransaction, { lockingBytecode }: LockTerms): string =>
  transaction.outputs.find(
    (output) => output.lockingBytecode === lockingBytecode && output.token?.nft === undefined,
  )?.token?.category ?? '';

/**
 * Checks that a transaction is the vote of a voter, and that the request says nothing else of it.
 *
 * @throws tx_mismatch, voting_ended, token_category_mismatch, invalid_amount, chain_unavailable
 */
export const checkLockClaim = async (
  proposal: ProposalRecord,
  record: VoteLockRecord,
  transaction: ChainTransaction,
  claim: LockClaim,
  context: Pick<Context, 'chain' | 'store'>,
): Promise<void> => {
  const { txid } = transaction.transaction;
  const terms = lockTerms(proposal, record);
  const seen = await seeTransaction(transaction, terms, await context.chain.tip(), context);
  const judged = judgeLock(seen, terms);
  const expected = `a vote of ${record.voter} on proposal ${proposal.id}, locked at ${record.contract_address}`;
  if (judged === null) throw mismatch(txid, expected, 'a transaction that pays nothing there');
  if (judged === 'late') checkVotingOpen(proposal, seen.acceptedAt);
  if (judged === 'token') checkVotingToken(terms.tokenCategory, stakeCategoryAt(transaction, terms));
  if (typeof judged === 'string') throw mismatch(txid, expected, FAULTS[judged]);
  const decimals = await votingDecimals(context.store, proposal, judged.token_category);
  const actual = differenceOf(claim, judged, record, decimals);
  if (actual !== null) throw mismatch(txid, actual, 'something else in the request');
};
