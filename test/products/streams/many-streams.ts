/** Many streams at once, funded by batches. */
import { alice, type Person } from '../../../fixtures/people.js';
import { TEST_TIME, type Treasury } from '../../treasury.js';
import { DAY } from './stream.js';
import { createVault } from './vault.js';

/** Streams of one funding. */
export const BATCH = 25;

/** As many ACTIVE streams from alice, ten days old, of their recipients in turn; returns their ids. */
export const fundMany = async (
  treasury: Treasury,
  recipients: readonly Person[],
  count: number,
): Promise<string[]> => {
  const vaultId = await createVault(treasury);
  const ids: string[] = [];
  for (let from = 0; from < count; from += BATCH) {
    await treasury.give(alice, 60_000_000n);
    const entries = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => ({
      recipient: treasury.addressOf(recipients[index % recipients.length] ?? alice).text,
      totalAmount: '0.01',
      streamType: 'LINEAR',
      startTime: TEST_TIME - 10 * DAY,
      endTime: TEST_TIME + 100 * DAY,
    }));
    const senderAddress = treasury.addressOf(alice).text;
    const built = await treasury.ask(alice, 'streams.batch-create', { vaultId, senderAddress, entries });
    const txHash = await treasury.send(alice, built['wcTransaction']);
    await treasury.ask(null, 'streams.confirm-batch', { vaultId, batchId: built['batchId'], txHash });
    ids.push(...(built['streams'] as { id: string }[]).map(({ id }) => id));
  }
  return ids;
};
