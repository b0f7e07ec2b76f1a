/** Creating a campaign: terms in, a PENDING record and its deployment out. */
import { momentText } from '../../../bch/show-date.js';
import { inAsset } from '../view.js';
import { binToHex } from '@bitauth/libauth';
import { z } from 'zod';
import { withOwnWords } from '../../../record/own-words.js';
import { toPositiveUnits } from '../../../bch/amount.js';
import {
  AddressField,
  AmountField,
  Description,
  Title,
  TokenCategoryField,
  TokenTypeField,
  UnixSeconds,
} from '../../../bch/fields.js';
import { createRecord, FundingRequired, fundingRequired } from '../../../offer/create.js';
import { checkPayoutDust } from '../../../covenant/checks.js';
import { requestedAsset } from '../../../record/assets.js';
import { CREATE_ERRORS, defineOperation, type RunContext } from '../../../operation/define.js';
import { chainNow } from '../../../operation/chain-now.js';
import { shellLabel } from '../../../record/labels.js';
import { checkPayable } from '../../../offer/payees.js';
import { newPoolFields, requireTerms } from '../../../record/pool-record.js';
import { readableVault, type VaultRecord } from '../../vaults/index.js';
import { REWARD_CATEGORIES, type CampaignRecord } from '../campaign.js';
import { checkCampaignTerms } from '../contract.js';
import { campaignGuide } from '../guide.js';
import { campaigns } from '../product.js';
import { CampaignReply, showCampaign } from '../reply.js';

const input = z.object({
  title: Title,
  description: Description.default(''),
  rewardCategory: z.enum(REWARD_CATEGORIES).default('CUSTOM'),
  tokenType: TokenTypeField.default('BCH'),
  tokenCategory: TokenCategoryField,
  totalPool: AmountField.describe('The whole pool, display units, above 0'),
  maxRewardAmount: AmountField.describe('The most that one recipient gets, display units, at most totalPool'),
  startDate: UnixSeconds.optional().describe('Unix seconds; default now'),
  endDate: UnixSeconds.optional().describe('Unix seconds; 0 or left out: open-ended'),
  vaultId: z
    .string()
    .nullish()
    .describe(
      'Links the campaign to a vault (its id, its label, or its 64 hex digits), which then gets the refund',
    ),
  refundAddress: AddressField.optional().describe(
    'Where cancelling pays what remains; default the vault, or the creator',
  ),
});

const DeploymentReply = z.object({
  contractAddress: z.string(),
  campaignId: z.string().describe('Label'),
  onChainCampaignId: z.string(),
  fundingRequired: FundingRequired,
  nftCommitment: z.string(),
});

/** The record that a request asks for. A vault that it is linked to gets the refund. */
const draftCampaign = async (
  request: z.output<typeof input>,
  vault: VaultRecord | null,
  context: RunContext<'bearer'>,
): Promise<CampaignRecord> => {
  if (request.refundAddress !== undefined)
    await checkPayable(request.refundAddress, 'refundAddress', context);
  const now = await chainNow(context);
  const asset = await requestedAsset(request, context.store);
  const { decimals, maximum } = asset;
  const start = request.startDate ?? now;
  const end = request.endDate === undefined || request.endDate === 0 ? null : request.endDate;
  const campaign: CampaignRecord = {
    ...(await newPoolFields('reward-campaign', context)),
    campaign_id: '',
    on_chain_campaign_id: binToHex(context.random(32)),
    creator: context.caller.text,
    title: request.title,
    description: request.description,
    reward_category: request.rewardCategory,
    token_type: asset.tokenType,
    token_category: asset.category,
    decimals,
    total_pool: toPositiveUnits(request.totalPool, decimals, 'totalPool', maximum),
    max_reward_amount: toPositiveUnits(request.maxRewardAmount, decimals, 'maxRewardAmount', maximum),
    start_date: start,
    end_date: end,
    vault_id: vault?.id ?? null,
    refund_address: request.refundAddress?.text ?? vault?.contract_address ?? context.caller.text,
    distributed_count: 0,
    distributed_total: 0n,
    deprecated: false,
  };
  const message = `${momentText(end ?? 0)} must be later than the start (${momentText(start)}) and than now (${momentText(now)})`;
  const isOver = end !== null && end <= Math.max(start, now);
  requireTerms(checkCampaignTerms(campaign), isOver ? [{ path: 'endDate', message }] : []);
  checkPayoutDust(campaign.token_type, campaign.max_reward_amount, 'maxRewardAmount');
  return campaign;
};

export const create = withOwnWords(
  defineOperation({
    id: 'rewards.create',
    summary: 'Create a reward campaign',
    description:
      'The campaign is PENDING until its funding is confirmed. The creator is the verified caller.',
    http: { method: 'POST', path: '/api/rewards/create', creates: true },
    cli: {
      example: 'rewards create --title "Bug bounties" --total-pool 1 --max-reward-amount 0.1',
      guide: campaignGuide,
    },
    auth: 'bearer',
    forKeys: 'measured',
    input,
    output: z.object({
      message: z.string(),
      campaign: CampaignReply,
      deployment: DeploymentReply,
    }),
    errors: CREATE_ERRORS,
    run: async (request, context) => {
      // Check: the vault, then everything that the covenant will bind.
      const vault = request.vaultId == null ? null : await readableVault(request.vaultId, context);
      const draft = await draftCampaign(request, vault, context);

      // Record: the campaign and its first event, with the answer.
      return createRecord(
        campaigns,
        { draft, amount: draft.total_pool },
        async (campaign, store) => {
          const required = fundingRequired(campaigns, campaign, context);
          return {
            message: `${campaign.campaign_id} is created and waits for its funding`,
            campaign: await showCampaign(campaign, store),
            deployment: {
              contractAddress: campaign.contract_address,
              campaignId: campaign.campaign_id,
              onChainCampaignId: campaign.on_chain_campaign_id,
              fundingRequired: required,
              nftCommitment: required.withNFT.commitment,
            },
          };
        },
        context,
      );
    },
    view: ({ campaign, deployment }) => [
      { kind: 'text', text: `${campaign.campaign_id} ${campaign.title} is created.` },
      {
        kind: 'facts',
        rows: [
          ['Pool', inAsset(campaign)(campaign.total_poolOnChain)],
          ['Most per recipient', inAsset(campaign)(campaign.max_reward_amountOnChain)],
          ['Contract', deployment.contractAddress],
          ['Refunds go to', campaign.refund_address],
        ],
      },
      {
        kind: 'next',
        command: `rewards fund ${shellLabel(campaign.campaign_id)}`,
        why: 'to put the pool in',
      },
    ],
  }),
);
