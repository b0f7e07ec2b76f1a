/** Streams for people. */
import { showNumber } from '../../bch/amount.js';
import { statusText } from '../../record/damaged.js';
import { viewUnexpected, type UnexpectedFunding } from '../../offer/unexpected-funding.js';
import type { View, ViewBlock } from '../../operation/define.js';
import { showDate } from '../../bch/show-date.js';
import { shellLabel } from '../../record/labels.js';
import { drawCurve } from './chart.js';
import type { ShownBatch, ShownStream } from './reply.js';

type Row = readonly string[];
type Event = {
  readonly event_type: string;
  readonly amount: number;
  readonly created_at: number;
  readonly tx_hash: string | null;
};
type Paged = { readonly total: number };
type Shown = {
  readonly stream: ShownStream & { readonly confirmations: number };
  readonly chainTime: number;
  readonly curve: readonly { readonly time: number; readonly amountOnChain: string }[];
  readonly claims: readonly {
    readonly to_address: string;
    readonly amount: number;
    readonly claimed_at: number;
    readonly tx_hash: string;
  }[];
  readonly events: readonly Event[];
  readonly unexpectedFunding: readonly UnexpectedFunding[];
};

const assetOf = ({
  token_type,
  token_category,
}: Pick<ShownStream, 'token_type' | 'token_category'>): string =>
  token_type === 'BCH' ? 'BCH' : `${token_category?.slice(0, 8) ?? ''}...`;

const table = (head: Row, rows: readonly Row[], empty: string): ViewBlock => ({
  kind: 'table',
  head,
  rows,
  empty,
});

const more = (shown: number, { total }: Paged): View =>
  total > shown ? [{ kind: 'text', text: `${shown} of ${total}; --page shows more.` }] : [];

const tableOfStreams = (streams: readonly ShownStream[], empty: string): ViewBlock =>
  table(
    ['Label', 'Type', 'Status', 'Recipient', 'Asset', 'Total', 'Vested', 'Claimed', 'Claimable'],
    streams.map((stream) => [
      stream.stream_id,
      stream.stream_type,
      statusText(stream),
      stream.recipient,
      assetOf(stream),
      showNumber(stream.total_amount),
      `${stream.progress_percentage} %`,
      showNumber(stream.withdrawn_amount),
      showNumber(stream.claimable_amount),
    ]),
    empty,
  );

/** How `streams list` reads. */
export const viewStreams = (reply: Paged & { readonly streams: readonly ShownStream[] }): View => [
  tableOfStreams(reply.streams, 'No streams yet. `treasury streams create` makes one.'),
  ...more(reply.streams.length, reply),
];

/** How `streams claimable` reads. */
export const viewClaimable = ({ streams }: { readonly streams: readonly ShownStream[] }): View => [
  tableOfStreams(streams, 'There is nothing to claim now.'),
];

/** How `streams activity` reads. */
export const viewActivity = (
  reply: Paged & {
    readonly events: readonly (Event & { readonly stream_id: string; readonly actor: string })[];
  },
): View => [
  table(
    ['When', 'Stream', 'Event', 'Amount', 'By', 'Transaction'],
    reply.events.map((event) => [
      showDate(event.created_at, 'open-ended'),
      event.stream_id,
      event.event_type,
      showNumber(event.amount),
      event.actor,
      event.tx_hash ?? '',
    ]),
    'Nothing has happened yet.',
  ),
  ...more(reply.events.length, reply),
];

/** The terms of a stream. */
export const viewCreated = (stream: ShownStream): View => [
  {
    kind: 'facts',
    rows: [
      [
        'Type',
        stream.stream_type + (stream.schedule_template === null ? '' : ` (${stream.schedule_template})`),
      ],
      ['Asset', stream.token_category ?? 'BCH'],
      ['Total', showNumber(stream.total_amount)],
      ['Sender', stream.sender],
      ['Recipient', stream.recipient],
      ['Starts', showDate(stream.start_time, 'open-ended')],
      ['Ends', showDate(stream.end_time, 'open-ended')],
      ['Contract', stream.contract_address],
    ],
  },
];

