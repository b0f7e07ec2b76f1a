/** One stream with its claims and events. */
import { showDuration } from '../../../bch/duration.js';
import { z } from 'zod';
import { showAmounts } from '../../../bch/amount.js';
import { showDate } from '../../../bch/show-date.js';
import { readRecord, tableOfEvents, ToldFields } from '../../../offer/read-record.js';
import { viewUnexpected } from '../../../offer/unexpected-funding.js';
import { chainNow } from '../../../operation/chain-now.js';
import { column } from '../../../operation/columns.js';
import { defineOperation, FOLLOW_ERRORS, type View, type ViewBlock } from '../../../operation/define.js';
import { SHOWN_EVENTS } from '../../../record/events.js';
import { shellLabel } from '../../../record/labels.js';
import { lastMade, withConfirmations } from '../../../record/shown-record.js';
import { drawCurve } from '../chart.js';
import { StreamId } from '../fields.js';
import { streams } from '../product.js';
import { ClaimReply, showClaim, showAt, type ShownStream, StreamReply } from '../reply.js';
import { fundedTotal } from '../rules.js';
import { curvePoints, decodeSchedule, intervalSegments } from '../schedule.js';
import { claimCollection, type StreamRecord } from '../stream.js';
import { factsOfTerms, inAsset } from '../view.js';

/** More intervals than these are not drawn. */
const MAXIMUM_INTERVALS = 120;

/**
 * What has vested and will vest, by when, as things stand: finished pauses have moved it, and a present one is not
 * taken into account. RECURRING goes as far as it is funded.
 */
const curveOf = lastMade((stream: StreamRecord) => {
  const { interval_seconds: interval, amount_per_interval: each, decimals } = stream;
  const start = stream.start_time + stream.shift_seconds;
  const segments =
    stream.stream_type === 'RECURRING' && interval !== null && each !== null
      ? intervalSegments(
          Math.min(Number(fundedTotal(stream) / each), MAXIMUM_INTERVALS),
          interval,
          (periods) => BigInt(periods) * each,
        )
      : decodeSchedule(stream.schedule);
  return curvePoints(segments).map(({ offset, amount }) => ({
    time: start + offset,
    ...showAmounts({ amount }, decimals),
  }));
});

type Charted = {
  readonly stream: ShownStream;
  readonly chainTime: number;
  readonly curve: ReturnType<typeof curveOf>;
};

const chartOf = ({ stream, curve, chainTime }: Charted): ViewBlock => {
  const total = Number(stream.total_amountOnChain);
  const points = curve.map(({ time, amountOnChain }) => ({ time, share: Number(amountOnChain) / total }));
  const claimed = Number(stream.withdrawn_amountOnChain) / total;
  return {
    kind: 'drawing',
    draw: (columns) => drawCurve({ points, now: stream.paused_at ?? chainTime, claimed }, columns),
  };
};

const factsOfProgress = (stream: ShownStream): ViewBlock => {
  const { progress_percentage: progress, paused_at: pausedAt, shift_seconds: shift } = stream;
  return {
    kind: 'facts',
    rows: [
      [
        'Vested',
        `${inAsset(stream)(stream.vested_amountOnChain)} of ${inAsset(stream)(stream.total_amountOnChain)} (${progress} %)`,
      ],
      ['Claimed', inAsset(stream)(stream.withdrawn_amountOnChain)],
      ['Claimable', inAsset(stream)(stream.claimable_amountOnChain)],
      ['Next unlock', showDate(stream.next_unlock, 'none')],
      ...(pausedAt === null ? [] : [['Paused', showDate(pausedAt)] as const]),
      ...(shift === 0 ? [] : [['Later by', `${showDuration(shift)}, by pauses`] as const]),
    ],
  };
};

const nextOf = ({ stream_id, status, sender, recipient, ...stream }: ShownStream): View => {
  const { claimable_amount, pushable_amount } = stream;
  const label = shellLabel(stream_id);
  if (status === 'PENDING')
    return [{ kind: 'next', command: `streams fund ${label}`, why: 'to put the money in', by: [sender] }];
  if (status === 'PAUSED')
    return [{ kind: 'next', command: `streams resume ${label}`, why: 'to let it go on', by: [sender] }];
  if (claimable_amount === 0) return [];
  return [
    { kind: 'next', command: `streams claim ${label}`, why: 'to take what has vested', by: [recipient] },
    ...(pushable_amount === 0
      ? []
      : [
          {
            kind: 'next' as const,
            command: `streams push ${label}`,
            why: 'to pay the recipient what has vested',
            by: [sender],
          },
        ]),
  ];
};

export const show = defineOperation({
  id: 'streams.show',
  summary: 'Show a stream with its claims and events',
  http: { method: 'GET', path: '/api/streams/:id' },
  auth: 'optional',
  input: z.object({ id: StreamId }),
  output: z.object({
    stream: StreamReply.extend({ confirmations: z.number() }),
    chainTime: z.number().describe('Unix seconds; what the figures are worked out for'),
    curve: z
      .array(z.object({ time: z.number(), amount: z.number(), amountOnChain: z.string() }))
      .describe('Corners of the schedule as it stands, to be joined by lines; time in unix seconds'),
    claims: z.array(ClaimReply).describe('Newest first, the latest 50'),
    ...ToldFields,
  }),
  errors: ['stream_not_found', 'vault_not_found', 'private_vault', ...FOLLOW_ERRORS],
  run: async ({ id }, context) => {
    const { store } = context;
    const { record: stream, confirmations, latest, told } = await readRecord(streams, id, context);
    const now = await chainNow(context);
    const claims = await store.find(claimCollection, { where: { stream: stream.id }, limit: SHOWN_EVENTS });
    return {
      stream: withConfirmations(showAt(stream, now, latest), confirmations),
      chainTime: now,
      curve: [...curveOf(stream)],
      claims: claims.items.map(showClaim),
      ...told,
    };
  },
  view: (reply) => {
    const { stream, claims, events, unexpectedFunding } = reply;
    return [
      { kind: 'text', text: `${stream.stream_id} ${stream.stream_type} (${stream.status})` },
      ...(stream.description === ''
        ? []
        : [{ kind: 'text' as const, text: stream.description, from: 'others' as const }]),
      chartOf(reply),
      factsOfProgress(stream),
      factsOfTerms(stream),
      {
        kind: 'table',
        head: [
          column.key('Claimed to'),
          column.amount('Amount'),
          column.date('When'),
          column.txid('Transaction'),
        ],
        rows: claims.map((row) => [
          row.to_address,
          inAsset(stream)(row.amountOnChain),
          showDate(row.claimed_at),
          row.tx_hash,
        ]),
        empty: 'Nothing was claimed yet.',
      },
      { ...tableOfEvents(events, inAsset(stream)), empty: 'Nothing has happened yet.' },
      ...viewUnexpected(unexpectedFunding),
      ...nextOf(stream),
    ];
  },
});
