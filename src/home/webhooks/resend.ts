/** Sending again: one delivery, all that was set aside, or everything since a place in the log. */
import { z } from 'zod';
import { parseAddress } from '../../bch/address.js';
import { invalidField, TreasuryError } from '../../errors.js';
import { defineOperation } from '../../operation/define.js';
import { endOfLog } from '../../record/webhooks/backlog.js';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import type { ToldRecords } from '../../record/deployable.js';
import { readerOfEvents, type MayRead } from '../../record/event-access.js';
import { eventLog, type LoggedEvent } from '../../record/event-log.js';
import {
  deliveriesOf,
  deliveryCollection,
  deliveryId,
  findWebhook,
  stateOf,
  webhookStateCollection,
  type DeliveryRecord,
  type WebhookRecord,
} from '../../record/webhooks/webhook.js';
import { ownerOf, showWebhook, WebhookId, WebhookReply } from './reply.js';

/** Deliveries of a webhook that may wait when one more is asked for. */
const MOST_ASKED_FOR = 200;

type Wish = {
  readonly delivery?: string | undefined;
  readonly since?: number | undefined;
  readonly setAside?: boolean | undefined;
};

/** @throws invalid_input unless one of them is said */
const checkOne = ({ delivery, since, setAside = false }: Wish): void => {
  const count = [delivery !== undefined, since !== undefined, setAside].filter(Boolean).length;
  if (count === 1) return;
  throw invalidField(
    count === 0 ? 'delivery' : '',
    count === 0
      ? 'is needed: an event id or its place in the log; or --since for all after a place, or --set-aside for all that was set aside'
      : 'give one of a delivery, --since and --set-aside',
  );
};

/** True for what may be a place in the log, and no id of an event. */
const isPlace = (text: string): boolean => /^\d{1,15}$/.test(text);

type PlacedEvent = LoggedEvent & { readonly sequence: number };

const again = (delivery: DeliveryRecord, now: number): DeliveryRecord => ({
  ...delivery,
  status: 'waiting',
  attempts: 0,
  next_at: now,
});

/** The event of a place in the log; null: the text is no place that the log has come to. */
const eventAt = async (text: string, store: StoreReader): Promise<PlacedEvent | null> => {
  const place = isPlace(text) ? Number(text) : 0;
  if (place === 0) return null;
  const { entries } = await store.readLog(eventLog, { after: place - 1, limit: 1 });
  return entries.find(({ sequence }) => sequence === place) ?? null;
};

/** Where deliveries are looked for, and which events their webhook may be told of. */
type Reading = {
  readonly store: StoreReader;
  readonly mayRead: MayRead;
  /** Of the place that was asked for. Read before: a change does not read the log of its own time. */
  readonly event: PlacedEvent | null;
};

/** The delivery of an event, known or not. @throws delivery_not_found, also for what its maker may not be told of */
const findDelivery = async (
  text: string,
  { id: webhook_id, label }: WebhookRecord,
  { store, mayRead, event }: Reading,
): Promise<DeliveryRecord> => {
  const known = isPlace(text)
    ? await store.get(deliveryCollection, deliveryId(webhook_id, Number(text)))
    : (
        await store.find(deliveryCollection, {
          where: { webhook: webhook_id },
          filter: ({ event_id }) => event_id === text,
          limit: 1,
        })
      ).items[0];
  if (known != null) return known;
  if (event === null || !(await mayRead(event)))
    throw new TreasuryError('delivery_not_found', { label, id: text });
  return {
    id: deliveryId(webhook_id, event.sequence),
    webhook_id,
    sequence: event.sequence,
    event_id: event.id,
    type: event.type,
    status: 'waiting',
    attempts: 0,
    next_at: null,
    last: null,
  };
};

type Writing = Pick<Reading, 'mayRead' | 'event'> & {
  readonly writer: StoreWriter;
  /** Unix seconds. */
  readonly now: number;
};

