/** Streams for people: what several operations show. */
import { pushedWords } from '../../record/pushed-words.js';
import { amountsIn } from '../../record/show-amount.js';
import { showDate } from '../../bch/show-date.js';
import { column } from '../../operation/columns.js';
import type { View, ViewBlock } from '../../operation/define.js';
import { statusText } from '../../record/damaged.js';
import type { ShownStream } from './reply.js';
import { wordedLabel, wordRows } from '../../record/own-words.js';

/** How amounts of a stream or a batch read. */
export const inAsset = ({
  decimals,
  token_category: category,
}: Pick<ShownStream, 'decimals' | 'token_category'>) => amountsIn({ decimals, category });

/** A page of a list says which part it shows. */
export const more = (shown: number, { total }: { readonly total: number }): View =>
  total > shown ? [{ kind: 'text', text: `${shown} of ${total}; --page shows more.` }] : [];

export const tableOfStreams = (
  streams: readonly ShownStream[],
  empty = 'No streams yet. `treasury streams create` makes one.',
): ViewBlock => ({
  kind: 'table',
  head: [
    column.key('Label'),
    column.text('Type', 2),
    column.state('Status'),
    column.text('Recipient'),
    column.amount('Total'),
    column.amount('Vested', 2),
    column.amount('Claimed', 2),
    column.amount('Claimable'),
  ],
  rows: streams.map((stream) => [
    wordedLabel(stream.stream_id, stream),
    stream.stream_type,
    statusText(stream),
    stream.recipient,
    inAsset(stream)(stream.total_amountOnChain),
    `${stream.progress_percentage} %`,
    inAsset(stream)(stream.withdrawn_amountOnChain),
    inAsset(stream)(stream.claimable_amountOnChain),
  ]),
  empty,
});

/** The terms of a stream. */
export const factsOfTerms = (stream: ShownStream): ViewBlock => ({
  kind: 'facts',
  rows: [
    ...wordRows(stream),
    [
      'Type',
      stream.stream_type + (stream.schedule_template === null ? '' : ` (${stream.schedule_template})`),
    ],
    ['Asset', stream.token_category ?? 'BCH'],
    ['Total', inAsset(stream)(stream.total_amountOnChain)],
    ['Sender', stream.sender],
    ['Recipient', stream.recipient],
    ['Starts', showDate(stream.start_time)],
    ['Ends', showDate(stream.end_time, 'open-ended')],
    ['Pushed', pushedWords(stream.push_minimumOnChain, inAsset(stream))],
    ['Contract', stream.contract_address],
  ],
});
