/** Voting with tokens: the stake is locked until the end, with a ballot beside it. */
import { z } from 'zod';
import { formatUnits, toPositiveUnits, showAmounts } from '../../../bch/amount.js';
import {
  AddressField,
  AmountField,
  TokenCategoryField,
  TxHash,
  WalletTransactionField,
} from '../../../bch/fields.js';
import type { Transaction } from '../../../bch/transaction.js';
import { TreasuryError } from '../../../errors.js';
import { ConfirmReply, confirmed, indexedTransaction, viewConfirmed } from '../../../offer/confirm.js';
import type { Context } from '../../../operation/context.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { choosePinned, keepPin } from '../../../offer/funding-pins.js';
import { handOut } from '../../../offer/hand-out.js';
import { PreparationReply } from '../../../offer/funding-reply.js';
import { chainNow } from '../../../operation/chain-now.js';
import { MAXIMUM_DRAFTS } from '../../../offer/funding.js';
import { invalidInput } from '../../../operation/read-input.js';
import { nextAcceptanceTime } from '../acceptance-time.js';
import { checkReader, checkVoter, readable } from '../access.js';
import { checkVoteLockTerms } from '../contract.js';
import { ChoiceField, ProposalId, VoterField } from '../fields.js';
import { followLock, lockTerms, votingDecimals } from '../follow-lock.js';
import { voteLockCollection, type ProposalRecord, type VoteLockRecord } from '../proposal.js';
import { readLock } from '../observe.js';
import { draftVoteLock, findProposal, findSaidVote, findVoteLock, keepVoteLock } from '../records.js';
import { showLockedVote, showProposal, SumFields, VoteReply } from '../reply.js';
import { checkVotingOpen, checkVotingToken } from '../rules.js';
import { ballotOf, buildLock, type LockPlan } from '../transactions.js';
import { checkLockClaim } from '../confirm-lock.js';

/** The token of a lock: the proposal's, or the one that is named. @throws token_category_mismatch, invalid_input */
const stakeCategory = (
  { token_category: fixed }: ProposalRecord,
  named: string | null | undefined,
): string => {
  const category = named ?? fixed;
  if (category === null)
    throw invalidInput([
      { path: 'tokenCategory', message: 'is required: the proposal fixes no voting token' },
    ]);
  checkVotingToken(fixed, category);
  return category;
};

/** Checks that a voter has no vote yet, on chain or off it. @throws already_voted, chain_unavailable */
const checkFirstVote = async (proposal: ProposalRecord, voter: string, context: Context): Promise<void> => {
  const known = await findVoteLock(context.store, proposal.id, voter);
  const lock = known === null ? null : (await followLock(proposal, known.id, context)).record.lock;
  if (lock !== null || (await findSaidVote(context.store, proposal.id, voter)) !== null)
    throw new TreasuryError('already_voted', { voter });
};

const DeploymentReply = z.object({
  contractAddress: z.string(),
  voteId: z.string(),
  constructorParams: z.array(z.string()).describe('voteId, voterHash, unlockTime'),
  initialCommitment: z.string().describe("The ballot's commitment, 30 bytes"),
});

const ReadyReply = z.object({
  success: z.literal(true),
  proposalId: z.string(),
  deployment: DeploymentReply,
  stakeAmount: z.number(),
  stakeAmountOnChain: z.string(),
  votingEndsAt: z.string(),
  fee: z.number().describe('Satoshis'),
  wcTransaction: WalletTransactionField,
});

