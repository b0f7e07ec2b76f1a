/** What reward campaigns ask of whoever has this home. */
import { shellLabel } from '../../record/labels.js';
import { BEGUN, underEach, type Matter, type MattersOf } from '../../record/matter.js';
import { campaignCollection, type CampaignRecord } from './campaign.js';

const matterOf = (
  campaign: CampaignRecord,
  matter: Pick<Matter, 'kind' | 'at' | 'command'>,
  units: bigint,
): Matter => ({
  label: campaign.campaign_id,
  what: campaign.title,
  amount: { units, decimals: campaign.decimals, category: campaign.token_category },
  by: campaign.creator,
  ...matter,
});

/** Campaigns that were made and not funded, and those that end with money left. */
export const matters: MattersOf = async (store, { mine, now, until }) => {
  const find = (status: CampaignRecord['status'], limit?: number) =>
    underEach(mine, (shown) =>
      store.find(campaignCollection, { where: { shown, status }, ...(limit === undefined ? {} : { limit }) }),
    );
  const [active, begun] = await Promise.all([find('ACTIVE'), find('PENDING', BEGUN)]);
  return [
    ...active.flatMap((campaign) => {
      const { end_date: at, total_pool: pool, distributed_total: paid, campaign_id: label } = campaign;
      if (at === null || at > until || pool === paid) return [];
      const command = at <= now ? `rewards cancel ${shellLabel(label)}` : null;
      return [matterOf(campaign, { kind: 'ends', at, command }, pool - paid)];
    }),
    ...begun.map((campaign) =>
      matterOf(
        campaign,
        { kind: 'begin', at: null, command: `rewards fund ${shellLabel(campaign.campaign_id)}` },
        campaign.total_pool,
      ),
    ),
  ];
};
