/** One campaign with its distributions and events. */
import { z } from 'zod';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { unexpectedFunding, UnexpectedFundingField } from '../../../offer/unexpected-funding.js';
import { confirmationsOf } from '../../../offer/confirm.js';
import { EventReply, eventsOf, SHOWN_EVENTS, showEvent } from '../../../record/events.js';
import { checkReader } from '../access.js';
import { CampaignId } from '../fields.js';
import { distributionCollection, findCampaign, followCampaign, campaignFollowing } from '../records.js';
import { CampaignReply, DistributionReply, showCampaign, showDistribution } from '../reply.js';
import { campaignStrays } from '../strays.js';
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
    events: z.array(EventReply).describe('Newest first, the latest 50'),
    unexpectedFunding: UnexpectedFundingField,
  }),
  errors: ['reward_not_found', 'vault_not_found', 'private_vault', ...FOLLOW_ERRORS],
  run: async ({ id }, context) => {
    // Check: who may read it.
    const { store, caller } = context;
    await checkReader(await findCampaign(store, id), caller, store);

    const campaign = await followCampaign(id, context);
    const { followed } = campaignFollowing(context);
    const distributions = await store.find(distributionCollection, {
      where: { reward: campaign.id },
      limit: SHOWN_EVENTS,
    });
    return {
      campaign: {
        ...(await showCampaign(campaign, store)),
        confirmations: await confirmationsOf(campaign.last_tx_hash, context),
      },
      distributions: distributions.items.map(showDistribution),
      events: (await eventsOf(store, campaign.id)).map(showEvent),
      unexpectedFunding: await unexpectedFunding(campaign, campaignStrays, followed, context),
    };
  },
  view: viewCampaign,
});
