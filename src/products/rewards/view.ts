/** A campaign for people. */
import { amountsIn } from '../../record/show-amount.js';
import type { z } from 'zod';
import { column } from '../../operation/columns.js';
import type { View, ViewBlock } from '../../operation/define.js';
import { showDate } from '../../bch/show-date.js';
import { shellLabel } from '../../record/labels.js';
import type { Details } from '../../offer/read-record.js';
import { statusText } from '../../record/damaged.js';
import type { CampaignReply, DistributionReply } from './reply.js';
import { wordedLabel, wordRows } from '../../record/own-words.js';

type Campaign = z.output<typeof CampaignReply>;
type Shown = Details<'campaign', Campaign> & {
  readonly distributions: readonly z.output<typeof DistributionReply>[];
};

/** How amounts of a campaign read. */
export const inAsset = ({
  decimals,
  token_category: category,
}: Pick<Campaign, 'decimals' | 'token_category'>) => amountsIn({ decimals, category });

/** Campaigns as one table. */
export const tableOfCampaigns = (campaigns: readonly Campaign[]): ViewBlock => ({
  kind: 'table',
  head: [
    column.key('Label'),
    column.text('Title'),
    column.state('Status'),
    column.amount('Pool'),
    column.amount('Distributed'),
    column.amount('Paid to', 2),
  ],
  rows: campaigns.map((campaign) => [
    wordedLabel(campaign.campaign_id, campaign),
    campaign.title,
    statusText(campaign),
    inAsset(campaign)(campaign.total_poolOnChain),
    inAsset(campaign)(campaign.distributed_totalOnChain),
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
export const nextOf = ({ campaign: { campaign_id, status, creator } }: Shown): View => {
  const label = shellLabel(campaign_id);
  if (status === 'PENDING')
    return [{ kind: 'next', command: `rewards fund ${label}`, why: 'to put the pool in', by: [creator] }];
  if (status === 'ACTIVE') {
    return [
      {
        kind: 'next',
        command: `rewards distribute ${label} --recipient-address <address> --amount <n>`,
        why: 'to pay somebody',
        by: [creator],
      },
    ];
  }
  if (status === 'PAUSED')
    return [
      { kind: 'next', command: `rewards cancel ${label}`, why: 'to take the rest back', by: [creator] },
    ];
  return [];
};

/** How `rewards show` reads. */
export const viewCampaign = ({ campaign, distributions }: Shown): View => [
  { kind: 'text', text: `${campaign.campaign_id} ${campaign.title} (${campaign.status})` },
  ...(campaign.description === ''
    ? []
    : [{ kind: 'text' as const, text: campaign.description, from: 'others' as const }]),
  {
    kind: 'facts',
    rows: [
      ...wordRows(campaign),
      ['Asset', campaign.token_category ?? 'BCH'],
      ['Pool', inAsset(campaign)(campaign.total_poolOnChain)],
      [
        'Distributed',
        `${inAsset(campaign)(campaign.distributed_totalOnChain)} in ${campaign.distributed_count} ${barOf(campaign.distributed_total, campaign.total_pool)}`,
      ],
      ['Most per recipient', inAsset(campaign)(campaign.max_reward_amountOnChain)],
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
    head: [column.key('Paid to'), column.amount('Amount'), column.date('When'), column.txid('Transaction')],
    rows: distributions.map((row) => [
      row.recipient,
      inAsset(campaign)(row.amountOnChain),
      showDate(row.distributed_at, 'open-ended'),
      row.tx_hash,
    ]),
    empty: 'Nothing was distributed yet.',
  },
];
