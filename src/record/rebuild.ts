/** Rebuilding many records from the chain, and saying of each what that has changed. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ERRORS, EXIT, messageOf, TreasuryError, type ErrorCode } from '../errors.js';
import { atOnce } from '../operation/at-once.js';
import type { Context } from '../operation/context.js';
import type { KnownRecord } from './known-record.js';
import { eventCollection, eventFeed, type EventRecord } from './events.js';
import { orderByTime } from './order-by-time.js';

const about = { module: z.string(), label: z.string(), id: z.string() };

/** What became of a record. */
export const RebuiltReply = z.object({
  ...about,
  before: z.string().describe('Status'),
  after: z.string().describe('Status'),
  changed: z.array(z.string()).describe('Names of the fields that are different now'),
  events: z.object({ added: z.number(), removed: z.number(), changed: z.number() }),
});
export type RebuiltReply = z.output<typeof RebuiltReply>;

/** A record that could not be rebuilt, and stands as it did. */
export const FailureReply = z.object({ ...about, code: z.string(), error: z.string() });
export type FailureReply = z.output<typeof FailureReply>;

/** True when a rebuild has changed a record, or what is told of it. */
export const isChanged = ({ changed, events }: RebuiltReply): boolean =>
  changed.length > 0 || Object.values(events).some((count) => count > 0);

/** How many histories are read at the same time: what is asked for in one turn is one request. */
const AT_ONCE = 100;

const changedFields = (before: object, after: object): string[] => {
  const [left, right] = [before, after] as readonly Readonly<Record<string, unknown>>[];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(left?.[name], right?.[name]),
  );
};

type Events = ReadonlyMap<string, EventRecord>;

const eventsUnder = async (entity: string, { store }: Pick<Context, 'store'>): Promise<Events> => {
  const { items } = await store.find(eventCollection, { where: { entity } });
  return new Map(items.map((event) => [event.id, event]));
};

/** What the log was told of an event is not part of what it says. */
const isSameEvent = (before: EventRecord | undefined, after: EventRecord): boolean =>
  before !== undefined && isDeepStrictEqual({ ...before, told: [] }, { ...after, told: [] });

const compareEvents = (before: Events, after: Events): RebuiltReply['events'] => {
  const kept = [...after.values()].filter(({ id }) => before.has(id));
  return {
    added: after.size - kept.length,
    removed: before.size - kept.length,
    changed: kept.filter((event) => !isSameEvent(before.get(event.id), event)).length,
  };
};

const describe = ({ deployable, record }: KnownRecord) => ({
  module: deployable.module,
  label: deployable.label(record),
  id: record.id,
});

/** A defect in one record must not keep the others from being rebuilt. */
const failureOf = (target: KnownRecord, error: unknown): FailureReply => {
  const known: TreasuryError | null = error instanceof TreasuryError ? error : null;
  const message = messageOf(error);
  return { ...describe(target), code: known?.code ?? 'internal_error', error: message };
};

const rebuildOne = async (target: KnownRecord, context: Context): Promise<RebuiltReply> => {
  const { deployable, record } = target;
  const entity = deployable.eventsId(record);
  const events = await eventsUnder(entity, context);
  const after = await deployable.rebuild(record.id, context);
  return {
    ...describe({ deployable, record: after }),
    before: record.status,
    after: after.status,
    changed: changedFields(record, after),
    events: compareEvents(events, await eventsUnder(entity, context)),
  };
};

/** Records whose events stand together, one after the other. */
const rebuildGroup = async (
  targets: readonly KnownRecord[],
  context: Context,
): Promise<(RebuiltReply | FailureReply)[]> => {
  const results: (RebuiltReply | FailureReply)[] = [];
  for (const target of targets) {
    results.push(await rebuildOne(target, context).catch((error: unknown) => failureOf(target, error)));
  }
  return results;
};

/**
 * A context that writes only when others have ended: histories are read side by side, and what they tell of one moment
 * stands in the order of the records, however long each took to read.
 */
const writingAfter = (others: Promise<unknown>, context: Context): Context => ({
  ...context,
  store: {
    ...context.store,
    transaction: async (work) => {
      await others;
      return context.store.transaction(work);
    },
  },
});

/**
 * Rebuilds records from the chain, several at a time. One that fails stands as it did and keeps no other from it.
 *
 * @returns what became of them, in their order
 */
export const rebuildRecords = async (
  targets: readonly KnownRecord[],
  context: Context,
): Promise<{ readonly rebuilt: readonly RebuiltReply[]; readonly failures: readonly FailureReply[] }> => {
  const groups = new Map<string, KnownRecord[]>();
  for (const target of targets) {
    const entity = target.deployable.eventsId(target.record);
    groups.set(entity, [...(groups.get(entity) ?? []), target]);
  }
  let last: Promise<unknown> = Promise.resolve();
  const found = await atOnce(AT_ONCE, [...groups.values()], (group) => {
    const rebuilding = rebuildGroup(group, writingAfter(last, context));
    last = rebuilding;
    return rebuilding;
  });
  const results = new Map(found.flat().map((result) => [result.id, result]));
  const inOrder = targets.flatMap(({ record }) => results.get(record.id) ?? []);
  const rebuilt = inOrder.filter((result) => 'after' in result);
  // What was found now happened long ago, between what stands here already.
  if (rebuilt.some(({ events }) => events.added > 0)) {
    const feeds = new Set(targets.flatMap(({ deployable }) => deployable.feeds));
    await orderByTime(context.store, [...feeds, eventFeed]);
  }
  return {
    rebuilt,
    failures: inOrder.filter((result) => 'error' in result),
  };
};

const exitOf = ({ code }: FailureReply): number =>
  Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].exit : EXIT.unexpected;

/** The code of the worst failure: what only a person can mend comes before what another run may. */
export const worstCode = (failures: readonly FailureReply[]): string | undefined => {
  const mendable: readonly number[] = [EXIT.network, EXIT.pending];
  const worst = failures.find((failure) => !mendable.includes(exitOf(failure))) ?? failures[0];
  return worst?.code;
};
