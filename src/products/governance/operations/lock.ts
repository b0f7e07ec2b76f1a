/** Voting with tokens: the stake is locked until the end, with a ballot beside it. */
import { tokenAsset } from '../../../record/assets.js';
import { z } from 'zod';
import { formatUnits, toPositiveUnits, showAmounts } from '../../../bch/amount.js';
import {
  AddressField,
  DecimalField,
  TokenAmountField,
  TokenCategoryField,
  TxHash,
  WalletTransactionField,
} from '../../../bch/fields.js';
import { TreasuryError } from '../../../errors.js';
import { ConfirmReply, confirmed, indexedTransaction, viewConfirmed } from '../../../offer/confirm.js';
import type { Context } from '../../../operation/context.js';
import {
  CONFIRM_ERRORS,
  defineAction,
  defineOperation,
  OFFER_ERRORS,
  VAULT_ERRORS,
} from '../../../operation/define.js';
import { PreparationReply } from '../../../offer/funding-reply.js';
import { recordTerms } from '../../../record/deployable.js';
import { chainNow } from '../../../operation/chain-now.js';
import { offerPinned, type PinnedOrder } from '../../../offer/pinned-offer.js';
import { invalidInput } from '../../../operation/read-input.js';
import { checkVoteLockTerms } from '../contract.js';
import { ChoiceField, ProposalId, VoterField } from '../fields.js';
import { followLock, followVoter, lockTerms, votingDecimals } from '../follow-lock.js';
import { voteLockCollection, type ProposalRecord, type VoteLockRecord } from '../proposal.js';
import { isLock, readLock } from '../observe.js';
import {
  checkFirstVote,
  checkVoter,
  findProposal,
  keepVoteLock,
  readable,
  readProposal,
  voteLockFor,
  votingAsset,
} from '../records.js';
import { showLockedVote, showProposal, sumsReply, VoteReply } from '../reply.js';
import { checkVotingOpen, checkVotingToken, endText, nextAcceptanceTime } from '../rules.js';
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

const ReadyReply = z.object({
  success: z.literal(true),
  proposalId: z.string(),
  deployment: z.object({
    contractAddress: z.string(),
    voteId: z.string(),
    constructorParams: z.array(z.string()).describe('voteId, voterHash, unlockTime'),
    initialCommitment: z.string().describe("The ballot's commitment, 30 bytes"),
  }),
  stakeAmount: z.number(),
  stakeAmountOnChain: z.string(),
  votingEndsAt: z.string(),
  fee: z.number().describe('Satoshis'),
  wcTransaction: WalletTransactionField,
});

/**
 * The transaction of a vote, or its preparation. Two locks of one vote conflict: they mint their ballots from one coin.
 *
 * @throws insufficient_funds, store_conflict, chain_unavailable, and what handing out throws
 */
const offerLock = async (
  proposal: ProposalRecord,
  plan: Omit<LockPlan, 'voterCoins' | 'genesisCoin'> & { readonly terms: VoteLockRecord },
  decimals: number,
  context: Context,
) => {
  const { voter, stake, terms: draft } = plan;
  const seen = lockTerms(proposal, draft);
  const { symbol } = await tokenAsset(stake.tokenCategory, context.store);
  const amount = `${formatUnits(stake.amount, decimals)} ${symbol}`;
  const order: PinnedOrder = {
    payer: voter,
    subject: {
      id: draft.vote_id,
      label: `the vote on "${proposal.title}"`,
      record: { collection: voteLockCollection.name, id: draft.id },
      // Anybody may ask for anybody's lock: it keeps no coin from other builders.
      isLease: false,
    },
    isFunding: (transaction) => isLock(readLock({ transaction, height: null, blockTime: null }, seen)),
    contracts: [recordTerms(draft, 'VoteLock')],
    build: ({ coins: voterCoins, pinned: genesisCoin }) => buildLock({ ...plan, voterCoins, genesisCoin }),
    prompt: `Vote ${stake.choice} on "${proposal.title}" and lock ${amount} until the end`,
    preparing: `Prepare a coin to vote on "${proposal.title}"`,
    lacking: 'coin at output index 0 that a ballot can be minted from',
    // The address is known from now on, so that the vote is found even if nobody confirms it.
    keepRecord: async (writer) => (await keepVoteLock(writer, draft)).id,
  };
  const offer = await offerPinned(order, context);
  if (offer.kind === 'preparation') return offer.reply;
  return {
    success: true as const,
    proposalId: draft.proposal_id,
    deployment: {
      contractAddress: draft.contract_address,
      voteId: draft.vote_id,
      constructorParams: draft.constructor_params,
      initialCommitment: ballotOf(draft.proposal_id, stake),
    },
    ...showAmounts({ stakeAmount: stake.amount }, decimals),
    votingEndsAt: endText(proposal),
    fee: Number(offer.payment.fee),
    wcTransaction: offer.wcTransaction,
  };
};