const nextOf = ({ stream_id, status, claimable_amount }: ShownStream): View => {
  const label = shellLabel(stream_id);
  if (status === 'PENDING')
    return [{ kind: 'next', command: `streams fund ${label}`, why: 'to put the money in' }];
  if (status === 'PAUSED')
    return [{ kind: 'next', command: `streams resume ${label}`, why: 'to let it go on' }];
  if (claimable_amount === 0) return [];
  return [{ kind: 'next', command: `streams claim ${label}`, why: 'to take what has vested' }];
};

const chartOf = ({ stream, curve, chainTime }: Shown): ViewBlock => {
  const total = Number(stream.total_amountOnChain);
  return {
    kind: 'text',
    text: drawCurve({
      points: curve.map(({ time, amountOnChain }) => ({ time, share: Number(amountOnChain) / total })),
      now: stream.paused_at ?? chainTime,
      claimed: Number(stream.withdrawn_amountOnChain) / total,
    }),
  };
};

/** How `streams show` reads. */
export const viewStream = (reply: Shown): View => {
  const { stream, claims, events, unexpectedFunding } = reply;
  return [
    { kind: 'text', text: `${stream.stream_id} ${stream.stream_type} (${stream.status})` },
    ...(stream.description === '' ? [] : [{ kind: 'text' as const, text: stream.description }]),
    chartOf(reply),
    {
      kind: 'facts',
      rows: [
        [
          'Vested',
          `${showNumber(stream.vested_amount)} of ${showNumber(stream.total_amount)} (${stream.progress_percentage} %)`,
        ],
        ['Claimed', showNumber(stream.withdrawn_amount)],
        ['Claimable', showNumber(stream.claimable_amount)],
        ['Next unlock', stream.next_unlock === null ? 'none' : showDate(stream.next_unlock, 'open-ended')],
        ...(stream.paused_at === null ? [] : [['Paused', showDate(stream.paused_at, 'open-ended')] as const]),
        ...(stream.shift_seconds === 0
          ? []
          : [['Later by', `${stream.shift_seconds} seconds of pauses`] as const]),
      ],
    },
    ...viewCreated(stream),
    table(
      ['Claimed to', 'Amount', 'When', 'Transaction'],
      claims.map((row) => [
        row.to_address,
        showNumber(row.amount),
        showDate(row.claimed_at, 'open-ended'),
        row.tx_hash,
      ]),
      'Nothing was claimed yet.',
    ),
    table(
      ['Event', 'Amount', 'When', 'Transaction'],
      events.map((row) => [
        row.event_type,
        showNumber(row.amount),
        showDate(row.created_at, 'open-ended'),
        row.tx_hash ?? '',
      ]),
      'Nothing has happened yet.',
    ),
    ...viewUnexpected(unexpectedFunding),
    ...nextOf(stream),
  ];
};

/** How `streams runs` reads. */
export const viewBatches = (reply: Paged & { readonly batches: readonly ShownBatch[] }): View => [
  table(
    ['Run', 'When', 'Status', 'Streams', 'Active', 'Completed', 'Cancelled', 'Asset', 'Total'],
    reply.batches.map((batch) => [
      batch.id,
      showDate(batch.created_at, 'open-ended'),
      batch.status,
      String(batch.count),
      String(batch.active),
      String(batch.completed),
      String(batch.cancelled),
      assetOf(batch),
      showNumber(batch.total_amount),
    ]),
    'No batch runs yet. `treasury streams batch` makes one.',
  ),
  ...more(reply.batches.length, reply),
];

/** How `streams run` reads. */
export const viewBatch = ({
  batch,
  streams,
}: {
  readonly batch: ShownBatch;
  readonly streams: readonly ShownStream[];
}): View => [
  ...viewBatches({ batches: [batch], total: 1 }),
  ...viewStreams({ streams, total: streams.length }),
];
