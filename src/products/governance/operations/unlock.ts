/** After the end: the stake goes back to the voter, and the ballot is burned. */
import { tokenAsset } from '../../../record/assets.js';
import { z } from 'zod';
import { formatUnits, showAmounts } from '../../../bch/amount.js';
import { fungibleCoins, sumTokens, type Coin } from '../../../bch/coins.js';
import { TokenCategoryField, TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { spentOutputs } from '../../../covenant/follow.js';
import { TreasuryError } from '../../../errors.js';
import {
  confirmationsOf,
  ConfirmReply,
  confirmed,
  indexedTransaction,
  mismatch,
  viewConfirmed,
} from '../../../offer/confirm.js';
import type { Context } from '../../../operation/context.js';
import {
  CONFIRM_ERRORS,
  defineAction,
  defineOperation,
  OFFER_ERRORS,
  VAULT_ERRORS,
} from '../../../operation/define.js';
import { freeCoins } from '../../../offer/funding-pins.js';
import { handOut } from '../../../offer/hand-out.js';
import { chainNow } from '../../../operation/chain-now.js';
import { ProposalId, VoterField } from '../fields.js';
import { followLock, followVoter, lockTerms, votingDecimals } from '../follow-lock.js';
import { readUnlock } from '../observe.js';
import type { ProposalRecord, VoteLockRecord } from '../proposal.js';
import { findProposal, findSaidVote, findVoteLock, readProposal } from '../records.js';
import { checkVotingEnded, checkVotingToken } from '../rules.js';
import { buildUnlock, lockedCoins } from '../transactions.js';

/** `vote_not_found`, or `not_voter` when the voter has voted off-chain only. */
const noVote = async (
  { id }: ProposalRecord,
  voter: string,
  { store }: Pick<Context, 'store'>,
): Promise<TreasuryError> =>
  (await findSaidVote(store, id, voter)) === null
    ? new TreasuryError('vote_not_found', { voter })
    : new TreasuryError('not_voter', { voter });

/** The token to unlock: that of the vote, or of what else lies at the address. @throws token_category_mismatch */
const unlockCategory = (
  { lock }: VoteLockRecord,
  named: string | null | undefined,
  coins: readonly Coin[],
): string | null => {
  if (lock !== null && named != null && fungibleCoins(coins, named).length === 0)
    checkVotingToken(lock.token_category, named);
  return (
    named ??
    lock?.token_category ??
    coins.find(({ token }) => (token?.amount ?? 0n) > 0n)?.token?.category ??
    null
  );
};

const build = defineOperation({
  id: 'governance.unlock',
  summary: 'Build the transaction that returns locked tokens after the end',
  http: { method: 'POST', path: '/api/governance/:proposalId/unlock' },
  cli: { callerFields: ['voterAddress'] },
  auth: 'optional',
  callerField: 'voterAddress',
  input: z.object({
    proposalId: ProposalId,
    voterAddress: VoterField,
    tokenCategory: TokenCategoryField.describe("64 hex digits; default the vote's"),
  }),
  output: z.object({
    unlockTransaction: z.object({
      unlockedAmount: z.number().describe('Display units'),
      unlockedAmountOnChain: z.string(),
      tokenCategory: z.string(),
      fee: z.number().describe('Satoshis'),
      wcTransaction: WalletTransactionField,
    }),
    wcTransaction: WalletTransactionField,
  }),
  errors: [
    'proposal_not_found',
    ...VAULT_ERRORS,
    'vote_not_found',
    'not_voter',
    'voting_open',
    'token_category_mismatch',
    'wrong_state',
    ...OFFER_ERRORS,
  ],
  run: async ({ proposalId, voterAddress: voter, tokenCategory }, context) => {
    const { store, chain, network } = context;
    // Check: there is a vote, the end has passed, and something lies there.
    const proposal = await readProposal(proposalId, context);
    const record = await followVoter(proposal, voter, context);
    if (record === null) throw await noVote(proposal, voter.text, context);
    const coins = await chain.coins(lockTerms(proposal, record).lockingBytecode);
    const category = unlockCategory(record, tokenCategory, coins);
    const locked = lockedCoins(coins, category ?? '', record.tx_hash);
    if (category === null || (record.lock === null && locked.stakes.length === 0))
      throw await noVote(proposal, voter.text, context);
    const locktime = await chainNow(context);
    checkVotingEnded(proposal, locktime);
    if (locked.stakes.length === 0) {
      const { status } = record;
      throw new TreasuryError('wrong_state', { label: 'The vote', status, allowed: ['LOCKED'] });
    }

    // Build: stakes and ballots in, the stakes out.
    const voterCoins = await freeCoins(voter, context);
    const unsigned = buildUnlock({
      terms: record,
      tokenCategory: category,
      coins: locked,
      voter,
      voterCoins,
      locktime,
      network,
    });
    const amount = sumTokens(locked.stakes, category);
    const decimals = await votingDecimals(store, proposal, category);
    const { symbol } = await tokenAsset(category, store);
    const prompt = `Unlock ${formatUnits(amount, decimals)} ${symbol} of your vote on "${proposal.title}"`;
    const wcTransaction = await handOut(unsigned, voter, prompt, context);
    return {
      unlockTransaction: {
        ...showAmounts({ unlockedAmount: amount }, decimals),
        tokenCategory: category,
        fee: Number(unsigned.fee),
        wcTransaction,
      },
      wcTransaction,
    };
  },
});

const confirm = defineOperation({
  id: 'governance.confirm-unlock',
  summary: 'Confirm on chain that locked tokens were returned',
  http: { method: 'POST', path: '/api/governance/:proposalId/confirm-unlock' },
  cli: { positional: ['proposalId', 'txHash'], callerFields: ['voterAddress'] },
  auth: 'none',
  forKeys: 'measured',
  input: z.object({ proposalId: ProposalId, voterAddress: VoterField, txHash: TxHash }),
  output: z.object({
    ...ConfirmReply.shape,
    unlockedAmount: z.number().describe('Display units'),
    unlockedAmountOnChain: z.string(),
    tokenCategory: z.string(),
  }),
  errors: ['proposal_not_found', 'vote_not_found', 'not_voter', 'invalid_address', ...CONFIRM_ERRORS],
  run: async ({ proposalId, voterAddress: voter, txHash }, context) => {
    // Check: it spends what lies at the vote lock, and the voter has all of it back.
    const proposal = await findProposal(context.store, proposalId);
    const known = await findVoteLock(context.store, proposal.id, voter.text);
    if (known === null) throw await noVote(proposal, voter.text, context);
    const transaction = await indexedTransaction(txHash, context);
    const terms = lockTerms(proposal, known);
    const unlocked = readUnlock(
      transaction.transaction,
      await spentOutputs(transaction, context.chain),
      terms,
    );
    const [first] = unlocked;
    const expected = `an unlock of the vote of ${voter.text}`;
    if (first === undefined)
      throw mismatch(txHash, expected, 'a transaction that spends nothing of the vote lock');
    const lost = unlocked.find(({ taken, returned }) => returned < taken);
    if (lost !== undefined) {
      const found = `${lost.returned} of ${lost.taken} units of ${lost.category} returned to the voter`;
      throw mismatch(txHash, expected, found);
    }

    // Record: the vote lock, as the chain has it.
    const record = await followLock(known.id, context, [transaction]);
    const { category, taken } =
      unlocked.find((part) => part.category === record.lock?.token_category) ?? first;
    const decimals = await votingDecimals(context.store, proposal, category);
    const confirmations = await confirmationsOf(txHash, context);
    const { symbol } = await tokenAsset(category, context.store);
    const message = `${formatUnits(taken, decimals)} ${symbol} are unlocked`;
    return {
      ...confirmed(message, txHash, record.status, confirmations),
      ...showAmounts({ unlockedAmount: taken }, decimals),
      tokenCategory: category,
    };
  },
  view: viewConfirmed,
});

export const unlock = defineAction({
  build,
  confirm,
  record: findProposal,
  verb: 'unlock',
  summary: 'Take locked tokens back after the end',
});
