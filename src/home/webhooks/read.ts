/** Webhooks and their deliveries, listed and shown. */
import { z } from 'zod';
import { defineOperation, type ViewBlock } from '../../operation/define.js';
import { PageFields, pageOf, PageReply, ShortPageFields, viewPart } from '../../operation/paging.js';
import { shellLabel } from '../../record/labels.js';
import {
  DELIVERY_STATUSES,
  deliveryCollection,
  findWebhook,
  webhookCollection,
} from '../../record/webhooks/webhook.js';
import {
  DeliveryReply,
  deliveryTable,
  ownerOf,
  showDelivery,
  showWebhook,
  webhookFacts,
  WebhookId,
  WebhookReply,
  webhookTable,
} from './reply.js';

export const list = defineOperation({
  id: 'webhooks.list',
  summary: 'List your webhooks, and how far each is; at the terminal all of this home',
  http: { method: 'GET', path: '/api/webhooks' },
  cli: { homeOnly: true, readsOnly: true },
  auth: 'address',
  input: z.object(PageFields),
  output: z.object({ success: z.literal(true), webhooks: z.array(WebhookReply), ...PageReply }),
  errors: [],
  run: async (paging, context) => {
    const { store, clock } = context;
    const where = { owner: ownerOf(context) ?? undefined };
    const { items, ...page } = await pageOf(store, webhookCollection, { where }, paging);
    const webhooks = await Promise.all(items.map((item) => showWebhook(item, store, clock.wall())));
    return { success: true as const, webhooks, ...page };
  },
  view: ({ webhooks, total }) => [webhookTable(webhooks), ...viewPart(webhooks.length, total)],
});

/** What can be done about a webhook that is not well. */
const remedies = ({ label, status, setAside }: z.output<typeof WebhookReply>): readonly ViewBlock[] => {
  const name = shellLabel(label);
  return [
    ...(status === 'disabled'
      ? [{ kind: 'next' as const, command: `webhooks enable ${name}`, why: 'to tell it of events again' }]
      : []),
    ...(status === 'failing'
      ? [{ kind: 'next' as const, command: `webhooks deliveries ${name}`, why: 'to see what it answers' }]
      : []),
    ...(setAside > 0
      ? [
          {
            kind: 'next' as const,
            command: `webhooks resend ${name} --set-aside`,
            why: 'to send what was set aside',
          },
        ]
      : []),
  ];
};

export const show = defineOperation({
  id: 'webhooks.show',
  summary: 'Show a webhook: what it is told of, and how far it is',
  http: { method: 'GET', path: '/api/webhooks/:id' },
  cli: { homeOnly: true, readsOnly: true },
  auth: 'address',
  input: z.object({ id: WebhookId }),
  output: z.object({ success: z.literal(true), webhook: WebhookReply }),
  errors: ['webhook_not_found'],
  run: async ({ id }, context) => {
    const { store, clock } = context;
    const webhook = await findWebhook(id, ownerOf(context), store);
    return { success: true as const, webhook: await showWebhook(webhook, store, clock.wall()) };
  },
  view: ({ webhook }) => [webhookFacts(webhook), ...remedies(webhook)],
});

export const deliveries = defineOperation({
  id: 'webhooks.deliveries',
  summary: 'List what was sent to a webhook and what waits, the newest first',
  description: 'All that waits or is set aside, and the last 100 that were taken.',
  http: { method: 'GET', path: '/api/webhooks/:id/deliveries' },
  cli: { homeOnly: true, readsOnly: true },
  auth: 'address',
  input: z.object({
    id: WebhookId,
    status: z.enum(DELIVERY_STATUSES).optional().describe('Only these'),
    ...ShortPageFields,
  }),
  output: z.object({ success: z.literal(true), deliveries: z.array(DeliveryReply), ...PageReply }),
  errors: ['webhook_not_found'],
  run: async ({ id, status, ...paging }, context) => {
    const { store } = context;
    const webhook = await findWebhook(id, ownerOf(context), store);
    const where = status === undefined ? { webhook: webhook.id } : { status: `${webhook.id} ${status}` };
    const { items, ...page } = await pageOf(store, deliveryCollection, { where }, paging);
    return { success: true as const, deliveries: items.map(showDelivery), ...page };
  },
  view: ({ deliveries: shown, total }) => [deliveryTable(shown), ...viewPart(shown.length, total)],
});
