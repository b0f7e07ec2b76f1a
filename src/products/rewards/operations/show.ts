/** One campaign with its distributions and events. */
import { z } from 'zod';
import { readRecord, ToldFields } from '../../../offer/read-record.js';
import { defineOperation, FOLLOW_ERRORS, VAULT_ERRORS } from '../../../operation/define.js';
import { SHOWN_EVENTS } from '../../../record/events.js';
import { distributionCollection } from '../campaign.js';
import { CampaignId } from '../fields.js';
import { campaigns } from '../product.js';
import { CampaignReply, DistributionReply, showCampaign, showDistribution } from '../reply.js';
import { viewCampaign } from '../view.js';

export const show = defineOperation({
  id: 'rewards.show',
  summary: 'Show a reward campaign with its distributions and events',
  http: { method: 'GET', path: '/api/rewards/:id' },
  auth: 'optional',
  input: z.object({ id: CampaignId }),
  output: z.object({
    campaign: CampaignReply.extend({ confirmations: z.number() }),
    distributions: z.array(DistributionReply).describe('Newest first, the latest 50'),
    ...ToldFields,
  }),
  errors: ['reward_not_found', ...VAULT_ERRORS, ...FOLLOW_ERRORS],
  run: async ({ id }, context) => {
    const { store } = context;
    const { record: campaign, confirmations, told } = await readRecord(campaigns, id, context);
    const where = { reward: campaign.id };
    const distributions = await store.find(distributionCollection, { where, limit: SHOWN_EVENTS });
    return {
      campaign: { ...(await showCampaign(campaign, store)), confirmations },
      distributions: distributions.items.map(showDistribution),
      ...told,
    };
  },
  view: viewCampaign,
});
