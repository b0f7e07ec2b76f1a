/** Whether the event log and the events say the same: the log, folded, is what stands of every event. */
import type { Context } from '../operation/context.js';
import type { StoreReader, StoreWriter } from '../operation/ports/store.js';
import { eventLog, tellEvent, type LoggedEvent } from './event-log.js';
import { REVERTED } from './event-names.js';
import { eventCollection, type EventRecord } from './events.js';

const PAGE = 500;

/** The sequence and the events of the log, oldest first. */
export async function* walkLog(
  store: Pick<StoreReader, 'readLog'>,
  after = 0,
): AsyncGenerator<LoggedEvent & { readonly sequence: number }> {
  for (let from = after; ;) {
    const { entries } = await store.readLog(eventLog, { after: from, limit: PAGE });
    yield* entries;
    const newest = entries.at(-1);
    if (newest === undefined || entries.length < PAGE) return;
    from = newest.sequence;
  }
}

type Standing = Map<string, Map<string, LoggedEvent>>;

/** What stands of each move, by the ids of what was told; a fault where the log withdraws what it has not told. */
const foldLog = async (
  store: StoreReader,
): Promise<{ readonly standing: Standing; readonly faults: string[] }> => {
  const standing: Standing = new Map();
  const faults: string[] = [];
  let last: number | null = null;
  for await (const { sequence, ...event } of walkLog(store)) {
    if (last !== null && sequence !== last + 1) faults.push(`the log goes on from ${last} with ${sequence}`);
    last = sequence;
    const { moveId } = event.data;
    if (typeof moveId !== 'string') continue;
    const told = standing.get(moveId) ?? new Map<string, LoggedEvent>();
    standing.set(moveId, told);
    if (event.reverts === null) told.set(event.id, event);
    else if (!told.delete(event.reverts)) faults.push(`event ${sequence} withdraws what does not stand`);
  }
  return { standing, faults };
};

const isTold = (
  { told, amount, actor, height, certainty }: EventRecord,
  log: ReadonlyMap<string, LoggedEvent>,
) => {
  const newest = log.get(told.at(-1)?.id ?? '');
  return (
    told.length === log.size &&
    told.every((one) => log.get(one.id)?.certainty === one.certainty) &&
    newest?.certainty === certainty &&
    newest.data['amountOnChain'] === amount.toString() &&
    newest.data['actor'] === actor &&
    newest.data['height'] === height
  );
};

/** Where the log and the events contradict each other, in words; none: all is well. Events that nobody told are left out. */
export const faultsOfLog = async (store: StoreReader): Promise<readonly string[]> => {
  const { standing, faults } = await foldLog(store);
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const page = await store.find(eventCollection, { order: 'oldest', offset, limit: PAGE });
    ({ total } = page);
    for (const event of page.items) {
      const log = standing.get(event.id);
      standing.delete(event.id);
      if (event.told.length > 0 && !isTold(event, log ?? new Map<string, LoggedEvent>()))
        faults.push(`${event.event_type} ${event.id} of ${event.entity_id} is not as the log tells it`);
    }
  }
  for (const [moveId, log] of standing)
    if (log.size > 0) faults.push(`the log tells of ${moveId}, and there is no such event`);
  return faults;
};

/** Makes the log and one event say the same. The event is told anew by whoever looks for those that nobody told. */
const mendMove = async (
  writer: StoreWriter,
  [moveId, log]: readonly [string, ReadonlyMap<string, LoggedEvent>],
  time: number,
): Promise<void> => {
  const event = await writer.get(eventCollection, moveId);
  if (event !== null && isTold(event, log)) return;
  for (const { id, type, certainty, was, subject, parties, data, txHash } of [...log.values()].reverse()) {
    const again = { certainty, was, subject, parties, data, txHash, time };
    await tellEvent(writer, { ...again, type: `${type}${REVERTED}`, reverts: id });
  }
  if (event !== null) writer.put(eventCollection, { ...event, told: [] });
};

/**
 * Withdraws what the log tells of moves otherwise than the events have them: for a store that was made again of older
 * files, whose log knows more than it.
 */
export const mendLog = async ({ store, clock }: Pick<Context, 'store' | 'clock'>): Promise<void> => {
  if ((await faultsOfLog(store)).length === 0) return;
  const { standing } = await foldLog(store);
  const moves = [...standing].filter(([, log]) => log.size > 0);
  for (let start = 0; start < moves.length; start += PAGE) {
    const now = clock.now();
    await store.transaction(async (writer) => {
      for (const move of moves.slice(start, start + PAGE)) await mendMove(writer, move, now);
    });
  }
  await store.transaction((writer) => forgetUntold(writer, standing));
};

/** Events that say they were told, and of which the log knows nothing. */
const forgetUntold = async (writer: StoreWriter, standing: Standing): Promise<void> => {
  const isLost = ({ id, told }: EventRecord): boolean => told.length > 0 && !standing.has(id);
  for (const event of (await writer.find(eventCollection, { filter: isLost })).items)
    writer.put(eventCollection, { ...event, told: [] });
};
