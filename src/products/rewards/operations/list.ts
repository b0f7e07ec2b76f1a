/** The campaigns of a creator. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { listRecords } from '../../../offer/read-record.js';
import { shortAsset } from '../../../record/assets.js';
import { statusText } from '../../../record/damaged.js';
import { defineOperation } from '../../../operation/define.js';
import { PageFields, PageReply, viewPart } from '../../../operation/paging.js';
import type { CampaignRecord } from '../campaign.js';
import { campaigns } from '../product.js';
import { CampaignReply, showCampaign } from '../reply.js';

export const list = defineOperation({
  id: 'rewards.list',
  summary: 'List the reward campaigns of a creator, newest first',
  http: { method: 'GET', path: '/api/rewards' },
  cli: { callerFields: ['creator'] },
  auth: 'optional',
  input: z.object({
    creator: AddressField,
    showDeprecated: z.boolean().default(false).describe('Show removed campaigns too'),
    ...PageFields,
  }),
  output: z.object({ campaigns: z.array(CampaignReply), ...PageReply }),
  errors: ['vault_not_found'],
  run: async ({ creator, showDeprecated, ...paging }, context) => {
    const where = { [showDeprecated ? 'creator' : 'shown']: creator.text };
    const show = (campaign: CampaignRecord) => showCampaign(campaign, context.store);
    const { shown, page } = await listRecords(campaigns, { where, paging, show }, context);
    return { campaigns: shown, ...page };
  },
  view: ({ campaigns: shown, total }) => [
    {
      kind: 'table',
      head: ['Label', 'Title', 'Status', 'Asset', 'Pool', 'Distributed', 'Paid to'],
      rows: shown.map((campaign) => [
        campaign.campaign_id,
        campaign.title,
        statusText(campaign),
        shortAsset(campaign.token_category),
        String(campaign.total_pool),
        String(campaign.distributed_total),
        String(campaign.distributed_count),
      ]),
      empty: 'No campaigns yet. `treasury rewards create` makes one.',
    },
    ...viewPart(shown.length, total),
  ],
});
