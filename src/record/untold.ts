/** Events of which the log knows nothing: those of an earlier version's home, and those of another home's file. */
import type { Context } from '../operation/context.js';
import type { Deployable } from './deployable.js';
import { EVERY_RECORD, eventCollection, tellUntold } from './events.js';
import type { Topic } from './tell-move.js';

/** Events that are told in one commit. */
const AT_ONCE = 200;

/** What is said of an event whose record is not there. */
const unknown = (kind: string, id: string): Topic => ({
  subject: { kind, label: id, id },
  parties: [],
  category: null,
});

/** Tells the log of all of them, oldest first. It is over at once where there are none. */
export const tellAllUntold = async (
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  deployables: readonly Deployable[],
): Promise<void> => {
  const untold = { where: { untold: EVERY_RECORD }, order: 'oldest', limit: AT_ONCE } as const;
  if ((await store.find(eventCollection, { ...untold, limit: 0 })).total === 0) return;
  const told = new Map(deployables.map((deployable) => [deployable.entityType, deployable.told]));
  for (let left = 1; left > 0;) {
    const now = clock.now();
    left = await store.transaction(async (writer) => {
      const { items, total } = await writer.find(eventCollection, untold);
      for (const event of items) {
        const { entity_type: type, entity_id: id } = event;
        const records = told.get(type);
        const record: unknown = records === undefined ? null : await writer.get(records.collection, id);
        const topic = record === null ? undefined : records?.topic(record);
        await tellUntold(writer, event, { topic: topic ?? unknown(type, id), now });
      }
      return total - items.length;
    });
  }
};
