/**
 * Following a record of the store: what the chain did is folded in and written down, once.
 *
 * Every build, confirm and read of one record comes through here first; so do the monitor and the rebuild.
 */
import { TreasuryError } from '../errors.js';
import { follow, refold, type Followed, type FollowResult, type Move } from '../covenant/follow.js';
import type { ChainTransaction } from '../bch/transaction.js';
import type { Context } from '../operation/context.js';
import { requireSound, type ContractOf } from './damaged.js';
import {
  eventCollection,
  moveId,
  removeMove,
  settledEvent,
  writeMove,
  writeSettledEvent,
  type EventRecord,
  type MoveSubject,
} from './events.js';
import type { Topic } from './tell-move.js';
import type { Awaitable, Collection, StoreReader, StoreWriter } from '../operation/ports/store.js';
import { noting } from '../storage-failure.js';
import { putAnew } from './order-by-time.js';

type FollowedRecord = {
  readonly id: string;
  readonly contract_address: string;
  readonly last_tx_hash?: string | null;
  readonly updated_at?: number;
};

/** How a product's records are followed. */
export type Following<R extends FollowedRecord> = {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly collection: Collection<any>;
  /** The singular noun that events carry as `entity_type`. */
  readonly entityType: string;
  readonly followed: Followed<R>;
  /** The contract that the record's terms give: at its address, or the record is damaged and nothing is done with it. */
  readonly contract: ContractOf<R>;
  readonly decimals: (record: R) => number;
  readonly label: (record: R) => string;
  /** What the event log says of it. */
  readonly topic: (record: R, store: StoreReader) => Awaitable<Topic>;
  /** The product's own rows beside the event of a move; `record` as the move left it. Same move, same row. */
  readonly writeRow?: (writer: StoreWriter, record: R, event: EventRecord, move: Move) => Awaitable<void>;
  /** Gives the rows of an event its time, since its transaction came into a block, or into another one. */
  readonly retimeRow?: (writer: StoreWriter, event: EventRecord) => Awaitable<void>;
  /** Removes the rows of moves that the chain took back. */
  readonly removeRow?: (writer: StoreWriter, event: EventRecord) => Awaitable<void>;
  /** Where several records share the events of one id: that id, and the one actor whose events are its own. */
  readonly sharedEvents?: (record: R) => { readonly entityId: string; readonly actor: string };
  /**
   * How a record is folded of which a thread does not tell all: the same record when it is as the chain has it.
   * `isAnew`: all of it, with every move.
   */
  readonly fold?: (record: R, how: FoldHow, context: Context) => Promise<Folded<R>>;
};

/** What a fold made of a record. */
type Folded<R> = FollowResult<R> & {
  /** Writes what hangs on the record, before the rows of its moves. */
  readonly writeRows?: (writer: StoreWriter) => Promise<void>;
};

type FoldHow = { readonly isAnew: boolean; readonly candidates: readonly ChainTransaction[] };

const MAXIMUM_TRIES = 5;

/** The id under which the events of a record stand, and those of some events that are its own. */
const ownEvents = <R extends FollowedRecord>(record: R, { sharedEvents }: Following<R>) => {
  const { entityId, actor } = sharedEvents?.(record) ?? { entityId: record.id, actor: null };
  return { entityId, isOwn: (event: EventRecord) => actor === null || event.actor === actor };
};

/** Events whose transaction may not be where it was: those that are not safe yet, and the one that ended a record. */
const unsettledEvents = async <R extends FollowedRecord>(
  record: R,
  following: Following<R>,
  { store }: Context,
): Promise<readonly EventRecord[]> => {
  const { followed, fold } = following;
  const isEnded = fold === undefined && followed.thread(record) === null && !followed.isPending(record);
  const { entityId, isOwn: filter } = ownEvents(record, following);
  const { items } = await store.find(eventCollection, { where: { unsettled: entityId }, filter });
  if (!isEnded) return items;
  const last = (await store.find(eventCollection, { where: { entity: entityId }, filter, limit: 1 })).items;
  return [...items, ...last.filter(({ tx_hash, certainty }) => tx_hash !== null && certainty === 'safe')];
};

/** What became of some events. */
type SecondLook = {
  /** The chain no longer has one of them. */
  readonly hasVanished: boolean;
  /** Those whose height, time or certainty is another now. */
  readonly changed: readonly EventRecord[];
};

const lookAgain = async (
  events: readonly EventRecord[],
  { chain }: Pick<Context, 'chain'>,
): Promise<SecondLook> => {
  if (events.length === 0) return { hasVanished: false, changed: [] };
  const { height: tipHeight } = await chain.tip();
  const changed: EventRecord[] = [];
  for (const event of events) {
    const found = await chain.transaction(event.tx_hash ?? '');
    if (found === null) return { hasVanished: true, changed: [] };
    const settled = settledEvent(event, found, tipHeight);
    if (settled !== event) changed.push(settled);
  }
  return { hasVanished: false, changed };
};

const removeStaleMoves = async <R extends FollowedRecord>(
  writer: StoreWriter,
  record: R,
  { kept, subject }: { readonly kept: ReadonlyMap<string, EventRecord>; readonly subject: MoveSubject },
  following: Following<R>,
): Promise<void> => {
  const { entityId: entity, isOwn: filter } = ownEvents(record, following);
  for (const event of (await writer.find(eventCollection, { where: { entity }, filter })).items) {
    if (event.tx_hash === null || kept.has(event.id)) continue;
    await following.removeRow?.(writer, event);
    await removeMove(writer, event, subject);
  }
};

