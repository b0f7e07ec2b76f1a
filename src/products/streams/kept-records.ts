/** What the chain cannot give of streams: which of them were made in one run, and that they were made at all. */
import { isDeepStrictEqual } from 'node:util';
import type { Finding } from '../../covenant/genesis.js';
import { defineKeptRecord, type Beside, type KeptRecord } from '../../record/kept-record.js';
import { vaultCollection } from '../vaults/index.js';
import { activityCollection, activityOf, type ActivityRecord } from './activity.js';
import { streams } from './product.js';
import { batchCollection, streamCollection, type BatchRecord } from './stream.js';

/** Every member says that it is one, and no other stream does. */
const checkBatch = async (batch: BatchRecord, { store }: Beside): Promise<readonly Finding[]> => {
  const query = { where: { batch: batch.id }, limit: Number.MAX_SAFE_INTEGER };
  const { items: members } = await store.find(streamCollection, query);
  const { length: count } = batch.stream_ids;
  const named = new Set(batch.stream_ids);
  const ok = named.size === count && members.length === count && members.every(({ id }) => named.has(id));
  const detail = `it has ${count} members; ${members.length} streams say that they are of it`;
  return [{ check: 'members', ok, detail }];
};

/** The feed shows no other parties than the stream has. */
const checkActivity = async (
  row: ActivityRecord,
  { store, network }: Beside,
): Promise<readonly Finding[]> => {
  const stream = await store.get(streamCollection, row.stream_id);
  const { unfunded } = streams.followed(network);
  const expected = stream === null ? null : activityOf(unfunded(stream), { ...row, details: {} });
  const ok = isDeepStrictEqual(row, expected);
  return [{ check: 'activity', ok, detail: 'it must say of the stream what the stream says of itself' }];
};

export const keptRecords: readonly KeptRecord[] = [
  defineKeptRecord<BatchRecord>({
    collection: batchCollection,
    pack: (batch) => batch,
    needs: ({ vault_id, stream_ids }) => [
      { collection: vaultCollection, id: vault_id },
      ...stream_ids.map((id) => ({ collection: streamCollection, id })),
    ],
    check: checkBatch,
  }),
  defineKeptRecord<ActivityRecord>({
    collection: activityCollection,
    // The rows of moves are written anew with their events.
    pack: (row) => (row.event_type === 'created' ? row : null),
    needs: ({ stream_id: id }) => [{ collection: streamCollection, id }],
    check: checkActivity,
  }),
];