const build = defineOperation({
  id: 'governance.lock',
  summary: 'Build the transaction that votes and locks tokens until the end',
  description:
    'When the voter has no coin at output index 0, the answer is the preparation form: sign and broadcast that first.',
  http: { method: 'POST', path: '/api/governance/:proposalId/lock' },
  cli: {
    callerFields: ['voterAddress'],
    assetOf: votingAsset,
    example: 'governance lock <proposal> --vote-choice FOR --stake-amount 100 --token-category <category>',
  },
  auth: 'optional',
  callerField: 'voterAddress',
  input: z.object({
    proposalId: ProposalId,
    voterAddress: VoterField,
    voteChoice: ChoiceField,
    stakeAmount: TokenAmountField.describe('Display units of the token, above 0'),
    tokenCategory: TokenCategoryField.describe("64 hex digits; default the proposal's voting token"),
  }),
  output: z.union([ReadyReply, PreparationReply]),
  errors: [
    'proposal_not_found',
    ...VAULT_ERRORS,
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
    const proposal = await readProposal(proposalId, context);
    await checkVoter(store, proposal, voter);
    checkVotingOpen(proposal, Math.max(await chainNow(context), nextAcceptanceTime(await chain.tip())));
    const category = stakeCategory(proposal, tokenCategory);
    const decimals = await votingDecimals(store, proposal, category);
    const amount = toPositiveUnits(stakeAmount, decimals, 'stakeAmount');
    const terms = await voteLockFor(proposal, voter, context);
    const failed = checkVoteLockTerms(terms).filter(({ ok }) => !ok);
    if (failed.length > 0)
      throw invalidInput(failed.map(({ check, detail }) => ({ path: check, message: detail })));
    await checkFirstVote(store, proposal, voter, await followVoter(proposal, voter, context));

    // Build: stake and ballot at the address that proposal, voter and end give.
    const stake = { choice, tokenCategory: category, amount };
    return offerLock(proposal, { terms, stake, voter, network }, decimals, context);
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
  forKeys: 'measured',
  callerField: 'voterAddress',
  input: z.object({
    proposalId: ProposalId,
    voterAddress: VoterField,
    txHash: TxHash,
    voteChoice: ChoiceField.optional(),
    weight: DecimalField.optional().describe('The stake in display units'),
    contractAddress: AddressField.optional(),
    voteId: z.string().optional(),
    constructorParams: z.array(z.union([z.string(), z.number()])).optional(),
    nftCommitment: z.string().optional(),
  }),
  output: ConfirmReply.extend({ ...sumsReply.reply.partial().shape, vote: VoteReply }),
  errors: [
    'proposal_not_found',
    ...VAULT_ERRORS,
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
    const draft = await voteLockFor(proposal, voter, context);
    await checkLockClaim(proposal, draft, transaction, claim, context);

    // Record: the vote lock, as the chain has it.
    const { id } = await store.transaction((writer) => keepVoteLock(writer, draft));
    const record = await followLock(id, context, [transaction]);
    const { height, medianTimePast } = await chain.tip();
    const vote = showLockedVote(record, height);
    if (vote === null || record.tx_hash !== txHash)
      throw new TreasuryError('already_voted', { voter: voter.text, lockTxHash: record.tx_hash });
    const { symbol } = await tokenAsset(vote.tokenCategory ?? '', store);
    const message = `${vote.weightExact} ${symbol} are locked for ${vote.vote}`;
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
