/** Who may read what belongs to a private vault. */
import type { Address } from '../../bch/address.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { canSee, checkScope } from '../vaults/index.js';
import type { BatchRecord, StreamRecord } from './stream.js';

/** Checks that the caller may read a stream: anyone, but of a private vault its members and the stream's parties. @throws private_vault */
export const checkReader = async (
  { vault_id, sender, recipient }: StreamRecord,
  caller: Address | null,
  store: StoreReader,
): Promise<void> => {
  await checkScope(store, { vaultId: vault_id, parties: [sender, recipient] }, caller);
};

/** {@link checkReader} of a batch run, whose one party is its sender: it names every recipient. @throws private_vault */
export const checkBatchReader = async (
  { vault_id, sender }: BatchRecord,
  caller: Address | null,
  store: StoreReader,
): Promise<void> => {
  await checkScope(store, { vaultId: vault_id, parties: [sender] }, caller);
};

/** True for who may read a batch run, by the same rule. */
export const mayReadBatch = (
  { vault_id: vaultId, sender }: BatchRecord,
  caller: Address | null,
  store: StoreReader,
): Promise<boolean> => canSee(store, { vaultId, parties: [sender] }, caller);
