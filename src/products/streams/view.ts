/** Streams for people: what several operations show. */
import { showNumber } from '../../bch/amount.js';
import { showDate } from '../../bch/show-date.js';
import type { View, ViewBlock } from '../../operation/define.js';
import { statusText } from '../../record/damaged.js';
import type { ShownStream } from './reply.js';

/** The asset of a stream or a batch, in short. */
export const assetOf = ({
  token_type,
  token_category,
}: Pick<ShownStream, 'token_type' | 'token_category'>): string =>
  token_type === 'BCH' ? 'BCH' : `${token_category?.slice(0, 8) ?? ''}...`;

/** A page of a list says which part it shows. */
export const more = (shown: number, { total }: { readonly total: number }): View =>
  total > shown ? [{ kind: 'text', text: `${shown} of ${total}; --page shows more.` }] : [];

export const tableOfStreams = (
  streams: readonly ShownStream[],
  empty = 'No streams yet. `treasury streams create` makes one.',
): ViewBlock => ({
  kind: 'table',
  head: ['Label', 'Type', 'Status', 'Recipient', 'Asset', 'Total', 'Vested', 'Claimed', 'Claimable'],
  rows: streams.map((stream) => [
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
});

/** The terms of a stream. */
export const factsOfTerms = (stream: ShownStream): ViewBlock => ({
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
    ['Starts', showDate(stream.start_time)],
    ['Ends', showDate(stream.end_time, 'open-ended')],
    ['Contract', stream.contract_address],
  ],
});
