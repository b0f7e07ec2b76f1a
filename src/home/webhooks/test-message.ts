/** Trying a webhook: one signed message now, and what is answered. */
import { z } from 'zod';
import { defineOperation } from '../../operation/define.js';
import type { Context } from '../../operation/context.js';
import { bodyOf } from '../../record/webhooks/filter.js';
import { uuidOf } from '../../record/event-log.js';
import { findWebhook, signingSecrets, type WebhookRecord } from '../../record/webhooks/webhook.js';
import { AllowPrivate, checkAllowed } from './add.js';
import { ownerOf } from './reply.js';

type Target = {
  readonly url: string;
  readonly allowPrivate: boolean;
  readonly secrets: readonly string[];
  /** The secret that was made for this message alone; null where a webhook has one. */
  readonly shown: string | null;
};

const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(text);

/** @throws invalid_url */
const strangerOf = async (
  url: string,
  allowPrivate: boolean,
  { messenger, isOperator }: Pick<Context, 'messenger' | 'isOperator'>,
): Promise<Target> => {
  checkAllowed(url, allowPrivate, isOperator);
  await messenger.checkUrl(url, { allowPrivate });
  const { secret } = await messenger.makeSecret();
  return { url, allowPrivate, secrets: [secret], shown: secret };
};

const targetOf = async (webhook: WebhookRecord, { messenger, clock }: Context): Promise<Target> => {
  const made = await messenger.secretsOf(signingSecrets(webhook, clock.wall()));
  const secrets = made.filter((secret) => secret !== null);
  return { url: webhook.url, allowPrivate: webhook.allow_private, secrets, shown: null };
};

export const test = defineOperation({
  id: 'webhooks.test',
  summary: 'Send a signed webhook.test event to a webhook or an address now, and show what it answers',
  http: { method: 'POST', path: '/api/webhooks/:id/test' },
  cli: { homeOnly: true, example: 'webhooks test HOOK-0001' },
  auth: 'address',
  forKeys: 'never',
  input: z.object({
    id: z.string().min(1).max(4_000).describe('Label or id of the webhook, or an address'),
    allowPrivate: AllowPrivate,
  }),
  output: z.object({
    success: z.boolean().describe('True when it was taken: 2xx'),
    url: z.string(),
    answer: z.number().nullable().describe('HTTP status; null: there was no answer'),
    reason: z.string().nullable().describe('Why it counts as failed'),
    body: z.string().describe('The beginning of the answer, at most 4 KiB'),
    milliseconds: z.number(),
    webhookId: z.string().describe('webhook-id that was sent'),
    secret: z.string().nullable().describe('What an address was tried with; null for a webhook'),
  }),
  errors: ['webhook_not_found', 'invalid_url'],
  run: async ({ id, allowPrivate }, context) => {
    const { store, messenger, clock } = context;
    const target = isUrl(id)
      ? await strangerOf(id, allowPrivate, context)
      : await targetOf(await findWebhook(id, ownerOf(context), store), context);
    const now = clock.wall();
    const eventId = uuidOf(now, context.uuid());
    const body = bodyOf({
      id: eventId,
      sequence: 0,
      type: 'webhook.test',
      time: now,
      certainty: null,
      was: null,
      subject: null,
      parties: [context.caller.text],
      data: { message: 'This is a test: nothing has happened.' },
      txHash: null,
      reverts: null,
    });
    const { url, secrets, shown } = target;
    const sent = { url, secrets, allowPrivate: target.allowPrivate, id: eventId, timestamp: now, body };
    const { status, reason, ...result } = await messenger.sendSigned(sent);
    return {
      success: reason === null,
      url,
      answer: status,
      reason,
      ...result,
      webhookId: eventId,
      secret: shown,
    };
  },
  view: ({ url, answer, reason, body, milliseconds, secret }) => [
    {
      kind: 'text',
      text:
        reason === null
          ? `${url} took it: ${answer} in ${milliseconds} ms`
          : `${url} did not take it: ${reason} (${milliseconds} ms)`,
    },
    ...(body === '' ? [] : [{ kind: 'text' as const, text: body, from: 'others' as const }]),
    ...(secret === null ? [] : [{ kind: 'facts' as const, rows: [['Signed with', secret] as const] }]),
  ],
});
