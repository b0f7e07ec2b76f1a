/** Campaigns and distributions as answers show them. */
import type { z } from 'zod';
import { DamagedReply } from '../../record/damaged.js';
import { latestEvent, LatestEventReply } from '../../offer/read-record.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { defineShown } from '../../record/shown-record.js';
import { CampaignRecord, DistributionRecord } from './campaign.js';

const shownCampaign = defineShown(CampaignRecord, {
  hidden: ['artifact_fingerprint', 'last_tx_hash'],
  computed: { damaged: DamagedReply, latest_event: LatestEventReply },
});

/** A campaign. Source: docs/design/api.md. */
export const CampaignReply = shownCampaign.reply;

/** For the schema, see {@link CampaignReply}. */
export const showCampaign = async (
  campaign: CampaignRecord,
  store: StoreReader,
): Promise<z.output<typeof CampaignReply>> =>
  shownCampaign.show(campaign, { latest_event: await latestEvent(store, campaign.id) });

/** A distribution. Source: docs/design/api.md. */
export const { reply: DistributionReply, show: showDistribution } = defineShown(DistributionRecord, {
  hidden: ['decimals'],
});
