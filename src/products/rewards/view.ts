/** A campaign for people. */
import { showNumber } from '../../bch/amount.js';
import type { z } from 'zod';
import type { View } from '../../operation/define.js';
import { showDate } from '../../bch/show-date.js';
import { shellLabel } from '../../record/labels.js';
import { tableOfEvents } from '../../offer/read-record.js';
import { viewUnexpected, type UnexpectedFunding } from '../../offer/unexpected-funding.js';
import type { EventReply } from '../../record/events.js';
import type { CampaignReply, DistributionReply } from './reply.js';

type Shown = {
  readonly campaign: z.output<typeof CampaignReply> & { readonly confirmations: number };
  readonly distributions: readonly z.output<typeof DistributionReply>[];
  readonly events: readonly z.output<typeof EventReply>[];
  readonly unexpectedFunding: readonly UnexpectedFunding[];
};

const BAR_CELLS = 30;

/** `[######........] 40 %` of the pool. */
const barOf = (distributed: number, total: number): string => {
  const share = total === 0 ? 0 : distributed / total;
  const full = Math.floor(share * BAR_CELLS);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_CELLS - full)}] ${Math.floor(share * 100)} %`;
};

const nextOf = ({ campaign_id, status }: Shown['campaign']): View => {
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
export const viewCampaign = ({ campaign, distributions, events, unexpectedFunding }: Shown): View => [
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
  tableOfEvents(events),
  ...viewUnexpected(unexpectedFunding),
  ...nextOf(campaign),
];
