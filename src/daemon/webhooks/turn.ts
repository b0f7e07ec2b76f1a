/**
 * Turns of a webhook: what is known of it when somebody begins to send, and what was done, kept in commits of many deliveries.
 *
 * Who has its lease sends. What was sent and not kept yet when one is killed, or has lost the lease, is sent again, under
 * the same id: at least once.
 */
import type { Context } from '../../operation/context.js';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { tellEvent } from '../../record/event-log.js';
import { isLeaseLost } from '../../record/leases.js';
import type { DeliveryRules } from '../../record/webhooks/retries.js';
import {
  deliveriesOf,
  deliveryCollection,
  stateOf,
  webhookCollection,
  webhookStateCollection,
  type DeliveryRecord,
  type WebhookRecord,
} from '../../record/webhooks/webhook.js';

type Parts = Pick<Context, 'store' | 'clock'> & { readonly rules: DeliveryRules };

/** A webhook that this worker sends to. */
export type Turn = {
  readonly webhook: WebhookRecord;
  /** As the store has it. */
  readonly cursor: number;
  readonly failingSince: number | null;
  readonly waiting: readonly DeliveryRecord[];
};

/** How a webhook is now; null when it is told of nothing any more. */
export const readTurn = async (id: string, store: StoreReader): Promise<Turn | null> => {
  const webhook = await store.get(webhookCollection, id);
  if (webhook === null || webhook.disabled !== null) return null;
  const { cursor, failing_since: failingSince } = await stateOf(store, { id });
  return { webhook, cursor, failingSince, waiting: await deliveriesOf(store, id, 'waiting') };
};

/** What was done in a turn since it was last kept. */
export type Done = {
  /** As the store had it before. */
  readonly from: number;
  readonly cursor: number;
  readonly failingSince: number | null;
  readonly deliveries: readonly DeliveryRecord[];
  /** Deliveries that are for nobody any more: their events may not be read. */
  readonly dropped: readonly string[];
  /** True: it is back after an outage, and all that waits is tried now. */
  readonly isBack: boolean;
  /** Why it is to be told of nothing any more; null: it goes on. */
  readonly disable: string | null;
};

/** `kept`: all of it. `moved`: somebody has set the place in the log, which is `cursor` now. `lost`: the turn is another's. */
export type Kept =
  | { readonly kind: 'kept' | 'moved'; readonly cursor: number; readonly waiting: readonly DeliveryRecord[] }
  | { readonly kind: 'lost' };

/** Forgets the oldest deliveries that succeeded. */
const prune = async (writer: StoreWriter, id: string, { history }: DeliveryRules): Promise<void> => {
  const where = { status: `${id} delivered` };
  const { total } = await writer.find(deliveryCollection, { where, limit: 0 });
  if (total <= history) return;
  const old = await writer.find(deliveryCollection, { where, order: 'oldest', limit: total - history });
  for (const delivery of old.items) writer.remove(deliveryCollection, delivery.id);
};

/** Tells a webhook nothing any more, and says so in the log. */
const disable = async (
  writer: StoreWriter,
  webhook: WebhookRecord,
  reason: string,
  now: number,
): Promise<void> => {
  writer.put(webhookCollection, { ...webhook, disabled: { at: now, reason } });
  await tellEvent(writer, {
    type: 'webhook.disabled',
    time: now,
    subject: null,
    parties: [webhook.owner],
    data: { webhook: webhook.label, reason },
  });
};

/** All that waits is due now, but for what was tried just now: that has a fault of its own. */
const bringForward = async (
  writer: StoreWriter,
  id: string,
  now: number,
  { outageSeconds }: DeliveryRules,
): Promise<void> => {
  for (const delivery of await deliveriesOf(writer, id, 'waiting')) {
    const isOld = delivery.last === null || delivery.last.at <= now - outageSeconds;
    if (isOld && delivery.next_at !== null && delivery.next_at > now)
      writer.put(deliveryCollection, { ...delivery, next_at: now });
  }
};

/** Keeps what was done in one commit, under the lease of its store. */
export const keepTurn = ({ webhook: { id } }: Turn, done: Done, parts: Parts): Promise<Kept> => {
  const now = parts.clock.wall();
  const keep = async (writer: StoreWriter): Promise<Kept> => {
    const webhook = await writer.get(webhookCollection, id);
    const state = await stateOf(writer, { id });
    if (webhook === null) return { kind: 'lost' };
    for (const delivery of done.deliveries) writer.put(deliveryCollection, delivery);
    for (const gone of done.dropped)
      if ((await writer.get(deliveryCollection, gone)) !== null) writer.remove(deliveryCollection, gone);
    if (done.isBack) await bringForward(writer, id, now, parts.rules);
    await prune(writer, id, parts.rules);
    // Whoever sets the place back means it, whatever has been done meanwhile.
    const isMoved = state.cursor !== done.from;
    const cursor = isMoved ? state.cursor : done.cursor;
    writer.put(webhookStateCollection, { id, cursor, failing_since: done.failingSince });
    if (done.disable !== null && webhook.disabled === null) await disable(writer, webhook, done.disable, now);
    const waiting = await deliveriesOf(writer, id, 'waiting');
    return { kind: isMoved ? 'moved' : 'kept', cursor, waiting };
  };
  return parts.store.transaction(keep).catch((error: unknown): Kept => {
    if (isLeaseLost(error)) return { kind: 'lost' };
    throw error;
  });
};

/** Moves the place of a webhook over events that are not for it, where nobody has moved it. */
export const passOver = (id: string, from: number, to: number, { store }: Pick<Context, 'store'>) =>
  store.transaction(async (writer) => {
    const state = await stateOf(writer, { id });
    const isThere = (await writer.get(webhookCollection, id)) !== null;
    if (isThere && state.cursor === from) writer.put(webhookStateCollection, { ...state, cursor: to });
  });
