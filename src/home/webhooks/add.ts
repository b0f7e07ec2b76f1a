/** Making a webhook. */
import { z } from 'zod';
import { invalidField, TreasuryError } from '../../errors.js';
import { defineOperation } from '../../operation/define.js';
import { endOfLog } from '../../record/webhooks/backlog.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { CERTAINTIES } from '../../record/event-log.js';
import { readTypes } from '../../record/event-types.js';
import { nextLabel, shellLabel } from '../../record/labels.js';
import {
  WEBHOOK_LABEL,
  webhookCollection,
  webhookStateCollection,
  type WebhookRecord,
} from '../../record/webhooks/webhook.js';
import { secretShown, showWebhook, webhookFacts, WebhookReply } from './reply.js';

/** Webhooks that one caller can make over HTTP. */
const MOST_WEBHOOKS = 20;
/** Deliveries at the same time. */
const MOST_AT_ONCE = 20;

export const AllowPrivate = z
  .boolean()
  .default(false)
  .describe('Let it go to private addresses, to this machine and to any port; at the terminal only');

/** Where a webhook begins. @throws invalid_input for a place that the log has not come to */
const startOf = async (since: number | undefined, store: StoreReader): Promise<number> => {
  const end = await endOfLog(store);
  if (since === undefined || since <= end) return since ?? end;
  throw invalidField('since', `is ${since}, but the log ends at ${end}`);
};

const sameFilters = (one: WebhookRecord, other: WebhookRecord): boolean =>
  (['url', 'record', 'certainty'] as const).every((name) => one[name] === other[name]) &&
  one.types.toSorted().join() === other.types.toSorted().join();

/** @throws webhook_exists, too_many_webhooks */
const checkOthers = async (
  webhook: WebhookRecord,
  isOperator: boolean,
  store: StoreReader,
): Promise<void> => {
  const { owner } = webhook;
  const { items, total } = await store.find(webhookCollection, { where: { owner } });
  const same = items.find((other) => sameFilters(webhook, other));
  if (same !== undefined) throw new TreasuryError('webhook_exists', { label: same.label });
  if (!isOperator && total >= MOST_WEBHOOKS)
    throw new TreasuryError('too_many_webhooks', { owner, count: total });
};

/** Who sends to private addresses reaches what trusts whoever asks from inside. @throws invalid_url */
export const checkAllowed = (url: string, allowPrivate: boolean, isOperator = false): void => {
  if (!allowPrivate || isOperator) return;
  const reason = 'private addresses are allowed by the operator alone, at the terminal with --allow-private';
  throw new TreasuryError('invalid_url', { value: url, reason });
};

export const add = defineOperation({
  id: 'webhooks.add',
  summary: 'Make a webhook: an address that is told of events',
  description:
    'Messages follow Standard Webhooks 1.0 and go out while `treasury serve` runs. Its secret is shown once. It is told of the events of records that its maker may read.',
  http: { method: 'POST', path: '/api/webhooks', status: 201 },
  cli: {
    homeOnly: true,
    positional: ['url'],
    guide: false,
    example: "webhooks add https://example.org/hooks --types 'stream.*'",
  },
  auth: 'address',
  forKeys: 'never',
  input: z.object({
    url: z.string().min(1).max(4_000).describe('https address; http for this machine alone'),
    types: z
      .string()
      .max(5_000)
      .default('*')
      .describe("Types of events, separated by commas: 'stream.*,payment.due'; default all"),
    record: z.string().min(1).max(100).optional().describe('Label or id: only events of this record'),
    certainty: z
      .enum(CERTAINTIES)
      .optional()
      .describe('Tell each move once, when it is that sure; default: each time that it becomes surer'),
    since: z
      .int()
      .min(0)
      .optional()
      .describe('Place in the log to begin after; 0: from the first event on; default: from now on'),
    atOnce: z
      .int()
      .min(1)
      .max(MOST_AT_ONCE)
      .default(1)
      .describe(`Deliveries at the same time, at most ${MOST_AT_ONCE}; 1 keeps their order`),
    allowPrivate: AllowPrivate,
  }),
  output: z.object({
    success: z.literal(true),
    webhook: WebhookReply,
    secret: z.string().describe('Shown once: the receiver checks signatures with it'),
  }),
  errors: ['invalid_url', 'webhook_exists', 'too_many_webhooks'],
  run: async (input, context) => {
    const { allowPrivate, record = null, certainty = null, atOnce } = input;
    const { store, messenger, clock, caller, isOperator = false } = context;
    // Check:
    checkAllowed(input.url, allowPrivate, isOperator);
    const url = await messenger.checkUrl(input.url, { allowPrivate });
    const asked = readTypes(input.types);
    const types = asked.includes('*') ? [] : [...new Set(asked)];
    const cursor = await startOf(input.since, store);

    // Record: what can tell its secret again lies in the home's file, its salt here.
    const { secret, salt, check } = await messenger.makeSecret();
    const [id, now] = [context.uuid(), clock.wall()];
    const webhook = await store.transaction(async (writer) => {
      const draft: WebhookRecord = {
        id,
        label: '',
        url,
        owner: caller.text,
        types,
        record,
        certainty,
        at_once: atOnce,
        allow_private: allowPrivate,
        secrets: [{ salt, check, until: null }],
        disabled: null,
        created_at: now,
      };
      await checkOthers(draft, isOperator, writer);
      const made = { ...draft, label: await nextLabel(writer, WEBHOOK_LABEL) };
      writer.put(webhookCollection, made);
      writer.put(webhookStateCollection, { id, cursor, failing_since: null });
      return made;
    });
    return { success: true as const, webhook: await showWebhook(webhook, store, now), secret };
  },
  view: ({ webhook, secret }) => [
    webhookFacts(webhook),
    ...secretShown(webhook, secret),
    {
      kind: 'next',
      command: `webhooks test ${shellLabel(webhook.label)}`,
      why: 'to see what it answers',
    },
  ],
});
