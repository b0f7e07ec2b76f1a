/** The campaigns of a creator. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { markDamage, statusText } from '../../../record/damaged.js';
import { defineOperation } from '../../../operation/define.js';
import { PageFields, PageReply, pageOf } from '../../../operation/paging.js';
import { sightOf } from '../../vaults/index.js';
import type { CampaignRecord } from '../campaign.js';
import { campaignCollection, campaignFollowing } from '../records.js';
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
    const { store, caller } = context;
    const { contract } = campaignFollowing(context);
    const where = { [showDeprecated ? 'creator' : 'shown']: creator.text };
    const isSeen = await sightOf(store, caller);
    const filter = (campaign: CampaignRecord) =>
      isSeen({ vaultId: campaign.vault_id, parties: [campaign.creator] });
    const { items, ...page } = await pageOf(store, campaignCollection, { where, filter }, paging);
    const campaigns = await Promise.all(
      items.map(async (campaign) => ({
        ...(await showCampaign(campaign, store)),
        ...markDamage(campaign, contract),
      })),
    );
    return { campaigns, ...page };
  },
  view: ({ campaigns, total }) => [
    {
      kind: 'table',
      head: ['Label', 'Title', 'Status', 'Asset', 'Pool', 'Distributed', 'Paid to'],
      rows: campaigns.map((campaign) => [
        campaign.campaign_id,
        campaign.title,
        statusText(campaign),
        campaign.token_type === 'BCH' ? 'BCH' : `${campaign.token_category?.slice(0, 8) ?? ''}...`,
        String(campaign.total_pool),
        String(campaign.distributed_total),
        String(campaign.distributed_count),
      ]),
      empty: 'No campaigns yet. `treasury rewards create` makes one.',
    },
    ...(total > campaigns.length
      ? [{ kind: 'text' as const, text: `${campaigns.length} of ${total}; --page 2 shows more.` }]
      : []),
  ],
});
