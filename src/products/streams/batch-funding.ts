/** Confirming the funding of a batch: every expected output is verified before any stream becomes active. */
import type { ChainTransaction } from '../../bch/transaction.js';
import { spentOutputs, type Observed } from '../../covenant/follow.js';
import { auditGenesis } from '../../covenant/genesis.js';
import { mismatch } from '../../offer/confirm.js';
import type { Context } from '../../operation/context.js';
import { writeMove } from '../../record/events.js';
import { streams } from './product.js';
import { streamCollection, type StreamRecord } from './stream.js';

/** Why a transaction does not fund a batch. */
const whyNot = (
  members: readonly StreamRecord[],
  { transaction }: ChainTransaction,
  isPaid: boolean,
  { network }: Pick<Context, 'network'>,
): string => {
  if (!isPaid) return 'a transaction that spends no coin of the sender';
  const { findings } = auditGenesis(
    transaction,
    members.map((stream) => streams.genesis(stream, network)),
  );
  const failed = findings.filter(({ ok }) => !ok).map(({ check, detail }) => `${check}: ${detail}`);
  return failed.slice(0, 3).join('; ');
};

/**
 * Activates all streams of a batch that still wait, in one transaction of the store. Confirming it again changes
 * nothing.
 *
 * @returns the streams as they stand
 * @throws tx_mismatch with the findings of the audit, chain_unavailable
 */
export const fundBatch = async (
  members: readonly StreamRecord[],
  transaction: ChainTransaction,
  context: Context,
): Promise<readonly StreamRecord[]> => {
  // Check: all of them, before any becomes active.
  const spent = await spentOutputs(transaction, context.chain);
  const { observeFunding } = streams.followed(context.network, () => members);
  const funded: (Observed<StreamRecord> | null)[] = [];
  for (const stream of members) funded.push(await observeFunding(stream, transaction, spent));
  if (funded.length === 0 || funded.includes(null)) {
    const payer = members[0] === undefined ? null : streams.party(members[0], 'sender').lockingBytecode;
    const isPaid = spent.some((output) => output?.lockingBytecode === payer);
    throw mismatch(
      transaction.transaction.txid,
      `the funding of a batch of ${members.length} streams`,
      whyNot(members, transaction, isPaid, context),
    );
  }
  const [price, { height: tipHeight }] = await Promise.all([context.price.reading(), context.chain.tip()]);
  const { writeRow } = streams.following(context);
  const { network } = context;

  // Record: each stream with its event, unless it was followed already.
  return context.store.transaction(async (writer) => {
    const streamsNow: StreamRecord[] = [];
    for (const [index, { id, decimals }] of members.entries()) {
      const stream = (await writer.get(streamCollection, id)) as StreamRecord;
      const observed = stream.status === 'PENDING' ? funded[index] : null;
      streamsNow.push(observed?.record ?? stream);
      if (observed === null || observed === undefined) continue;
      writer.put(streamCollection, observed.record);
      const now = context.clock.now();
      for (const move of observed.moves) {
        const subject = { entityType: 'stream', entityId: id, decimals, network, now, price, tipHeight };
        await writeRow?.(writer, observed.record, await writeMove(writer, subject, move), move);
      }
    }
    return streamsNow;
  });
};
