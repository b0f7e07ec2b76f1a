/** What has to hold of the event log, of those who follow it, and of webhooks. */
import { parseAddress } from '../../src/bch/address.js';
import type { StoreReader } from '../../src/operation/ports/store.js';
import { faultsOfLog, walkLog } from '../../src/record/check-log.js';
import { eventLog } from '../../src/record/event-log.js';
import { readerOfEvents, type MayRead } from '../../src/record/event-access.js';
import type { ToldRecords } from '../../src/record/deployable.js';
import type { EventEntry } from '../../src/record/event-reading.js';
import { isAskedFor } from '../../src/record/webhooks/filter.js';
import { deliveryCollection, deliveryId, webhookStateCollection } from '../../src/record/webhooks/webhook.js';
import { addressOf } from './client.js';
import type { Follower } from './listeners.js';
import { NETWORK } from './processes.js';
import { readWith } from './readers.js';
import type { Receiver } from './receivers.js';
import type { OpenedWorld } from './world.js';

/** The log, and who may read what of it. */
type LogSeen = {
  readonly log: readonly EventEntry[];
  /** What a follower or an owner may read, by sequence, as the records stand now. */
  readonly readable: (who: Follower['who']) => ReadonlySet<number>;
  /** What the store says of the delivery of an event to a webhook. */
  readonly delivery: (webhook: string, sequence: number) => string;
};

/** How often it is tried to look at a log to which nothing is added meanwhile. */
const MOST_LOOKS = 60;

/** Reads the log, its faults, and who may read what of it. */
const readSeen = async (
  world: OpenedWorld,
  reader: StoreReader,
  told: readonly ToldRecords[],
): Promise<LogSeen & { readonly faults: readonly string[] }> => {
  const log: EventEntry[] = [];
  const deliveries = new Map<string, string>();
  const readable = new Map<Follower['who'], Set<number>>();
  for await (const entry of walkLog(reader)) log.push(entry);
  const faults = await faultsOfLog(reader);
  for (const { who } of world.followers) {
    const address = who === null ? null : parseAddress(addressOf(who), NETWORK);
    const mayRead: MayRead = readerOfEvents(told, address, reader);
    const own = new Set<number>();
    for (const entry of log) if (await mayRead(entry)) own.add(entry.sequence);
    readable.set(who, own);
  }
  for (const one of (await reader.find(deliveryCollection)).items)
    deliveries.set(one.id, JSON.stringify(one));
  for (const { id, ...state } of (await reader.find(webhookStateCollection)).items)
    deliveries.set(id, JSON.stringify(state));
  return {
    log,
    faults,
    delivery: (webhook, sequence) =>
      `${deliveries.get(deliveryId(webhook, sequence)) ?? 'never tried'}; ${deliveries.get(webhook) ?? ''}`,
    readable: (who) => readable.get(who) ?? new Set<number>(),
  };
};

/** Looks at the log in a process of its own; `more` looks at the store with it, and says what is wrong. */
const lookAtLog = (
  world: OpenedWorld,
  more: (log: readonly EventEntry[], reader: StoreReader) => Promise<readonly string[]> = () =>
    Promise.resolve([]),
): Promise<LogSeen> =>
  readWith(world, 'a reader of the log', async ({ context: { store }, deployables }) => {
    const told = deployables.map((one) => one.told);
    const lastOf = async (): Promise<number> => (await store.readLog(eventLog, { after: 0, limit: 0 })).last;
    for (let looks = 1; ; looks += 1) {
      const before = await lastOf();
      // In files, nobody changes anything meanwhile; in a database, others do, and a log is read as it is by then.
      const { seen, faults } = await store.transaction(async (reader) => {
        const read = await readSeen(world, reader, told);
        return { seen: read, faults: [...read.faults, ...(await more(read.log, reader))] };
      });
      if ((await lastOf()) !== before && looks < MOST_LOOKS) continue;
      for (const fault of faults) world.find('events', fault);
      return seen;
    }
  });

/** Sequences have no holes, ids come once, and what is withdrawn was told before, and once. */
const checkOrder = (world: OpenedWorld, log: readonly EventEntry[]): void => {
  const standing = new Set<string>();
  const ids = new Set<string>();
  for (const [index, { sequence, id, reverts, type }] of log.entries()) {
    if (sequence !== index + 1) world.find('events', `the ${index + 1}th event of the log is ${sequence}`);
    if (ids.has(id)) world.find('events', `${id} stands in the log twice`);
    ids.add(id);
    if (reverts === null) standing.add(id);
    else if (!standing.delete(reverts))
      world.find('events', `${sequence} ${type} withdraws what does not stand`);
  }
};

