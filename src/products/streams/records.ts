/** Where streams, claims and batches are kept, and how streams are followed. */
import { parseAddress } from '../../bch/address.js';
import type { Output } from '../../bch/coins.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import type { Followed, Observed } from '../../covenant/follow.js';
import { auditGenesis, type GenesisAudit } from '../../covenant/genesis.js';
import type { Network } from '../../bch/network.js';
import type { Context } from '../../operation/context.js';
import type { PinSubject } from '../../offer/funding-pins.js';
import { findRecord } from '../../record/find.js';
import { followRecord, type Following } from '../../record/follow.js';
import { defineCollection, type StoreReader } from '../../operation/ports/store.js';
import { removeActivity, writeActivity } from './activity.js';
import { kindOf } from './kinds.js';
import { observeFunded } from './observe.js';
import { searchIndexes } from './search-keys.js';
import { BatchRecord, ClaimRecord, StreamRecord } from './stream.js';

export const streamCollection = defineCollection({
  name: 'streams',
  schema: StreamRecord,
  indexes: {
    ...searchIndexes<StreamRecord>((stream) => ({
      recipients: [stream.recipient],
      senders: [stream.sender],
      vaultId: stream.vault_id,
      contextSource: stream.launch_context?.source ?? null,
      isPrivate: stream.is_private,
      facet: stream.status,
    })),
    label: (stream) => stream.stream_id,
    contract: (stream) => stream.contract_address,
    /** Members of a batch, all and by status. */
    batch: ({ batch_id, status }) => (batch_id === null ? null : [batch_id, `${batch_id}|${status}`]),
  },
  unique: ['label'],
});

export const claimCollection = defineCollection({
  name: 'stream_claims',
  schema: ClaimRecord,
  indexes: { stream: (claim) => claim.stream_id, recipient: (claim) => claim.recipient },
});

export const batchCollection = defineCollection({
  name: 'stream_batches',
  schema: BatchRecord,
  indexes: searchIndexes<BatchRecord>((batch) => ({
    recipients: batch.recipients,
    senders: [batch.sender],
    vaultId: batch.vault_id,
    contextSource: batch.launch_context?.source ?? null,
    isPrivate: batch.is_private,
    facet: 'batch',
  })),
});

/**
 * A stream by its id or its label.
 *
 * @throws stream_not_found
 */
export const findStream = (store: StoreReader, id: string): Promise<StreamRecord> =>
  findRecord(store, streamCollection, id, 'stream_not_found');

/** The streams that are funded together with one: itself alone, or all of its batch, in order. */
export const fundedTogether = async (
  store: StoreReader,
  stream: StreamRecord,
): Promise<readonly StreamRecord[]> => {
  const batch = stream.batch_id === null ? null : await store.get(batchCollection, stream.batch_id);
  if (batch === null) return [stream];
  return (
    await Promise.all(batch.stream_ids.map(async (id) => (await store.get(streamCollection, id)) ?? []))
  ).flat();
};

/** What is funded when a stream is: itself, or its batch. @throws stream_not_found */
export const findFunded = async (store: StoreReader, id: string): Promise<{ readonly id: string }> => {
  const stream = await findStream(store, id);
  return { id: stream.batch_id ?? stream.id };
};

/** What the genesis coin of streams is pinned for that are funded together: the batch, where they are one. */
export const pinSubject = (streams: readonly StreamRecord[]): PinSubject => {
  const [first] = streams;
  if (first === undefined) throw new Error('a funding has streams');
  const { id, stream_id: label, batch_id: batchId } = first;
  const record = { collection: streamCollection.name, id };
  return batchId === null ? { id, label, record } : { id: batchId, label: `the batch ${batchId}`, record };
};

/** The genesis audit of a transaction for streams that are funded together. */
export const auditFunding = (
  streams: readonly StreamRecord[],
  { transaction }: ChainTransaction,
  network: Network,
): GenesisAudit =>
  auditGenesis(
    transaction,
    streams.map((stream) => kindOf(stream).genesis(stream, network)),
  );

