/** A campaign for people. */
import { showNumber } from '../../bch/amount.js';
import type { z } from 'zod';
import type { View, ViewBlock } from '../../operation/define.js';
import { showDate } from '../../bch/show-date.js';
import { shellLabel } from '../../record/labels.js';
import type { Details } from '../../offer/read-record.js';
import { shortAsset } from '../../record/assets.js';
import { statusText } from '../../record/damaged.js';
import type { CampaignReply, DistributionReply } from './reply.js';

type Campaign = z.output<typeof CampaignReply>;
type Shown = Details<'campaign', Campaign> & {
  readonly distributions: readonly z.output<typeof DistributionReply>[];
};

/** Campaigns as one table. */
export const tableOfCampaigns = (campaigns: readonly Campaign[]): ViewBlock => ({
  kind: 'table',
  head: ['Label', 'Title', 'Status', 'Asset', 'Pool', 'Distributed', 'Paid to'],
  rows: campaigns.map((campaign) => [
    campaign.campaign_id,
    campaign.title,
    statusText(campaign),
    shortAsset(campaign.token_category),
    String(campaign.total_pool),
    String(campaign.distributed_total),
    String(campaign.distributed_count),
  ]),
  empty: 'No campaigns yet. `treasury rewards create` makes one.',
});

const BAR_CELLS = 30;

/** `[######........] 40 %` of the pool. */
const barOf = (distributed: number, total: number): string => {
  const share = total === 0 ? 0 : distributed / total;
  const full = Math.floor(share * BAR_CELLS);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_CELLS - full)}] ${Math.floor(share * 100)} %`;
};

/** What can be done with a campaign next. */
export const nextOf = ({ campaign: { campaign_id, status } }: Shown): View => {
  const label = shellLabel(campaign_id);
  if (status === 'PENDING')
    return [{ kind: 'next', command: `rewards fund ${label}`, why: 'to put the pool in' }];
  if (status === 'ACTIVE') {
    return [
      {
        kind: 'next',
        command: `rewards distribute ${label} --recipient-address <address> --amount <n>`,
        why: 'to pay somebody',
      },
    ];
  }
  if (status === 'PAUSED')
    return [{ kind: 'next', command: `rewards cancel ${label}`, why: 'to take the rest back' }];
  return [];
};

/** How `rewards show` reads. */
export const viewCampaign = ({ campaign, distributions }: Shown): View => [
  { kind: 'text', text: `${campaign.campaign_id} ${campaign.title} (${campaign.status})` },
  ...(campaign.description === '' ? [] : [{ kind: 'text' as const, text: campaign.description }]),
  {
    kind: 'facts',
    rows: [
      ['Asset', campaign.token_category ?? 'BCH'],
      ['Pool', showNumber(campaign.total_pool)],
      [
        'Distributed',
        `${showNumber(campaign.distributed_total)} in ${campaign.distributed_count} ${barOf(campaign.distributed_total, campaign.total_pool)}`,
      ],
      ['Most per recipient', showNumber(campaign.max_reward_amount)],
      ['Creator', campaign.creator],
      ['Refunds go to', campaign.refund_address],
      ['Starts', showDate(campaign.start_date, 'open-ended')],
      ['Ends', showDate(campaign.end_date, 'open-ended')],
      ['Contract', campaign.contract_address],
      ['Funding', campaign.tx_hash ?? 'not yet'],
      ['Confirmations', String(campaign.confirmations)],
    ],
  },
  {
    kind: 'table',
    head: ['Paid to', 'Amount', 'When', 'Transaction'],
    rows: distributions.map((row) => [
      row.recipient,
      showNumber(row.amount),
      showDate(row.distributed_at, 'open-ended'),
      row.tx_hash,
    ]),
    empty: 'Nothing was distributed yet.',
  },
];
