/** What has not gone out to webhooks yet, in figures. */
import type { StoreReader } from '../../operation/ports/store.js';
import { eventLog } from '../event-log.js';
import { deliveryCollection, stateOf, webhookCollection } from './webhook.js';

export type WebhookBacklog = {
  readonly active: number;
  /** Of the active ones: those whose last try failed. */
  readonly failing: number;
  readonly disabled: number;
  /** Events between the end of the log and the active webhook that is furthest behind, whether for it or not. */
  readonly behind: number;
  /** Deliveries that failed and are tried again. */
  readonly waiting: number;
  /** Deliveries that failed too often. */
  readonly setAside: number;
};

/** The newest place of the log. */
export const endOfLog = async (store: StoreReader): Promise<number> =>
  (await store.readLog(eventLog, { after: Number.MAX_SAFE_INTEGER, limit: 0 })).last;

/** The figures of all webhooks of a home. */
export const webhookBacklog = async (store: StoreReader): Promise<WebhookBacklog> => {
  const { items } = await store.find(webhookCollection);
  const active = items.filter(({ disabled }) => disabled === null);
  const end = items.length === 0 ? 0 : await endOfLog(store);
  const states = await Promise.all(active.map((webhook) => stateOf(store, webhook)));
  const countOf = async (status: string): Promise<number> => {
    let count = 0;
    for (const { id } of items)
      count += (await store.find(deliveryCollection, { where: { status: `${id} ${status}` }, limit: 0 }))
        .total;
    return count;
  };
  return {
    active: active.length,
    failing: states.filter(({ failing_since: since }) => since !== null).length,
    disabled: items.length - active.length,
    behind: Math.max(0, ...states.map(({ cursor }) => end - cursor)),
    waiting: await countOf('waiting'),
    setAside: await countOf('set_aside'),
  };
};
