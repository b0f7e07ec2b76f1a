/**
 * Webhooks: addresses that are told of events. What is told is the event log; a webhook has its place in it, and records
 * of single deliveries only for those that did not succeed at once, and for the last ones that did.
 */
import { z } from 'zod';
import { Hex } from '../../bch/fields.js';
import { TreasuryError } from '../../errors.js';
import { nearestName } from '../../nearest-name.js';
import { defineCollection, type StoreReader, type StoreWriter } from '../../operation/ports/store.js';
import { CERTAINTIES } from '../event-log.js';
import { normaliseLabel } from '../labels.js';
import { leaseCollection } from '../leases.js';

/** The lease under which a webhook is delivered to. */
export const webhookWork = (id: string): string => `webhook ${id}`;

/** What labels of webhooks begin with. */
export const WEBHOOK_LABEL = 'HOOK';

const WebhookSecret = z.object({
  salt: Hex,
  check: Hex,
  /** When it signs nothing any more; null: it was not rotated. */
  until: z.int().nullable(),
});

export const WebhookRecord = z.object({
  id: z.string(),
  label: z.string(),
  url: z.string(),
  /** Cash address of who made it: it is told of what they may read. */
  owner: z.string(),
  /** Patterns, any of which an event's type has to match; none: every type. */
  types: z.array(z.string()),
  /** The id or label of the record whose events it is told; null: all. */
  record: z.string().nullable(),
  /** Tells each move once, when it is that sure; null: every event. */
  certainty: z.enum(CERTAINTIES).nullable(),
  at_once: z.int(),
  allow_private: z.boolean(),
  /** The newest first. */
  secrets: z.array(WebhookSecret),
  /** Why it is told of nothing any more; null: it is. */
  disabled: z.object({ at: z.int(), reason: z.string() }).nullable(),
  created_at: z.int(),
});
export type WebhookRecord = z.output<typeof WebhookRecord>;

/** Stands for all records under an index. */
const EVERY = '*';

export const webhookCollection = defineCollection({
  name: 'webhooks',
  schema: WebhookRecord,
  indexes: {
    label: ({ label }) => label,
    owner: ({ owner }) => owner,
    active: ({ disabled }) => (disabled === null ? EVERY : null),
  },
  unique: ['label'],
});

/** How far a webhook is. It stands beside the webhook, since it changes all the time. */
export const WebhookState = z.object({
  /** The webhook's. */
  id: z.string(),
  /** Every event up to here was delivered, has a delivery of its own, or is not for this webhook. */
  cursor: z.int(),
  /** Since when nothing was taken, unix seconds; null: the last try succeeded. */
  failing_since: z.int().nullable(),
});
export type WebhookState = z.output<typeof WebhookState>;

export const webhookStateCollection = defineCollection({
  name: 'webhook_states',
  schema: WebhookState,
  indexes: {},
});

/** `waiting`: to be tried again. `set_aside`: tried often enough; it goes out when it is asked for (`resend`). */
export const DELIVERY_STATUSES = ['waiting', 'delivered', 'set_aside'] as const;

export const DeliveryRecord = z.object({
  /** Of webhook and event: {@link deliveryId}. */
  id: z.string(),
  webhook_id: z.string(),
  sequence: z.int(),
  event_id: z.string(),
  type: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.int(),
  /** Unix seconds; null: it is not tried again by itself. */
  next_at: z.int().nullable(),
  /** The last try; null before the first. */
  last: z
    .object({
      at: z.int(),
      status: z.int().nullable(),
      reason: z.string().nullable(),
      body: z.string(),
      milliseconds: z.int(),
    })
    .nullable(),
});
export type DeliveryRecord = z.output<typeof DeliveryRecord>;

export const deliveryCollection = defineCollection({
  name: 'webhook_deliveries',
  schema: DeliveryRecord,
  indexes: {
    webhook: ({ webhook_id }) => webhook_id,
    status: ({ webhook_id, status }) => `${webhook_id} ${status}`,
  },
});

export const deliveryId = (webhookId: string, sequence: number): string => `${webhookId}.${sequence}`;

/** The deliveries of a webhook with a status, in the order of events. */
export const deliveriesOf = async (
  store: StoreReader,
  webhookId: string,
  status: DeliveryRecord['status'],
): Promise<readonly DeliveryRecord[]> => {
  const { items } = await store.find(deliveryCollection, { where: { status: `${webhookId} ${status}` } });
  return items.toSorted((a, b) => a.sequence - b.sequence);
};

/** The webhooks that are told of events. */
export const activeWebhooks = async (store: StoreReader): Promise<readonly WebhookRecord[]> =>
  (await store.find(webhookCollection, { where: { active: EVERY }, order: 'oldest' })).items;

/** How far a webhook is. */
export const stateOf = async (store: StoreReader, { id }: Pick<WebhookRecord, 'id'>): Promise<WebhookState> =>
  (await store.get(webhookStateCollection, id)) ?? { id, cursor: 0, failing_since: null };

/** A secret signs until then. */
export const signingSecrets = ({ secrets }: Pick<WebhookRecord, 'secrets'>, now: number) =>
  secrets.filter(({ until }) => until === null || until > now);

/** Removes a webhook, and all that is kept of its deliveries. */
export const removeWebhook = async (writer: StoreWriter, { id }: WebhookRecord): Promise<void> => {
  const { items } = await writer.find(deliveryCollection, { where: { webhook: id } });
  for (const delivery of items) writer.remove(deliveryCollection, delivery.id);
  if ((await writer.get(webhookStateCollection, id)) !== null) writer.remove(webhookStateCollection, id);
  const work = webhookWork(id);
  if ((await writer.get(leaseCollection, work)) !== null) writer.remove(leaseCollection, work);
  writer.remove(webhookCollection, id);
};

/**
 * The webhook of a label or an id.
 *
 * @param owner - whose it has to be; null: anybody's
 * @throws webhook_not_found, also for one of somebody else: who asks is not told that it is there
 */
export const findWebhook = async (
  text: string,
  owner: string | null,
  store: StoreReader,
): Promise<WebhookRecord> => {
  const label = normaliseLabel(text);
  const named = (await store.find(webhookCollection, { where: { label }, limit: 1, isCounted: false }))
    .items[0];
  const found = named ?? (await store.get(webhookCollection, text));
  if (found !== null && (owner === null || found.owner === owner)) return found;
  const where = owner === null ? {} : { owner };
  const known = (await store.find(webhookCollection, { where })).items.map((one) => one.label);
  throw new TreasuryError('webhook_not_found', { id: text, nearest: nearestName(label, known) });
};
