/** Changing a webhook: another secret, on again after it was disabled, and its end. */
import { z } from 'zod';
import { Seconds } from '../../bch/fields.js';
import { showDuration } from '../../bch/duration.js';
import { defineOperation } from '../../operation/define.js';
import { shellLabel } from '../../record/labels.js';
import {
  findWebhook,
  removeWebhook,
  signingSecrets,
  stateOf,
  webhookCollection,
  webhookStateCollection,
} from '../../record/webhooks/webhook.js';
import { ownerOf, secretShown, showWebhook, webhookFacts, WebhookId, WebhookReply } from './reply.js';

const DAY = 86_400;
const LONGEST_KEEP = 30 * DAY;
/** Secrets that sign at the same time: each is a signature in every message. */
const MOST_SECRETS = 5;

export const rotate = defineOperation({
  id: 'webhooks.rotate',
  summary: 'Give a webhook another secret; the old one signs beside it for a while',
  http: { method: 'POST', path: '/api/webhooks/:id/rotate' },
  cli: { homeOnly: true, example: 'webhooks rotate HOOK-0001 --keep 24h' },
  auth: 'address',
  forKeys: 'never',
  input: z.object({
    id: WebhookId,
    keep: Seconds.max(LONGEST_KEEP)
      .default(DAY)
      .describe('How long the old secret goes on signing, at most 30d; 0 (over HTTP) or 1s: not at all'),
  }),
  output: z.object({
    success: z.literal(true),
    webhook: WebhookReply,
    secret: z.string().describe('Shown once: the receiver checks signatures with it'),
    keptFor: z.number().describe('Seconds for which the old secret goes on signing'),
  }),
  errors: ['webhook_not_found'],
  run: async ({ id, keep }, context) => {
    const { store, messenger, clock } = context;
    const { id: found } = await findWebhook(id, ownerOf(context), store);
    const { secret, ...made } = await messenger.makeSecret();
    const now = clock.wall();
    const webhook = await store.transaction(async (writer) => {
      const known = await findWebhook(found, ownerOf(context), writer);
      const until = now + keep;
      const older = signingSecrets(known, now).map((one) => ({
        ...one,
        until: Math.min(one.until ?? until, until),
      }));
      const secrets = [{ ...made, until: null }, ...older.filter((one) => one.until > now)];
      const changed = { ...known, secrets: secrets.slice(0, MOST_SECRETS) };
      writer.put(webhookCollection, changed);
      return changed;
    });
    return {
      success: true as const,
      webhook: await showWebhook(webhook, store, now),
      secret,
      keptFor: keep,
    };
  },
  view: ({ webhook, secret, keptFor }) => [
    ...secretShown(webhook, secret),
    {
      kind: 'text',
      text:
        keptFor === 0
          ? 'The old secret signs nothing any more.'
          : `The old secret signs beside it for ${showDuration(keptFor)}: give the receiver the new one meanwhile.`,
    },
  ],
});

export const enable = defineOperation({
  id: 'webhooks.enable',
  summary: 'Tell a webhook of events again after it was disabled, from where it was',
  http: { method: 'POST', path: '/api/webhooks/:id/enable' },
  cli: { homeOnly: true, example: 'webhooks enable HOOK-0001' },
  auth: 'address',
  forKeys: 'never',
  input: z.object({ id: WebhookId }),
  output: z.object({ success: z.literal(true), webhook: WebhookReply }),
  errors: ['webhook_not_found'],
  run: async ({ id }, context) => {
    const { store, clock } = context;
    const webhook = await store.transaction(async (writer) => {
      const known = await findWebhook(id, ownerOf(context), writer);
      if (known.disabled === null) return known;
      const enabled = { ...known, disabled: null };
      writer.put(webhookCollection, enabled);
      writer.put(webhookStateCollection, { ...(await stateOf(writer, known)), failing_since: null });
      return enabled;
    });
    return { success: true as const, webhook: await showWebhook(webhook, store, clock.wall()) };
  },
  view: ({ webhook }) => [
    webhookFacts(webhook),
    ...(webhook.setAside > 0
      ? [
          {
            kind: 'next' as const,
            command: `webhooks resend ${shellLabel(webhook.label)} --set-aside`,
            why: 'to send what was set aside',
          },
        ]
      : []),
  ],
});

export const remove = defineOperation({
  id: 'webhooks.remove',
  summary: 'Remove a webhook, and what is kept of its deliveries',
  http: { method: 'DELETE', path: '/api/webhooks/:id' },
  cli: {
    homeOnly: true,
    asks: async ({ id }: { readonly id: string }, { store }) => {
      const { label, url } = await findWebhook(id, null, store);
      return `${label} goes to ${url}. Remove it?`;
    },
  },
  auth: 'address',
  forKeys: 'never',
  input: z.object({ id: WebhookId }),
  output: z.object({ success: z.literal(true), message: z.string(), label: z.string() }),
  errors: ['webhook_not_found'],
  run: async ({ id }, context) => {
    const { label, url } = await context.store.transaction(async (writer) => {
      const webhook = await findWebhook(id, ownerOf(context), writer);
      await removeWebhook(writer, webhook);
      return webhook;
    });
    return { success: true as const, message: `${label} is removed: nothing goes to ${url} any more`, label };
  },
  view: ({ message }) => [{ kind: 'text', text: message }],
});
