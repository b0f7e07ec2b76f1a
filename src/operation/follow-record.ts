/**
 * Following a record of the store: what the chain did is folded in and written down, once.
 *
 * Every build, confirm and read of one record comes through here first.
 */
import { TreasuryError } from '../errors.js';
import { follow, refold, type Followed, type Move } from '../covenant/follow.js';
import type { ChainTransaction } from '../bch/transaction.js';
import type { Context } from './context.js';
import { eventCollection, writeMove, type EventRecord } from './events.js';
import type { Collection, StoreWriter } from './ports/store.js';

type FollowedRecord = { readonly id: string };

/** How a product's records are followed. */
export type Following<R extends FollowedRecord> = {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collection: Collection<any>;
  /** The singular noun that events carry as `entity_type`. */
  readonly entityType: string;
  readonly followed: Followed<R>;
  readonly decimals: (record: R) => number;
  readonly label: (record: R) => string;
  /** The product's own rows beside the event of a move (a distribution, a claim). Same move, same row. */
  readonly writeRow?: (writer: StoreWriter, record: R, event: EventRecord, move: Move) => void;
  /** Removes the rows of moves that the chain took back. */
  readonly removeRow?: (writer: StoreWriter, event: EventRecord) => void;
};

const MAXIMUM_TRIES = 5;
const EVERY = Number.MAX_SAFE_INTEGER;

/** Events whose transaction may not be where it was: those in the mempool, and the one that ended a record. */
const unsettledEvents = (entityId: string, isEnded: boolean, { store }: Context): readonly EventRecord[] => {
  const unmined = store.find(eventCollection, { where: { unmined: entityId }, limit: EVERY }).items;
  const last = isEnded ? store.find(eventCollection, { where: { entity: entityId }, limit: 1 }).items : [];
  return [...unmined, ...last.filter(({ tx_hash, height }) => tx_hash !== null && height !== null)];
};

/** True when the chain no longer has one of these; meanwhile the heights of those that moved are written down. */
const hasVanished = async (events: readonly EventRecord[], context: Context): Promise<boolean> => {
  const moved: EventRecord[] = [];
  for (const event of events) {
    const found = await context.chain.transaction(event.tx_hash ?? '');
    if (found === null) return true;
    if (found.height === event.height) continue;
    moved.push({ ...event, height: found.height, created_at: found.blockTime ?? event.created_at });
  }
  if (moved.length > 0) {
    await context.store.transaction((writer) => {
      for (const event of moved)
        if (writer.get(eventCollection, event.id) !== null) writer.put(eventCollection, event);
    });
  }
  return false;
};

const removeStaleMoves = <R extends FollowedRecord>(
  writer: StoreWriter,
  record: R,
  kept: ReadonlySet<string>,
  following: Following<R>,
): void => {
  const { items } = writer.find(eventCollection, { where: { entity: record.id }, limit: EVERY });
  for (const event of items) {
    if (event.tx_hash === null || kept.has(event.id)) continue;
    following.removeRow?.(writer, event);
    writer.remove(eventCollection, event.id);
  }
};

/**
 * The record as the chain has it now. Whatever it found is in the store before this returns.
 *
 * @param candidates transactions that may not be in the covenant's history yet
 * @throws chain_unavailable, store_conflict
 */
export const followRecord = async <R extends FollowedRecord>(
  id: string,
  following: Following<R>,
  context: Context,
  candidates: readonly ChainTransaction[] = [],
): Promise<R> => {
  const { collection, followed } = following;
  for (let tries = 0; tries < MAXIMUM_TRIES; tries += 1) {
    const record = context.store.get(collection, id) as R;
    const isEnded = followed.thread(record) === null && !followed.isPending(record);
    const vanished = await hasVanished(unsettledEvents(id, isEnded, context), context);
    const result = vanished
      ? await refold(record, followed, context.chain, candidates)
      : await follow(record, followed, context.chain, candidates);
    if (!result.rebuilt && result.moves.length === 0) return record;
    const price = await context.price.reading();
    const written = await context.store.transaction((writer) => {
      // Check: somebody else may have followed it meanwhile.
      if (writer.get(collection, id) !== record) return false;
      // Record: the fold, one event for each move, and the product's rows.
      writer.put(collection, result.record);
      const subject = {
        entityType: following.entityType,
        entityId: id,
        decimals: following.decimals(result.record),
        network: context.network,
        now: context.clock.now(),
        price,
      };
      const kept = new Set<string>();
      for (const move of result.moves) {
        const event = writeMove(writer, subject, move);
        kept.add(event.id);
        following.writeRow?.(writer, result.record, event, move);
      }
      if (result.rebuilt) removeStaleMoves(writer, result.record, kept, following);
      return true;
    });
    if (written) return context.store.get(collection, id) as R;
  }
  const record = context.store.get(collection, id) as R;
  throw new TreasuryError('store_conflict', { label: following.label(record) });
};