/** What was answered to somebody stands, as it was answered. */
const checkStands = (world: OpenedWorld, log: readonly EventEntry[]): void => {
  for (const { who, read, cursor } of world.followers) {
    if (cursor > log.length)
      world.find(
        'events',
        `${who?.name ?? 'somebody'} has read up to ${cursor}, and the log ends at ${log.length}`,
      );
    for (const [sequence, event] of read) {
      const now = log[sequence - 1];
      if (JSON.stringify(event) === JSON.stringify(now)) continue;
      world.find('events', `${JSON.stringify(event)} was answered, and is ${JSON.stringify(now)} now`);
      return;
    }
  }
};

/** Records that were handed on: who may read them has changed meanwhile. */
const handedOn = (log: readonly EventEntry[]): ReadonlySet<string> =>
  new Set(
    log.flatMap(({ type, subject }) =>
      type.includes('.transferred') && subject !== null ? [subject.id] : [],
    ),
  );

const checkFollower = (world: OpenedWorld, { who, read }: Follower, { log, readable }: LogSeen): void => {
  const own = readable(who);
  const changed = handedOn(log);
  for (const { sequence, type, subject } of log) {
    if (subject !== null && changed.has(subject.id)) continue;
    if (own.has(sequence) === read.has(sequence)) continue;
    const name = who?.name ?? 'somebody';
    world.find(
      'events',
      own.has(sequence)
        ? `${name} was never told of ${sequence} ${type} ${subject?.label ?? ''}`
        : `${name} was told of ${sequence} ${type} ${subject?.label ?? ''}, which is not for them`,
    );
    return;
  }
};

/** What everybody has read together. */
const collected = (world: OpenedWorld): EventEntry[] =>
  [...new Map(world.followers.flatMap(({ read }) => [...read])).values()].sort(
    (a, b) => a.sequence - b.sequence,
  );

/** Each event that it asks for and that its owner may read was delivered, none that they may not read, and none that there is not. */
const checkReceiver = (
  world: OpenedWorld,
  { host, owner, subscription, taken, told, isRemoved }: Receiver,
  { log, readable, delivery }: LogSeen,
): void => {
  const own = readable(owner);
  const changed = handedOn(log);
  for (const event of told.values()) {
    const { sequence, subject, type } = event;
    if (JSON.stringify(log[sequence - 1]) !== JSON.stringify(event))
      world.find('webhooks', `${host} was told of ${JSON.stringify(event)}, which the log does not have`);
    const isOthers = !own.has(sequence) && (subject === null || !changed.has(subject.id));
    if (isOthers) world.find('webhooks', `${host} of ${owner.name} was told of ${sequence} ${type}`);
  }
  if (subscription === null || isRemoved) return;
  const wanted = {
    types: [...subscription.types],
    record: subscription.record,
    certainty: subscription.certainty,
  };
  const missing = log.filter(
    (event) =>
      event.sequence > subscription.since &&
      isAskedFor(event, wanted) &&
      own.has(event.sequence) &&
      (event.subject === null || !changed.has(event.subject.id)) &&
      !taken.has(event.id),
  );
  const [first] = missing;
  if (first !== undefined)
    world.find(
      'webhooks',
      `${host} of ${owner.name} was never told of ${missing.length} events, the first ${first.sequence} ${first.type}: ${delivery(subscription.id, first.sequence)}`,
    );
  world.count('checked: a webhook at the end');
};

/** What holds of the log at any time. */
export const lookThroughLog = async (world: OpenedWorld): Promise<void> => {
  const { log } = await lookAtLog(world);
  checkOrder(world, log);
  checkStands(world, log);
  world.count('checked: the event log');
};

/** How many events the log has. */
export const countEvents = async (world: OpenedWorld): Promise<number> => {
  const { log } = await lookAtLog(world);
  return log.length;
};

/** What holds of the log when everybody has read it. */
export const checkEvents = async (world: OpenedWorld): Promise<void> => {
  const seen = await lookAtLog(world, async (log, reader) => {
    const all = collected(world);
    // What was read tells all that the records show.
    const readLog = (_: unknown, { after, limit }: { readonly after: number; readonly limit: number }) =>
      Promise.resolve({
        entries: all.filter(({ sequence }) => sequence > after).slice(0, limit),
        last: all.at(-1)?.sequence ?? 0,
      });
    const asRead = { ...reader, readLog } as unknown as StoreReader;
    const faults = (await faultsOfLog(asRead)).map((fault) => `as it was read: ${fault}`);
    if (all.length === log.length) return faults;
    return [`of ${log.length} events ${all.length} were read by anybody`, ...faults];
  });
  checkOrder(world, seen.log);
  checkStands(world, seen.log);
  for (const follower of world.followers) checkFollower(world, follower, seen);
  for (const receiver of world.receivers.all) checkReceiver(world, receiver, seen);
  for (const { type, reverts } of seen.log)
    world.count(reverts === null ? `told: ${type.split('.')[0] ?? ''}` : 'told: reverted');
};
