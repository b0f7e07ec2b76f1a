/** Webhooks and deliveries as answers show them, and as people read them. */
import { z } from 'zod';
import { showDate } from '../../bch/show-date.js';
import { column } from '../../operation/columns.js';
import type { Context } from '../../operation/context.js';
import type { ViewBlock } from '../../operation/define.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { CERTAINTIES } from '../../record/event-log.js';
import { endOfLog } from '../../record/webhooks/backlog.js';
import { shellLabel } from '../../record/labels.js';
import {
  DELIVERY_STATUSES,
  deliveryCollection,
  stateOf,
  type DeliveryRecord,
  type WebhookRecord,
} from '../../record/webhooks/webhook.js';

/** Names a webhook in a request. */
export const WebhookId = z.string().min(1).max(100).describe('Label or id of the webhook');

export const WebhookReply = z.object({
  id: z.string(),
  label: z.string(),
  url: z.string(),
  owner: z.string().describe('Cash address of who made it: it is told of what they may read'),
  types: z.array(z.string()).describe('Patterns of types that it is told of; none: every type'),
  record: z.string().nullable().describe('The record whose events it is told of; null: all'),
  certainty: z
    .enum(CERTAINTIES)
    .nullable()
    .describe('Tells each move once, when it is that sure; null: every event'),
  atOnce: z.number().describe('Deliveries at the same time; 1 keeps their order'),
  allowPrivate: z.boolean(),
  status: z.enum(['active', 'failing', 'disabled']),
  reason: z.string().nullable().describe('Why it is disabled'),
  failingSince: z.number().nullable().describe('Unix seconds; since when it took nothing'),
  cursor: z.number().describe('Every event up to here was delivered, waits, is set aside, or is not for it'),
  behind: z.number().describe('Events of the log behind the cursor, whether for it or not'),
  waiting: z.number().describe('Deliveries that failed and are tried again'),
  setAside: z.number().describe('Deliveries that failed too often: `resend` sends them'),
  secrets: z.number().describe('Secrets that sign now: two or more while one is rotated'),
  createdAt: z.number().describe('Unix seconds'),
});
export type WebhookReply = z.output<typeof WebhookReply>;

/** Whose webhooks are answered for: the operator's eyes see all. */
export const ownerOf = ({
  isOperator,
  caller,
}: Pick<Context, 'isOperator'> & { readonly caller: { readonly text: string } }): string | null =>
  isOperator === true ? null : caller.text;

const countOf = async (store: StoreReader, id: string, status: DeliveryRecord['status']): Promise<number> =>
  (await store.find(deliveryCollection, { where: { status: `${id} ${status}` }, limit: 0 })).total;

/** For the schema, see {@link WebhookReply}. `now`: unix seconds. */
export const showWebhook = async (
  { at_once, allow_private, disabled, secrets, created_at, ...webhook }: WebhookRecord,
  store: StoreReader,
  now: number,
): Promise<WebhookReply> => {
  const { cursor, failing_since: failingSince } = await stateOf(store, webhook);
  return {
    ...webhook,
    atOnce: at_once,
    allowPrivate: allow_private,
    status: disabled !== null ? 'disabled' : failingSince !== null ? 'failing' : 'active',
    reason: disabled?.reason ?? null,
    failingSince,
    cursor,
    behind: Math.max(0, (await endOfLog(store)) - cursor),
    waiting: await countOf(store, webhook.id, 'waiting'),
    setAside: await countOf(store, webhook.id, 'set_aside'),
    secrets: secrets.filter(({ until }) => until === null || until > now).length,
    createdAt: created_at,
  };
};

/** What a webhook is told of, in words. */
const toldOf = ({ types, record, certainty }: WebhookReply): string =>
  [
    types.length === 0 ? 'everything' : types.join(', '),
    ...(record === null ? [] : [`of ${record}`]),
    ...(certainty === null ? [] : [`once it is ${certainty}`]),
  ].join(' ');

