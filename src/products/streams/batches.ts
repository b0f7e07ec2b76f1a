/** Batch runs: finding them, funding their streams with one transaction, and writing them down. */
import type { ChainTransaction } from '../../bch/transaction.js';
import { spentOutputs } from '../../covenant/follow.js';
import { auditGenesis } from '../../covenant/genesis.js';
import { TreasuryError } from '../../errors.js';
import { mismatch } from '../../offer/confirm.js';
import { writeCreated } from '../../offer/create.js';
import { draftFunding, MAXIMUM_DRAFTS, type FundingDraft, type ReadyFunding } from '../../offer/funding.js';
import { commitAnswer } from '../../operation/commit-answer.js';
import type { Context } from '../../operation/context.js';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { inTurns } from '../../operation/turns.js';
import { writeFold } from '../../record/follow.js';
import { findVault, vaultReaders } from '../vaults/index.js';
import { pinSubject, streams } from './product.js';
import {
  batchCollection,
  streamCollection,
  type BatchRecord,
  type LaunchContext,
  type StreamRecord,
} from './stream.js';

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

const firstOf = (members: readonly StreamRecord[]): StreamRecord => {
  const [first] = members;
  if (first === undefined) throw new Error('a batch has rows');
  return first;
};

/** Members of a funding whose covenants are made in one turn of the program. */
const MEMBERS_TO_A_TURN = 10;

/**
 * The one transaction that funds drafts. Its pin is written with them.
 *
 * @throws insufficient_funds, store_conflict, and what handing out throws
 */
export const draftBatchFunding = async (
  drafts: readonly StreamRecord[],
  context: Context,
): Promise<FundingDraft> => {
  const members = await inTurns(MEMBERS_TO_A_TURN, drafts, (stream) =>
    streams.genesis(stream, context.network),
  );
  const payer = streams.party(firstOf(drafts), 'sender');
  return draftFunding(
    {
      payer,
      members,
      contracts: drafts.map(streams.contractTerms),
      what: `${drafts.length} streams`,
      subject: pinSubject(drafts),
    },
    context,
  );
};

/** Streams that are written down in one turn of the program, each with its event and the rows of that. */
const WRITTEN_TO_A_TURN = 10;

/** A run, and its streams with their labels. */
type StoredBatch = { readonly batch: BatchRecord; readonly streams: readonly StreamRecord[] };

/** The run of drafts that share everything but their terms. */
const batchOf = (
  drafts: readonly StreamRecord[],
  launchContext: LaunchContext | null,
  { clock }: Pick<Context, 'clock'>,
): BatchRecord => {
  const { batch_id: id, vault_id: vault, is_private, sender, ...first } = firstOf(drafts);
  if (id === null || vault === null) throw new Error('a batch has a vault');
  const { token_type, token_category, decimals } = first;
  const shared = { is_private, sender, token_type, token_category, decimals };
  return {
    id,
    vault_id: vault,
    ...shared,
    total_amount: drafts.reduce((sum, { total_amount }) => sum + total_amount, 0n),
    stream_ids: drafts.map((draft) => draft.id),
    recipients: [...new Set(drafts.map(({ recipient }) => recipient))],
    launch_context: launchContext,
    created_at: clock.now(),
  };
};

/**
 * Writes a run and its streams down with the pin of their genesis coin, all or none, and answers; or answers with the
 * preparation that its funding needs first. When another process was faster with the coin, the funding is built anew.
 *
 * @throws insufficient_funds, store_conflict, chain_unavailable, and what handing out throws
 */
export const createBatch = async <Answer extends Readonly<Record<string, unknown>>>(
  drafts: readonly StreamRecord[],
  launchContext: LaunchContext | null,
  answer: (
    stored: StoredBatch,
    offer: ReadyFunding,
    writer: StoreReader & Pick<StoreWriter, 'rest'>,
  ) => Promise<Answer>,
  context: Context,
) => {
  const batch = batchOf(drafts, launchContext, context);
  const at = { network: context.network, price: await context.price.reading(), now: context.clock.now() };
  for (let tries = 1; ; tries += 1) {
    const { offer, keep } = await draftBatchFunding(drafts, context);
    if (offer.kind === 'preparation') return offer.reply;
    const make = async (writer: StoreWriter): Promise<StoredBatch> => {
      writer.put(batchCollection, batch);
      const stored: StreamRecord[] = [];
      for (const [index, draft] of drafts.entries()) {
        if (index > 0 && index % WRITTEN_TO_A_TURN === 0) await writer.rest();
        const { total_amount: amount } = draft;
        stored.push(await writeCreated(streams, { draft, amount }, writer, at));
      }
      if (!(await keep(writer))) throw new TreasuryError('store_conflict', { label: 'The batch' });
      return { batch, streams: stored };
    };
    try {
      return await commitAnswer(context, make, (stored, writer) => answer(stored, offer, writer));
    } catch (error) {
      const isTaken = error instanceof TreasuryError && error.code === 'store_conflict';
      if (!isTaken || tries === MAXIMUM_DRAFTS) throw error;
      await context.store.refresh();
    }
  }
};

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
 * Activates all streams of a batch that still wait, in one transaction of the store: every expected output is verified
 * before any of them becomes active. Confirming it again changes nothing.
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
  const funded = await Promise.all(
    members.map(async (stream) => await observeFunding(stream, transaction, spent)),
  );
  if (funded.length === 0 || funded.includes(null)) {
    const payer = members[0] === undefined ? null : streams.party(members[0], 'sender').lockingBytecode;
    const isPaid = spent.some((output) => output?.lockingBytecode === payer);
    throw mismatch(
      transaction.transaction.txid,
      `the funding of a batch of ${members.length} streams`,
      whyNot(members, transaction, isPaid, context),
    );
  }
  const [reading, { height: tipHeight }] = await Promise.all([context.price.reading(), context.chain.tip()]);
  const following = streams.following(context);
  const at = { network: context.network, now: context.clock.now(), price: reading, tipHeight };

  // Record: each stream with its event, unless it was followed already.
  return context.store.transaction(async (writer) => {
    const now: StreamRecord[] = [];
    for (const [index, { id }] of members.entries()) {
      if (index > 0 && index % WRITTEN_TO_A_TURN === 0) await writer.rest();
      const stream = (await writer.get(streamCollection, id)) as StreamRecord;
      const observed = stream.status === 'PENDING' ? (funded[index] ?? null) : null;
      now.push(observed?.record ?? stream);
      if (observed === null) continue;
      const { record } = observed;
      const moves = observed.moves.map((move) => ({ ...move, record }));
      await writeFold(writer, { record, moves, rebuilt: false }, following, at);
    }
    return now;
  });
};
