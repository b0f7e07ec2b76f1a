/** Creating a campaign: terms in, a PENDING record and its deployment out. */
import { binToHex } from '@bitauth/libauth';
import { z } from 'zod';
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
import { newestFingerprint } from '../../../covenant/artifact.js';
import { checkPayoutDust } from '../../../covenant/checks.js';
import { requestedAsset } from '../../../record/assets.js';
import { CREATE_ERRORS, defineOperation, type RunContext } from '../../../operation/define.js';
import { chainNow } from '../../../operation/chain-now.js';
import { shellLabel } from '../../../record/labels.js';
import { checkPayable } from '../../../offer/payees.js';
import { invalidInput } from '../../../operation/read-input.js';
import { checkVaultReader, findVault, type VaultRecord } from '../../vaults/index.js';
import { REWARD_CATEGORIES, type CampaignRecord } from '../campaign.js';
import { checkCampaignTerms } from '../contract.js';
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
    .describe('Links the campaign to a vault (its id, or its 64 hex digits), which then gets the refund'),
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

/** The vault that a request links the campaign to: anyone may link to a public one, members only to a private one. */
const findLinkedVault = async (
  { vaultId }: z.output<typeof input>,
  { store, caller }: RunContext<'bearer'>,
): Promise<VaultRecord | null> => {
  if (vaultId === null || vaultId === undefined) return null;
  const vault = await findVault(store, vaultId);
  checkVaultReader(vault, caller);
  return vault;
};

/** The record that a request asks for. */
const draftCampaign = async (
  request: z.output<typeof input>,
  vault: VaultRecord | null,
  context: RunContext<'bearer'>,
): Promise<CampaignRecord> => {
  if (request.refundAddress !== undefined)
    await checkPayable(request.refundAddress, 'refundAddress', context);
  const now = await chainNow(context);
  const asset = await requestedAsset(request, context.store);
  const authorityPublicKey = await context.keys.authorityPublicKey();
  const campaign: CampaignRecord = {
    id: context.uuid(),
    campaign_id: '',
    on_chain_campaign_id: binToHex(context.random(32)),
    creator: context.caller.text,
    title: request.title,
    description: request.description,
    reward_category: request.rewardCategory,
    token_type: asset.tokenType,
    token_category: asset.category,
    decimals: asset.decimals,
    total_pool: toPositiveUnits(request.totalPool, asset.decimals, 'totalPool', asset.maximum),
    max_reward_amount: toPositiveUnits(
      request.maxRewardAmount,
      asset.decimals,
      'maxRewardAmount',
      asset.maximum,
    ),
    start_date: request.startDate ?? now,
    end_date: request.endDate === undefined || request.endDate === 0 ? null : request.endDate,
    vault_id: vault?.id ?? null,
    refund_address: request.refundAddress?.text ?? vault?.contract_address ?? context.caller.text,
    contract_address: '',
    constructor_params: [],
    artifact_fingerprint: newestFingerprint('reward-campaign'),
    authority_pubkey: authorityPublicKey,
    status: 'PENDING',
    distributed_count: 0,
    distributed_total: 0n,
    tx_hash: null,
    last_tx_hash: null,
    thread: null,
    deprecated: false,
    created_at: context.clock.now(),
    updated_at: context.clock.now(),
  };
  return checkTerms(campaign, now);
};

/** @throws invalid_input, amount_below_dust */
const checkTerms = (campaign: CampaignRecord, now: number): CampaignRecord => {
  const failed = checkCampaignTerms(campaign).filter(({ ok }) => !ok);
  const issues = failed.map(({ check, detail }) => ({ path: check, message: detail }));
  const { start_date: start, end_date: end } = campaign;
  if (end !== null && end <= Math.max(start, now)) {
    issues.push({
      path: 'endDate',
      message: `${end} must be later than the start (${start}) and than now (${now})`,
    });
  }
  if (issues.length > 0) throw invalidInput(issues);
  checkPayoutDust(campaign.token_type, campaign.max_reward_amount, 'maxRewardAmount');
  return campaign;
};

export const create = defineOperation({
  id: 'rewards.create',
  summary: 'Create a reward campaign',
  description: 'The campaign is PENDING until its funding is confirmed. The creator is the verified caller.',
  http: { method: 'POST', path: '/api/rewards/create', creates: true },
  cli: { example: 'rewards create --title "Bug bounties" --total-pool 1 --max-reward-amount 0.1' },
  auth: 'bearer',
  input,
  output: z.object({
    message: z.string(),
    campaign: CampaignReply,
    deployment: DeploymentReply,
  }),
  errors: CREATE_ERRORS,
  run: async (request, context) => {
    // Check: the vault, then everything that the covenant will bind.
    const draft = await draftCampaign(request, await findLinkedVault(request, context), context);

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
        ['Pool', `${deployment.fundingRequired.amount}`],
        ['Most per recipient', `${campaign.max_reward_amount}`],
        ['Contract', deployment.contractAddress],
        ['Refunds go to', campaign.refund_address],
      ],
    },
    { kind: 'next', command: `rewards fund ${shellLabel(campaign.campaign_id)}`, why: 'to put the pool in' },
  ],
});
