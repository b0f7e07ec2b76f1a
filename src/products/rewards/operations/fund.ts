/** Funding a campaign: mints its thread and puts the whole pool in. */
import { z } from 'zod';
import { parseAddress } from '../../../bch/address.js';
import { displayNumber } from '../../../bch/amount.js';
import { TxHash } from '../../../bch/fields.js';
import { spentOutputs } from '../../../covenant/follow.js';
import { ConfirmReply, mismatch, viewConfirmed } from '../../../offer/confirm.js';
import { confirmFunding } from '../../../offer/confirm-funding.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { answerFunding, fundingReply } from '../../../offer/funding.js';
import { checkReader } from '../access.js';
import { CampaignId } from '../fields.js';
import { campaignCollection, findCampaign, followCampaign } from '../records.js';
import { checkStatus } from '../rules.js';
import { campaignGenesis } from '../transactions.js';

const build = defineOperation({
  id: 'rewards.funding-info',
  summary: 'Build the transaction that funds a campaign',
  description:
    'When the creator has no coin at output index 0, the answer is the preparation form: sign and broadcast that first.',
  http: { method: 'GET', path: '/api/rewards/:id/funding-info' },
  auth: 'optional',
  input: z.object({ id: CampaignId }),
  output: fundingReply({ totalPool: z.number() }),
  errors: ['reward_not_found', 'vault_not_found', 'private_vault', 'wrong_state', ...OFFER_ERRORS],
  run: async ({ id }, context) => {
    // Check: who may read it, and that it waits for its funding, also when the chain is asked.
    await checkReader(await findCampaign(context.store, id), context.caller, context.store);
    const campaign = await followCampaign(id, context);
    checkStatus(campaign, 'fund');

    // Build: the thread, its pool, and the creator's change; or the preparation.
    return answerFunding(
      {
        label: campaign.campaign_id,
        payer: parseAddress(campaign.creator),
        members: [campaignGenesis(campaign, context.network)],
        collection: campaignCollection.name,
        id: campaign.id,
        contractAddress: campaign.contract_address,
        tokenType: campaign.token_type,
        decimals: campaign.decimals,
      },
      { totalPool: displayNumber(campaign.total_pool, campaign.decimals) },
      context,
    );
  },
});

const confirm = defineOperation({
  id: 'rewards.confirm-funding',
  summary: 'Confirm the funding of a campaign on chain',
  http: { method: 'POST', path: '/api/rewards/:id/confirm-funding' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'bearer',
  input: z.object({ id: CampaignId, txHash: TxHash }),
  output: ConfirmReply,
  errors: ['reward_not_found', ...CONFIRM_ERRORS],
  run: async ({ id, txHash }, context) => {
    // Check: the chain knows it, it funded this campaign, and the caller's wallet paid.
    const { transaction, reply } = await confirmFunding(
      {
        txHash,
        follow: (found) => followCampaign(id, context, [found]),
        label: ({ campaign_id }) => campaign_id,
        funding: 'mint its thread with the whole pool from the creator’s coins',
      },
      context,
    );
    const spent = await spentOutputs(transaction, context.chain);
    if (!spent.some((coin) => coin?.lockingBytecode === context.caller.lockingBytecode)) {
      throw mismatch(txHash, `an input spent from the wallet of ${context.caller.text}`, 'none');
    }
    return reply;
  },
  view: viewConfirmed,
});

export const fund = defineAction({
  build,
  confirm,
  record: findCampaign,
  verb: 'fund',
  summary: 'Put the pool into a campaign',
});
