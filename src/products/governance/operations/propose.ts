/** Making a proposal: voting opens at once and closes after its days. */
import { showNumber } from '../../../bch/amount.js';
import { z } from 'zod';
import { ownWordsOf, withOwnWords } from '../../../record/own-words.js';
import { TokenAmountField, Description, Title, TokenCategoryField } from '../../../bch/fields.js';
import { tokenAsset } from '../../../record/assets.js';
import { commitAnswer } from '../../../operation/commit-answer.js';
import { nextLabel } from '../../../record/labels.js';
import { giveLabels } from '../../../record/local-label.js';
import { CHAIN_ERRORS, defineOperation, VAULT_ERRORS } from '../../../operation/define.js';
import { chainNow } from '../../../operation/chain-now.js';
import type { StoreWriter } from '../../../operation/ports/store.js';
import { checkVaultReader, findVault } from '../../vaults/index.js';
import { VaultId } from '../fields.js';
import { proposalGuide } from '../guide.js';
import { PROPOSAL_LABEL, proposalCollection, type ProposalRecord } from '../proposal.js';
import { noteOf } from '../records.js';
import { ProposalReply, showProposal } from '../reply.js';
import { readWeight, WEIGHT_DECIMALS } from '../rules.js';
import { endOf, nextVote, pageOfProposal } from '../view.js';

const SECONDS_PER_DAY = 86_400;
const MAXIMUM_DAYS = 365;

export const propose = withOwnWords(
  defineOperation({
    id: 'governance.propose',
    summary: 'Make a proposal to the members of a vault',
    description:
      'Voting opens at once. In a private vault only members propose. With tokenCategory, only locks of that token count.',
    http: { method: 'POST', path: '/api/vaults/:vaultId/governance', status: 201, creates: true },
    cli: {
      example: 'governance propose <vault> --title "Hire Bob" --quorum 1000 --voting-duration-days 7',
      guide: proposalGuide,
      page: pageOfProposal,
    },
    auth: 'address',
    forKeys: 'measured',
    input: z.object({
      vaultId: VaultId,
      title: Title,
      description: Description.default(''),
      quorum: TokenAmountField.describe(
        'The least of for, against and abstain together; display units, above 0',
      ),
      votingDurationDays: z.number().gt(0).max(MAXIMUM_DAYS).describe('Above 0, at most 365'),
      tokenCategory: TokenCategoryField.describe('The voting token; left out: any token'),
    }),
    output: ProposalReply,
    errors: [...VAULT_ERRORS, 'invalid_amount', ...CHAIN_ERRORS],
    run: async ({ vaultId, title, description, quorum, votingDurationDays, tokenCategory }, context) => {
      const { store, caller } = context;
      // Check: the vault, and what the quorum is counted in.
      const vault = await findVault(store, vaultId);
      checkVaultReader(vault, caller);
      const decimals =
        typeof tokenCategory === 'string' ? (await tokenAsset(tokenCategory, store)).decimals : null;
      const weight = readWeight(quorum, 'quorum', decimals ?? WEIGHT_DECIMALS);

      // Build: the end is fixed now, in chain time, and every vote lock binds it.
      const now = await chainNow(context);
      const proposal: ProposalRecord = {
        id: context.uuid(),
        label: null,
        vault_id: vault.id,
        on_chain_vault_id: vault.on_chain_vault_id,
        creator: caller.text,
        title,
        description,
        quorum: weight,
        token_category: tokenCategory ?? null,
        decimals,
        voting_ends_at: now + Math.ceil(votingDurationDays * SECONDS_PER_DAY),
        created_at: now,
        ...ownWordsOf(context),
      };

      // Record: the proposal and its first event, with the answer.
      const note = await noteOf(proposal, { type: 'created', actor: caller.text, amount: weight }, context);
      const make = async (writer: StoreWriter): Promise<ProposalRecord> => {
        await giveLabels(writer, proposalCollection, PROPOSAL_LABEL);
        const made = { ...proposal, label: await nextLabel(writer, PROPOSAL_LABEL) };
        writer.put(proposalCollection, made);
        await note(writer);
        return made;
      };
      return commitAnswer(context, make, (made, stored) => showProposal(made, stored, now));
    },
    view: (proposal) => [
      { kind: 'text', text: `"${proposal.title}" is proposed.` },
      {
        kind: 'facts',
        rows: [
          ['Proposal', proposal.label ?? proposal.id],
          ['Voting token', proposal.tokenCategory ?? 'any'],
          ['Quorum', showNumber(proposal.quorum)],
          ['Voting ends', endOf(proposal)],
        ],
      },
      nextVote(proposal),
    ],
  }),
);