export const webhookFacts = (webhook: WebhookReply): ViewBlock => ({
  kind: 'facts',
  rows: [
    ['Webhook', webhook.label],
    ['Goes to', webhook.url],
    ['Is told of', toldOf(webhook)],
    ['May read', `what ${webhook.owner} may read`],
    ['Status', webhook.status],
    ...(webhook.reason === null ? [] : [['Disabled since', webhook.reason] as const]),
    ...(webhook.failingSince === null
      ? []
      : [['Takes nothing since', showDate(webhook.failingSince)] as const]),
    ['At', `${webhook.cursor} of the log, ${webhook.behind} behind`],
    ['Waiting', String(webhook.waiting)],
    ['Set aside', String(webhook.setAside)],
    ...(webhook.secrets > 1 ? [['Signed with', `${webhook.secrets} secrets`] as const] : []),
    ...(webhook.atOnce > 1 ? [['At once', String(webhook.atOnce)] as const] : []),
    ...(webhook.allowPrivate ? [['Private addresses', 'allowed'] as const] : []),
    ['Made', showDate(webhook.createdAt)],
  ],
});

export const webhookTable = (webhooks: readonly WebhookReply[]): ViewBlock => ({
  kind: 'table',
  head: [
    column.key('Webhook'),
    column.state('Status'),
    column.text('Goes to'),
    column.text('Is told of', 2),
    column.amount('Behind'),
    column.amount('Waiting', 2),
    column.amount('Set aside', 2),
  ],
  rows: webhooks.map((webhook) => [
    webhook.label,
    webhook.status,
    webhook.url,
    toldOf(webhook),
    String(webhook.behind),
    String(webhook.waiting),
    String(webhook.setAside),
  ]),
  empty: 'No webhooks yet. `treasury webhooks add <url>` makes one.',
});

/** What is said where a secret is shown. */
export const secretShown = ({ label }: Pick<WebhookReply, 'label'>, secret: string): readonly ViewBlock[] => [
  { kind: 'facts', rows: [['Secret', secret]] },
  {
    kind: 'text',
    text: `The secret is shown this once: the receiver checks signatures with it. \`treasury webhooks rotate ${shellLabel(label)}\` makes another.`,
  },
];

export const DeliveryReply = z.object({
  sequence: z.number().describe('Place of the event in the log'),
  eventId: z.string().describe('webhook-id of every try'),
  type: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.number(),
  nextAt: z.number().nullable().describe('Unix seconds; null: it is not tried again by itself'),
  lastAt: z.number().nullable().describe('Unix seconds of the last try'),
  answer: z.number().nullable().describe('HTTP status of the last answer; null: there was none'),
  reason: z.string().nullable().describe('Why the last try failed'),
  body: z.string().nullable().describe('The first characters of the last answer'),
  milliseconds: z.number().nullable(),
});
export type DeliveryReply = z.output<typeof DeliveryReply>;

/** For the schema, see {@link DeliveryReply}. */
export const showDelivery = (delivery: DeliveryRecord): DeliveryReply => ({
  sequence: delivery.sequence,
  eventId: delivery.event_id,
  type: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  nextAt: delivery.next_at,
  lastAt: delivery.last?.at ?? null,
  answer: delivery.last?.status ?? null,
  reason: delivery.last?.reason ?? null,
  body: delivery.last?.body ?? null,
  milliseconds: delivery.last?.milliseconds ?? null,
});

export const deliveryTable = (deliveries: readonly DeliveryReply[]): ViewBlock => ({
  kind: 'table',
  head: [
    column.key('At'),
    column.text('Event'),
    column.state('Status'),
    column.amount('Tries', 2),
    column.amount('Answer'),
    column.date('Last try', 2),
    column.date('Next try'),
    column.prose('Why, or what was answered', 2),
    column.text('Event id', 3),
  ],
  rows: deliveries.map(
    ({ sequence, type, status, attempts, answer, lastAt, nextAt, reason, body, eventId }) => [
      String(sequence),
      type,
      status.replace('_', ' '),
      String(attempts),
      answer === null ? '' : String(answer),
      showDate(lastAt),
      showDate(nextAt),
      [reason, body].filter(Boolean).join(': '),
      eventId,
    ],
  ),
  empty: 'No deliveries yet: events go out while `treasury serve` runs.',
});