/** The transaction of a vote, or its preparation, checked by the VM. */
const offerLock = async (
  plan: LockPlan,
  record: VoteLockRecord,
  title: string,
  decimals: number,
  context: Context,
) => {
  const { stake, voter } = plan;
  const built = buildLock(plan);
  const { payment } = built;
  if (built.kind === 'preparation') {
    const reply = {
      success: false as const,
      code: 'preparation_required' as const,
      requiresPreparation: true as const,
      preparationTransaction: await handOut(payment, voter, `Prepare a coin to vote on "${title}"`, context),
      message: `${voter.text} has no coin at output index 0 that a ballot can be minted from: sign and broadcast the preparation transaction, then ask again`,
    };
    return { reply, genesisCoin: null };
  }
  const amount = formatUnits(stake.amount, decimals);
  const prompt = `Vote ${stake.choice} on "${title}" and lock ${amount} tokens until the end`;
  const wcTransaction = await handOut(payment, voter, prompt, context);
  const reply = {
    success: true as const,
    proposalId: record.proposal_id,
    deployment: {
      contractAddress: record.contract_address,
      voteId: record.vote_id,
      constructorParams: record.constructor_params,
      initialCommitment: ballotOf(record.proposal_id, stake),
    },
    ...showAmounts({ stakeAmount: stake.amount }, decimals),
    votingEndsAt: new Date(record.unlock_time * 1000).toISOString(),
    fee: Number(payment.fee),
    wcTransaction,
  };
  return { reply, genesisCoin: built.genesisCoin };
};

/**
 * The transaction of a vote, or its preparation. Two locks of one vote conflict: they mint their ballots from one coin.
 *
 * @throws insufficient_funds, store_conflict, chain_unavailable, and what handing out throws
 */
const offerAndKeep = async (
  proposal: ProposalRecord,
  plan: Omit<LockPlan, 'voterCoins' | 'genesisCoin'> & { readonly terms: VoteLockRecord },
  decimals: number,
  context: Context,
) => {
  const { store, clock } = context;
  const { voter, terms: draft } = plan;
  const seen = lockTerms(proposal, draft);
  const isLock = (transaction: Transaction): boolean => {
    const lock = readLock({ transaction, height: null, blockTime: null }, seen);
    return lock !== null && typeof lock !== 'string';
  };
  const label = `the vote on "${proposal.title}"`;
  for (let tries = 0; tries < MAXIMUM_DRAFTS; tries += 1) {
    // Build:
    const record = { collection: voteLockCollection.name, id: draft.id };
    // Anybody may ask for anybody's lock: it keeps no coin from other builders.
    const subject = { id: draft.vote_id, label, record, isLease: false };
    const choice = await choosePinned(subject, voter, isLock, context);
    const funded = { ...plan, voterCoins: choice.coins, genesisCoin: choice.pinned };
    const { reply, genesisCoin } = await offerLock(funded, draft, proposal.title, decimals, context);
    if (genesisCoin === null) return reply;

    // Record: the address is known from now on, so that the vote is found even if nobody confirms it.
    const isKept = await store.transaction(async (writer) => {
      const { id } = await keepVoteLock(writer, draft);
      const own = { ...choice, subject: { ...subject, record: { ...record, id } } };
      return keepPin(writer, own, genesisCoin, clock.now());
    });
    if (isKept) return reply;
  }
  throw new TreasuryError('store_conflict', { label });
};

const build = defineOperation({
  id: 'governance.lock',
  summary: 'Build the transaction that votes and locks tokens until the end',
  description:
    'When the voter has no coin at output index 0, the answer is the preparation form: sign and broadcast that first.',
  http: { method: 'POST', path: '/api/governance/:proposalId/lock' },
  cli: {
    callerFields: ['voterAddress'],
    example: 'governance lock <proposal> --vote-choice FOR --stake-amount 100 --token-category <category>',
  },
  auth: 'optional',
  callerField: 'voterAddress',
  input: z.object({
    proposalId: ProposalId,
    voterAddress: VoterField,
    voteChoice: ChoiceField,
    stakeAmount: AmountField.describe('Display units of the token, above 0'),
    tokenCategory: TokenCategoryField.describe("64 hex digits; default the proposal's voting token"),
  }),
  output: z.union([ReadyReply, PreparationReply]),
  errors: [
    'proposal_not_found',
    'vault_not_found',
    'private_vault',
    'voting_ended',
    'token_category_mismatch',
    'invalid_amount',
    'already_voted',
    ...OFFER_ERRORS,
  ],
  run: async (
    { proposalId, voterAddress: voter, voteChoice: choice, stakeAmount, tokenCategory },
    context,
  ) => {
    const { store, chain, network } = context;
    // Check: the voter, the time (in which it could still be accepted), the token, the amount, the first vote.
    const proposal = await findProposal(store, proposalId);
    await checkReader(proposal, context.caller, store);
    await checkVoter(store, proposal, voter);
    checkVotingOpen(proposal, Math.max(await chainNow(context), nextAcceptanceTime(await chain.tip())));
    const category = stakeCategory(proposal, tokenCategory);
    const decimals = await votingDecimals(store, proposal, category);
    const amount = toPositiveUnits(stakeAmount, decimals, 'stakeAmount');
    const terms =
      (await findVoteLock(store, proposal.id, voter.text)) ?? draftVoteLock(proposal, voter, context);
    const failed = checkVoteLockTerms(terms).filter(({ ok }) => !ok);
    if (failed.length > 0)
      throw invalidInput(failed.map(({ check, detail }) => ({ path: check, message: detail })));
    await checkFirstVote(proposal, voter.text, context);

    // Build: stake and ballot at the address that proposal, voter and end give.
    const stake = { choice, tokenCategory: category, amount };
    return offerAndKeep(proposal, { terms, stake, voter, network }, decimals, context);
  },
});