/** Writes the events that have changed and still stand, and what takes its time from them. */
const writeSettled = async <R extends FollowedRecord>(
  writer: StoreWriter,
  record: R,
  { events: changed, now }: { readonly events: readonly EventRecord[]; readonly now: number },
  { collection, retimeRow, topic }: Following<R>,
): Promise<void> => {
  if (changed.length === 0) return;
  const at = { topic: await topic(record, writer), now };
  for (const event of changed) {
    if ((await writeSettledEvent(writer, event, at)) === null) continue;
    await retimeRow?.(writer, event);
    if (event.tx_hash === record.last_tx_hash && record.updated_at !== undefined)
      writer.put(collection, { ...record, updated_at: Math.max(record.updated_at, event.created_at) });
  }
};

/** Writes a fold: the record, one event for each move, and the product's rows. */
export const writeFold = async <R extends FollowedRecord>(
  writer: StoreWriter,
  { record, moves, rebuilt, writeRows }: Folded<R>,
  following: Following<R>,
  at: Pick<MoveSubject, 'network' | 'now' | 'price' | 'tipHeight'>,
): Promise<void> => {
  writer.put(following.collection, record);
  await writeRows?.(writer);
  const { entityId } = ownEvents(record, following);
  const subject = {
    entityType: following.entityType,
    entityId,
    topic: await following.topic(record, writer),
    decimals: following.decimals(record),
    ...at,
  };
  const kept = new Map<string, EventRecord>();
  let added = 0;
  for (const { record: after, ...move } of moves) {
    if ((await writer.get(eventCollection, moveId(entityId, move))) === null) added += 1;
    const event = await writeMove(writer, subject, move);
    kept.set(event.id, event);
    await following.writeRow?.(writer, after, event, move);
  }
  // One that was missing among others would stand behind them.
  const isAlone = following.sharedEvents === undefined;
  if (rebuilt && isAlone && added > 0 && added < kept.size)
    putAnew(writer, eventCollection, [...kept.values()]);
  if (rebuilt) await removeStaleMoves(writer, record, { kept, subject }, following);
};

/** Why a record is read: with transactions that may not be in its history yet, or anew. */
export type How = { readonly candidates: readonly ChainTransaction[]; readonly isRebuild: boolean };

/**
 * What a change answers. Whoever confirms or rebuilds is told that nothing is stored; whoever only reads gets what the
 * chain says, and this is null.
 *
 * @throws as `transaction` of the store
 */
const written = <T>(writing: Promise<T>, { candidates, isRebuild }: How): Promise<T | null> =>
  isRebuild || candidates.length > 0 ? writing : noting(writing);

/** One attempt; null when somebody else wrote the record meanwhile. */
const foldIn = async <R extends FollowedRecord>(
  record: R,
  following: Following<R>,
  context: Context,
  how: How,
): Promise<R | null> => {
  const { candidates, isRebuild } = how;
  const { collection, followed, fold } = following;
  const { id } = record;
  const { hasVanished: isAnew, changed } = isRebuild
    ? { hasVanished: true, changed: [] }
    : await lookAgain(await unsettledEvents(record, following, context), context);
  const foldThread = isAnew ? refold : follow;
  const result: Folded<R> = await (fold?.(record, { isAnew, candidates }, context) ??
    foldThread(record, followed, context.chain, candidates));
  const isFolded = result.rebuilt || result.record !== record;
  if (!isFolded && changed.length === 0) return record;
  // What a coin is worth now says nothing of what a rebuild finds.
  const reading = isRebuild ? null : context.price.reading();
  const [price, { height: tipHeight }] = await Promise.all([reading, context.chain.tip()]);
  const at = { network: context.network, now: context.clock.now(), price, tipHeight };
  const writing = context.store.transaction(async (writer) => {
    // Check: somebody else may have followed it meanwhile.
    if ((await writer.get(collection, id)) !== record) return false;
    // Record:
    if (isFolded) await writeFold(writer, result, following, at);
    await writeSettled(writer, result.record, { events: changed, now: at.now }, following);
    return true;
  });
  const isWritten = await written(writing, how);
  if (isWritten === null) return result.record;
  return isWritten ? ((await context.store.get(collection, id)) as R) : null;
};

const takeInUntilWritten = async <R extends FollowedRecord>(
  id: string,
  following: Following<R>,
  context: Context,
  how: How,
): Promise<R> => {
  for (let tries = 0; tries < MAXIMUM_TRIES; tries += 1) {
    const record = (await context.store.get(following.collection, id)) as R;
    requireSound(record, following.contract, following.label(record));
    const taken = await foldIn(record, following, context, how);
    if (taken !== null) return taken;
  }
  const record = (await context.store.get(following.collection, id)) as R;
  throw new TreasuryError('store_conflict', { label: following.label(record) });
};

/**
 * The record as the chain has it now. Whatever it found is in the store before this returns.
 *
 * @param candidates transactions that may not be in the covenant's history yet
 * @throws {@link FOLLOW_ERRORS}
 */
export const followRecord = <R extends FollowedRecord>(
  id: string,
  following: Following<R>,
  context: Context,
  candidates: readonly ChainTransaction[] = [],
): Promise<R> => takeInUntilWritten(id, following, context, { candidates, isRebuild: false });

/**
 * The record folded anew from before its funding, with its events and rows, whatever the store said of it.
 *
 * @throws {@link FOLLOW_ERRORS}
 */
export const rebuildRecord = <R extends FollowedRecord>(
  id: string,
  following: Following<R>,
  context: Context,
): Promise<R> => takeInUntilWritten(id, following, context, { candidates: [], isRebuild: true });
