/** What may be a mistake in a batch and is none of its rows': somebody in it twice, or the same batch once more. */
import { formatUnits } from '../../bch/amount.js';
import { showDate } from '../../bch/show-date.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { BCH, tokenAsset } from '../../record/assets.js';
import { batchCollection, streamCollection, type StreamRecord } from './stream.js';

/** Earlier batches that are looked at. */
const MOST_COMPARED = 50;

/** A row of a batch, and where it stands: `line 5`, or `row 4`. */
export type Placed = { readonly place: string; readonly stream: StreamRecord };

/** What amounts of a stream are called. */
const unitOf = async ({ token_category: category }: StreamRecord, store: StoreReader): Promise<string> =>
  (category === null ? BCH : await tokenAsset(category, store)).symbol;

const twice = (rows: readonly Placed[], unit: string): string[] => {
  const recipients = [...new Set(rows.map(({ stream }) => stream.recipient))];
  return recipients.flatMap((recipient) => {
    const own = rows.filter(({ stream }) => stream.recipient === recipient);
    if (own.length < 2) return [];
    const sum = own.reduce((total, { stream }) => total + stream.total_amount, 0n);
    const places = own.map(({ place }) => place).join(', ');
    return [
      `${recipient} is paid ${own.length} times (${places}), ${formatUnits(sum, own[0]?.stream.decimals ?? 0)} ${unit} in all`,
    ];
  });
};

/** What of its rows makes a batch the same one: who gets how much, and how. */
const contentOf = (streams: readonly StreamRecord[]): string =>
  streams
    .map(({ recipient, total_amount, stream_type }) => `${recipient} ${total_amount} ${stream_type}`)
    .sort()
    .join('\n');

const before = async (drafts: readonly StreamRecord[], store: StoreReader): Promise<string[]> => {
  const [first] = drafts;
  if (first === undefined) return [];
  const total = drafts.reduce((sum, { total_amount }) => sum + total_amount, 0n);
  const { items } = await store.find(batchCollection, {
    where: { sender: first.sender },
    filter: (batch) => batch.total_amount === total && batch.stream_ids.length === drafts.length,
    limit: MOST_COMPARED,
  });
  for (const batch of items) {
    if (batch.token_category !== first.token_category) continue;
    const streams = (await Promise.all(batch.stream_ids.map((id) => store.get(streamCollection, id)))).filter(
      (stream) => stream !== null,
    );
    // As they were made: a transfer gives a stream another recipient.
    const asMade = streams.map((stream) => ({ ...stream, recipient: stream.first_recipient }));
    if (contentOf(asMade) !== contentOf(drafts)) continue;
    const labels = `${streams[0]?.stream_id ?? ''} to ${streams.at(-1)?.stream_id ?? ''}`;
    return [
      `the same recipients and amounts are in the batch of ${labels}, made ${showDate(batch.created_at)}`,
    ];
  }
  return [];
};

/** What to be warned of before a batch is made. Reads only. */
export const warnOfBatch = async (rows: readonly Placed[], store: StoreReader): Promise<string[]> => {
  const drafts = rows.map(({ stream }) => stream);
  const [first] = drafts;
  const unit = first === undefined ? '' : await unitOf(first, store);
  return [...twice(rows, unit), ...(await before(drafts, store))];
};
