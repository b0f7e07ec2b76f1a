/** Batch runs: finding them, and writing one down with its streams. */
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import type { FundingDraft } from '../../offer/funding.js';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { findVault, vaultReaders } from '../vaults/index.js';
import { storeStream } from './draft.js';
import { batchCollection, type BatchRecord, type LaunchContext, type StreamRecord } from './stream.js';

/** Who may read a batch run: it names every recipient, so its one party is its sender. */
export const batchReaders = vaultReaders<BatchRecord>(({ vault_id: vaultId, sender }) => ({
  vaultId,
  parties: [sender],
}));

/**
 * A batch run by its id, and of that vault where one is named.
 *
 * @throws batch_not_found, vault_not_found
 */
export const findBatch = async (store: StoreReader, id: string, vaultId?: string): Promise<BatchRecord> => {
  const batch = await store.get(batchCollection, id);
  const isOfVault = vaultId === undefined || (await findVault(store, vaultId)).id === batch?.vault_id;
  if (batch === null || !isOfVault) throw new TreasuryError('batch_not_found', { id });
  return batch;
};

/** A run, and its streams with their labels. */
export type StoredBatch = { readonly batch: BatchRecord; readonly streams: readonly StreamRecord[] };

/**
 * How a run and its streams are written down with the pin of their funding, all or none. The change throws
 * `store_conflict` when another process was faster with the coin: the funding has to be built anew.
 */
export const storingBatch = async (
  drafts: readonly StreamRecord[],
  launchContext: LaunchContext | null,
  keepPin: FundingDraft['keep'],
  context: Context,
): Promise<(writer: StoreWriter) => Promise<StoredBatch>> => {
  const [first] = drafts;
  if (first?.batch_id == null || first.vault_id === null) throw new Error('a batch has rows and a vault');
  const batch: BatchRecord = {
    id: first.batch_id,
    vault_id: first.vault_id,
    is_private: first.is_private,
    sender: first.sender,
    token_type: first.token_type,
    token_category: first.token_category,
    decimals: first.decimals,
    total_amount: drafts.reduce((sum, { total_amount }) => sum + total_amount, 0n),
    stream_ids: drafts.map(({ id }) => id),
    recipients: [...new Set(drafts.map(({ recipient }) => recipient))],
    launch_context: launchContext,
    created_at: context.clock.now(),
  };
  const price = await context.price.reading();
  return async (writer) => {
    writer.put(batchCollection, batch);
    const streams: StreamRecord[] = [];
    for (const draft of drafts) streams.push(await storeStream(writer, draft, price, context));
    if (!(await keepPin(writer))) throw new TreasuryError('store_conflict', { label: 'The batch' });
    return { batch, streams };
  };
};
