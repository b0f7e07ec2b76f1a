/** Sending again: one delivery, all that was set aside, or everything since a place in the log. */
import { z } from 'zod';
import { parseAddress } from '../../bch/address.js';
import { invalidField, TreasuryError } from '../../errors.js';
import { defineOperation } from '../../operation/define.js';
import { endOfLog } from '../../record/webhooks/backlog.js';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import type { ToldRecords } from '../../record/deployable.js';
import { readerOfEvents, type MayRead } from '../../record/event-access.js';
import { eventLog } from '../../record/event-log.js';
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

const again = (delivery: DeliveryRecord, now: number): DeliveryRecord => ({
  ...delivery,
  status: 'waiting',
  attempts: 0,
  next_at: now,
});

/** Where deliveries are looked for, and which events their webhook may be told of. */
type Reading = { readonly store: StoreReader; readonly mayRead: MayRead };

/** The delivery of an event, known or not. @throws delivery_not_found, also for what its maker may not be told of */
const findDelivery = async (
  text: string,
  { id: webhook_id, label }: WebhookRecord,
  { store, mayRead }: Reading,
): Promise<DeliveryRecord> => {
  const isPlace = /^\d{1,15}$/.test(text);
  const known = isPlace
    ? await store.get(deliveryCollection, deliveryId(webhook_id, Number(text)))
    : (
        await store.find(deliveryCollection, {
          where: { webhook: webhook_id },
          filter: ({ event_id }) => event_id === text,
          limit: 1,
        })
      ).items[0];
  if (known != null) return known;
  const after = Number(text) - 1;
  const { entries } =
    isPlace && after >= 0 ? await store.readLog(eventLog, { after, limit: 1 }) : { entries: [] };
  const [event] = entries;
  if (event?.sequence !== Number(text) || !(await mayRead(event)))
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

type Writing = Pick<Reading, 'mayRead'> & {
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

/** Sets the place of a webhook back; the worker goes on from there. @throws invalid_input */
const setBack = async (writer: StoreWriter, webhook: WebhookRecord, since: number): Promise<void> => {
  const end = await endOfLog(writer);
  if (since > end) throw invalidField('since', `is ${since}, but the log ends at ${end}`);
  writer.put(webhookStateCollection, { ...(await stateOf(writer, webhook)), cursor: since });
};

/** @returns what is sent again, in words. @throws invalid_input, delivery_not_found */
const schedule = async (
  webhook: WebhookRecord,
  { delivery, since }: Wish,
  { writer, mayRead, now }: Writing,
): Promise<string> => {
  if (since !== undefined) {
    await setBack(writer, webhook, since);
    return `everything for ${webhook.label} after ${since} of the log`;
  }
  if (delivery !== undefined) {
    const found = await findDelivery(delivery, webhook, { store: writer, mayRead });
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
      const { webhook, what } = await store.transaction(async (writer) => {
        const found = await findWebhook(id, ownerOf(context), writer);
        const { label, disabled } = found;
        if (disabled !== null)
          throw new TreasuryError('wrong_state', {
            label,
            status: 'disabled',
            allowed: 'active: enable it first',
          });
        const mayRead = readerOfEvents(told, parseAddress(found.owner, network), writer);
        return { webhook: found, what: await schedule(found, wish, { writer, mayRead, now }) };
      });
      const message = `Sent again while \`treasury serve\` runs: ${what}`;
      return { success: true as const, message, webhook: await showWebhook(webhook, store, now) };
    },
    view: ({ message }) => [{ kind: 'text', text: message }],
  });