const confirm = defineOperation({
  id: 'governance.confirm-lock',
  summary: 'Confirm a vote that locked tokens on chain',
  description:
    'Address, parameters and ballot are derived from the proposal and the voter, and the stake is read from the chain; what the body says of them is compared.',
  http: { method: 'POST', path: '/api/governance/:proposalId/confirm-lock' },
  cli: { positional: ['proposalId', 'txHash'], callerFields: ['voterAddress'] },
  auth: 'optional',
  callerField: 'voterAddress',
  input: z.object({
    proposalId: ProposalId,
    voterAddress: VoterField,
    txHash: TxHash,
    voteChoice: ChoiceField.optional(),
    weight: AmountField.optional().describe('The stake in display units'),
    contractAddress: AddressField.optional(),
    voteId: z.string().optional(),
    constructorParams: z.array(z.union([z.string(), z.number()])).optional(),
    nftCommitment: z.string().optional(),
  }),
  output: ConfirmReply.extend({ ...z.object(SumFields).partial().shape, vote: VoteReply }),
  errors: [
    'proposal_not_found',
    'vault_not_found',
    'private_vault',
    'invalid_amount',
    'voting_ended',
    'token_category_mismatch',
    'already_voted',
    ...CONFIRM_ERRORS,
  ],
  run: async ({ proposalId, voterAddress: voter, txHash, ...claim }, context) => {
    const { store, chain } = context;
    // Check: the chain knows it, it is this voter's vote, and what the body says of it is so.
    const proposal = await findProposal(store, proposalId);
    await checkVoter(store, proposal, voter);
    const transaction = await indexedTransaction(txHash, context);
    const draft =
      (await findVoteLock(store, proposal.id, voter.text)) ?? draftVoteLock(proposal, voter, context);
    await checkLockClaim(proposal, draft, transaction, claim, context);

    // Record: the vote lock, as the chain has it.
    const { id } = await store.transaction((writer) => keepVoteLock(writer, draft));
    const { record } = await followLock(proposal, id, context, [transaction]);
    const { height, medianTimePast } = await chain.tip();
    const vote = showLockedVote(record, height);
    if (vote === null || record.tx_hash !== txHash)
      throw new TreasuryError('already_voted', { voter: voter.text, lockTxHash: record.tx_hash });
    const message = `${vote.weightExact} tokens are locked for ${vote.vote}`;
    const shown = await showProposal(proposal, store, medianTimePast - 1);
    const answer = { ...confirmed(message, txHash, shown.status, vote.confirmations), vote };
    // Of a private vault's proposal, others hear what the transaction says.
    return (await readable(context.caller, store))(proposal) ? { ...shown, ...answer } : answer;
  },
  view: viewConfirmed,
});

export const lock = defineAction({
  build,
  confirm,
  record: findProposal,
  verb: 'lock',
  summary: 'Vote with tokens, which stay locked until the end',
});
