/** Confirming the funding of a batch: every expected output is verified before any stream becomes active. */
import type { ChainTransaction } from '../../bch/transaction.js';
import { spentOutputs } from '../../covenant/follow.js';
import type { ThreadPointer } from '../../covenant/thread.js';
import { mismatch } from '../../offer/confirm.js';
import type { Context } from '../../operation/context.js';
import { writeMove } from '../../record/events.js';
import { observeFunded } from './observe.js';
import { auditFunding, isPaidBySender, streamCollection, streamFollowing } from './records.js';
import type { StreamRecord } from './stream.js';

/**
 * The threads of a batch that a transaction mints, in the order of its streams.
 *
 * @throws tx_mismatch with the findings of the audit, chain_unavailable
 */
const auditedThreads = async (
  streams: readonly StreamRecord[],
  transaction: ChainTransaction,
  context: Context,
): Promise<readonly ThreadPointer[]> => {
  const { txid } = transaction.transaction;
  const expected = `the funding of a batch of ${streams.length} streams`;
  const [first] = streams;
  if (first === undefined || !isPaidBySender(first, await spentOutputs(transaction, context.chain)))
    throw mismatch(txid, expected, 'a transaction that spends no coin of the sender');
  const { threads, findings } = auditFunding(streams, transaction, context.network);
  const failed = findings.filter(({ ok }) => !ok).map(({ check, detail }) => `${check}: ${detail}`);
  if (failed.length > 0) throw mismatch(txid, expected, failed.slice(0, 3).join('; '));
  return threads;
};

/**
 * Activates all streams of a batch that still wait, in one transaction of the store. Confirming it again changes
 * nothing.
 *
 * @returns the streams as they stand
 * @throws tx_mismatch, chain_unavailable
 */
export const fundBatch = async (
  streams: readonly StreamRecord[],
  transaction: ChainTransaction,
  context: Context,
): Promise<readonly StreamRecord[]> => {
  // Check: all of them, before any becomes active.
  const threads = await auditedThreads(streams, transaction, context);
  const [price, { height: tipHeight }] = await Promise.all([context.price.reading(), context.chain.tip()]);
  const { writeRow } = streamFollowing(context);

  // Record: each stream with its event, unless it was followed already.
  return context.store.transaction(async (writer) => {
    const funded: StreamRecord[] = [];
    for (const [index, { id }] of streams.entries()) {
      const stream = (await writer.get(streamCollection, id)) as StreamRecord;
      const thread = threads[index];
      if (stream.status !== 'PENDING' || thread === undefined) {
        funded.push(stream);
        continue;
      }
      const { record, moves } = observeFunded(stream, transaction, thread);
      writer.put(streamCollection, record);
      const { network } = context;
      const { decimals } = record;
      const now = context.clock.now();
      for (const move of moves) {
        const subject = { entityType: 'stream', entityId: id, decimals, network, now, price, tipHeight };
        await writeRow?.(writer, record, await writeMove(writer, subject, move), move);
      }
      funded.push(record);
    }
    return funded;
  });
};