/** True when one of the spent outputs was the sender's. */
export const isPaidBySender = (
  { sender }: StreamRecord,
  spent: readonly (Pick<Output, 'lockingBytecode'> | null)[],
): boolean => {
  const senderLock = parseAddress(sender).lockingBytecode;
  return spent.some((output) => output?.lockingBytecode === senderLock);
};

/** The last audit of a batch: its hundreds of members are followed one by one, and all ask for the same. */
let lastAudit: { readonly key: string; readonly audit: GenesisAudit } | null = null;

const auditOnce = async (
  stream: StreamRecord,
  chain: ChainTransaction,
  context: Context,
): Promise<GenesisAudit> => {
  const key = `${stream.batch_id ?? stream.id}|${chain.transaction.txid}`;
  if (lastAudit?.key !== key) {
    lastAudit = {
      key,
      audit: auditFunding(await fundedTogether(context.store, stream), chain, context.network),
    };
  }
  return lastAudit.audit;
};

const observeFunding = async (
  stream: StreamRecord,
  chain: ChainTransaction,
  spent: readonly (Output | null)[],
  context: Context,
): Promise<Observed<StreamRecord> | null> => {
  if (!isPaidBySender(stream, spent)) return null;
  const { threads } = await auditOnce(stream, chain, context);
  const index = (await fundedTogether(context.store, stream)).findIndex(({ id }) => id === stream.id);
  const thread = threads[index];
  return thread === undefined ? null : observeFunded(stream, chain, thread);
};

/** The record of a stream as it was before its funding. */
export const unfundedStream = (stream: StreamRecord): StreamRecord => ({
  ...stream,
  status: 'PENDING',
  recipient: stream.first_recipient,
  withdrawn_amount: 0n,
  returned_amount: 0n,
  refilled_amount: 0n,
  shift_seconds: 0,
  paused_at: null,
  tx_hash: null,
  last_tx_hash: null,
  thread: null,
});

const followedStream = (context: Context): Followed<StreamRecord> => ({
  lockingBytecode: (stream) => parseAddress(stream.contract_address).lockingBytecode,
  thread: (stream) => stream.thread,
  fundedBy: (stream) => stream.tx_hash,
  isPending: (stream) => stream.status === 'PENDING',
  unfunded: unfundedStream,
  observeFunding: (stream, chain, spent) => observeFunding(stream, chain, spent, context),
  observeMove: (stream, chain) => kindOf(stream).observeMove(stream, chain, context.network),
});

/** How streams are followed. Whatever paid a recipient is a claim record: a claim, and what an end or a pause paid. */
export const streamFollowing = (context: Context): Following<StreamRecord> => ({
  collection: streamCollection,
  entityType: 'stream',
  followed: followedStream(context),
  contract: (stream) => kindOf(stream).contract(stream, context.network),
  decimals: (stream) => stream.decimals,
  label: (stream) => stream.stream_id,
  writeRow: (writer, stream, event, { details, txHash }) => {
    writeActivity(writer, stream, event, details);
    const paid = BigInt(details['paidOnChain'] ?? 0);
    if (paid === 0n) return;
    writer.put(claimCollection, {
      id: event.id,
      stream_id: stream.id,
      recipient: String(details['recipient']),
      to_address: String(details['to']),
      amount: paid,
      decimals: stream.decimals,
      tx_hash: txHash,
      claimed_at: event.created_at,
    });
  },
  retimeRow: async (writer, { id, created_at: claimed_at }) => {
    const row = await writer.get(claimCollection, id);
    if (row !== null) writer.put(claimCollection, { ...row, claimed_at });
  },
  removeRow: async (writer, event) => {
    await removeActivity(writer, event);
    if ((await writer.get(claimCollection, event.id)) !== null) writer.remove(claimCollection, event.id);
  },
});

/**
 * A stream by its id or label, as the chain has it now.
 *
 * @throws stream_not_found, chain_unavailable
 */
export const followStream = async (
  id: string,
  context: Context,
  candidates: readonly ChainTransaction[] = [],
): Promise<StreamRecord> =>
  followRecord((await findStream(context.store, id)).id, streamFollowing(context), context, candidates);
