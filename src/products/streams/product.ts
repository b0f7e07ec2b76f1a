/** Streams, declared: what the operations and the core know of them. */
import type { StoreReader } from '../../operation/ports/store.js';
import type { PinSubject } from '../../offer/funding-pins.js';
import { definePoolProduct } from '../../record/covenant-product.js';
import { findVault, vaultCollection, vaultReaders } from '../vaults/index.js';
import { activityCollection, activityOf } from './activity.js';
import { StreamId } from './fields.js';
import { figuresOf, kindOf } from './kinds.js';
import { remainingPool } from './rules.js';
import {
  batchCollection,
  claimCollection,
  Payout,
  streamCollection,
  STREAM_MOVES,
  UNMOVED,
  type StreamRecord,
} from './stream.js';

/** The streams that are funded together with one: itself alone, or all of its batch, in order. */
export const fundedTogether = async (
  stream: StreamRecord,
  { store }: { readonly store: StoreReader },
): Promise<readonly StreamRecord[]> => {
  const batch = stream.batch_id === null ? null : await store.get(batchCollection, stream.batch_id);
  if (batch === null) return [stream];
  return (
    await Promise.all(batch.stream_ids.map(async (id) => (await store.get(streamCollection, id)) ?? []))
  ).flat();
};

/** What the genesis coin of streams is pinned for that are funded together: the batch, where they are one. */
export const pinSubject = (streams: readonly StreamRecord[]): PinSubject => {
  const [first] = streams;
  if (first === undefined) throw new Error('a funding has streams');
  const { id, stream_id: label, batch_id: batchId } = first;
  const record = { collection: streamCollection.name, id };
  return batchId === null ? { id, label, record } : { id: batchId, label: `the batch ${batchId}`, record };
};

export const streams = definePoolProduct<StreamRecord, keyof typeof STREAM_MOVES>({
  noun: 'streams',
  route: '/api/streams',
  entityType: 'stream',
  words: ['stream', 'stream'],
  id: StreamId,
  collection: streamCollection,
  notFound: 'stream_not_found',
  labelKind: 'STREAM',
  labelField: 'stream_id',
  contractType: (stream) => kindOf(stream).contractType,
  contract: (stream, network) => kindOf(stream).contract(stream, network),
  checkTerms: (stream) => kindOf(stream).checkTerms(stream),
  tokenCategory: (stream) => stream.token_category,
  parties: ({ sender, recipient }) => ({ sender, recipient }),
  funder: 'sender',
  genesis: (stream, network) => kindOf(stream).genesis(stream, network),
  fundedTogether,
  remaining: remainingPool,
  moves: STREAM_MOVES,
  fresh: ({ first_recipient: recipient }) => ({ recipient, ...UNMOVED }),
  observe: (stream, chain, network) => kindOf(stream).observeMove(stream, chain, network),
  paid: ({ details }) => {
    const { data } = Payout.safeParse(details);
    return data === undefined ? null : { to: data.to || data.recipient, amount: data.paidOnChain };
  },
  unclaimed: (stream, at) => figuresOf(stream, at).claimable,
  rows: [
    { collection: activityCollection, of: (stream, event) => [activityOf(stream, event)] },
    {
      // Whatever paid a recipient is a claim: a claim itself, and what an end or a pause paid.
      collection: claimCollection,
      time: 'claimed_at',
      of: ({ id: stream_id, decimals }, { id, details, tx_hash, created_at: claimed_at }) => {
        const { recipient, to: to_address, paidOnChain: amount = 0n } = Payout.safeParse(details).data ?? {};
        if (amount === 0n) return [];
        return [{ id, stream_id, recipient, to_address, amount, decimals, tx_hash, claimed_at }];
      },
    },
  ],
  strays: {
    isState: (stream, commitment) => kindOf(stream).isState(commitment),
    way: ({ cancelable }) =>
      cancelable
        ? 'the sender cancels it, which pays what has vested in it to its recipient and the rest back'
        : 'it is irrevocable, and its recipient claims it as it vests',
    terms: (stream, stray, network) => kindOf(stream).stray(stream, stray, network),
    due: 'what has vested',
  },
  findVault,
  ...vaultReaders(({ vault_id: vaultId, sender, recipient }) => ({ vaultId, parties: [sender, recipient] })),
  needs: ({ vault_id, batch_id }) => [
    ...(vault_id === null ? [] : [{ collection: vaultCollection, id: vault_id }]),
    ...(batch_id === null ? [] : [{ collection: batchCollection, id: batch_id }]),
  ],
});