/** @throws invalid_input when so many wait that no more are taken in one by one */
const checkRoom = async ({ id, label }: WebhookRecord, store: StoreReader): Promise<void> => {
  const { total } = await store.find(deliveryCollection, {
    where: { status: `${id} waiting` },
    limit: 0,
  });
  if (total < MOST_ASKED_FOR) return;
  throw invalidField(
    'delivery',
    `${total} deliveries of ${label} wait already: expected fewer than ${MOST_ASKED_FOR}; --since sends everything after a place`,
  );
};

/** Checks that the log has come to a place: it only grows. @throws invalid_input */
const checkPlace = async (since: number, store: StoreReader): Promise<void> => {
  const end = await endOfLog(store);
  if (since > end) throw invalidField('since', `is ${since}, but the log ends at ${end}`);
};

/** @returns what is sent again, in words. @throws invalid_input, delivery_not_found */
const schedule = async (
  webhook: WebhookRecord,
  { delivery, since }: Wish,
  { writer, mayRead, event, now }: Writing,
): Promise<string> => {
  if (since !== undefined) {
    // The worker goes on from there.
    writer.put(webhookStateCollection, { ...(await stateOf(writer, webhook)), cursor: since });
    return `everything for ${webhook.label} after ${since} of the log`;
  }
  if (delivery !== undefined) {
    const found = await findDelivery(delivery, webhook, { store: writer, mayRead, event });
    if (found.status !== 'waiting' || found.next_at === null) await checkRoom(webhook, writer);
    writer.put(deliveryCollection, again(found, now));
    return `${found.type} (${found.sequence} of the log)`;
  }
  const all = await deliveriesOf(writer, webhook.id, 'set_aside');
  for (const found of all) writer.put(deliveryCollection, again(found, now));
  return all.length === 1 ? '1 delivery that was set aside' : `${all.length} deliveries that were set aside`;
};

/** Declares the operation over who may read the records that events are about. */
export const defineResend = (told: readonly ToldRecords[]) =>
  defineOperation({
    id: 'webhooks.resend',
    summary: 'Send to a webhook again: one delivery, all that was set aside, or everything since a place',
    description:
      'It goes out while `treasury serve` runs. Each event keeps its webhook-id, by which receivers know it.',
    http: { method: 'POST', path: '/api/webhooks/:id/resend' },
    cli: {
      homeOnly: true,
      positional: ['id', 'delivery'],
      example: 'webhooks resend HOOK-0001 --since 120',
    },
    auth: 'address',
    forKeys: 'never',
    input: z.object({
      id: WebhookId,
      delivery: z.string().min(1).max(100).optional().describe('Id of an event, or its place in the log'),
      since: z.int().min(0).optional().describe('Everything after this place in the log'),
      setAside: z.boolean().optional().describe('All that was set aside'),
    }),
    output: z.object({ success: z.literal(true), message: z.string(), webhook: WebhookReply }),
    errors: ['webhook_not_found', 'delivery_not_found', 'wrong_state'],
    run: async ({ id, ...wish }, context) => {
      checkOne(wish);
      const { store, clock, network } = context;
      const now = clock.wall();
      const owner = ownerOf(context);
      await findWebhook(id, owner, store);
      const { since, delivery } = wish;
      if (since !== undefined) await checkPlace(since, store);
      const event = delivery === undefined ? null : await eventAt(delivery, store);
      const { webhook, what } = await store.transaction(async (writer) => {
        const found = await findWebhook(id, owner, writer);
        const { label, disabled } = found;
        if (disabled !== null)
          throw new TreasuryError('wrong_state', {
            label,
            status: 'disabled',
            allowed: 'active: enable it first',
          });
        const mayRead = readerOfEvents(told, parseAddress(found.owner, network), writer);
        return { webhook: found, what: await schedule(found, wish, { writer, mayRead, event, now }) };
      });
      const message = `Sent again while \`treasury serve\` runs: ${what}`;
      return { success: true as const, message, webhook: await showWebhook(webhook, store, now) };
    },
    view: ({ message }) => [{ kind: 'text', text: message }],
  });
