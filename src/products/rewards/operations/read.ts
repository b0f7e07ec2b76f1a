/** Campaigns as they are read: those of a creator, and one with its distributions and events. */
import { z } from 'zod';
import type { Address } from '../../../bch/address.js';
import { AddressField } from '../../../bch/fields.js';
import { defineReading } from '../../../offer/read-record.js';
import { distributionCollection } from '../campaign.js';
import { campaigns } from '../product.js';
import { CampaignReply, DistributionReply, showCampaign, showDistribution } from '../reply.js';
import { nextOf, tableOfCampaigns, viewCampaign } from '../view.js';

type Filters = { readonly creator: Address; readonly showDeprecated: boolean };

export const { list, show } = defineReading(campaigns, {
  names: ['campaign', 'campaigns'],
  reply: CampaignReply,
  show: showCampaign,
  list: {
    summary: 'List the reward campaigns of a creator, newest first',
    cli: { callerFields: ['creator'] },
    filters: {
      creator: AddressField,
      showDeprecated: z.boolean().default(false).describe('Show removed campaigns too'),
    },
    where: ({ creator, showDeprecated }: Filters) => ({ [showDeprecated ? 'creator' : 'shown']: creator }),
    table: tableOfCampaigns,
  },
  details: {
    summary: 'Show a reward campaign with its distributions and events',
    page: 'campaign',
    rows: {
      name: 'distributions',
      collection: distributionCollection,
      index: 'reward',
      reply: DistributionReply,
      show: showDistribution,
    },
    view: viewCampaign,
    next: nextOf,
  },
});
