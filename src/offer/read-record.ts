/** Reading records of a product: one with what is told of it, and a page of those that the caller may see. */
import { z } from 'zod';
import { displayNumber, showNumber } from '../bch/amount.js';
import { showDate } from '../bch/show-date.js';
import type { RunContext, ViewBlock } from '../operation/define.js';
import { pageOf, type Paging } from '../operation/paging.js';
import type { Awaitable, StoreReader } from '../operation/ports/store.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import { markDamage } from '../record/damaged.js';
import { EventReply, eventsOf, showEvent } from '../record/events.js';
import { confirmationsOf } from './confirm.js';
import { unexpectedAt, UnexpectedFundingField } from './unexpected-funding.js';

/** What is told of one record beside the record itself. */
export const ToldFields = {
  events: z.array(EventReply).describe('Newest first, the latest 50'),
  unexpectedFunding: UnexpectedFundingField,
};

/**
 * A record as the chain has it now, with what is told of it.
 *
 * @throws its `_not_found` code, private_vault, record_damaged, store_conflict, chain_unavailable
 */
export const readRecord = async <R extends PoolRecord>(
  product: PoolProduct<R>,
  id: string,
  context: RunContext<'optional'>,
) => {
  // Check: who may read it.
  const { store, caller } = context;
  await product.checkReader(await product.find(store, id), caller, store);

  const record = await product.follow(id, context);
  return {
    record,
    confirmations: await confirmationsOf(record.last_tx_hash, context),
    told: {
      events: (await eventsOf(store, record.id)).map(showEvent),
      unexpectedFunding: await unexpectedAt(product, record, context),
    },
  };
};

/** One page of the records that the caller may see, each as `show` has it, marked where it is damaged. */
export const listRecords = async <R extends PoolRecord, Shown>(
  product: PoolProduct<R>,
  list: {
    readonly where: Readonly<Record<string, string | undefined>>;
    readonly paging: Paging;
    readonly show: (record: R) => Awaitable<Shown>;
  },
  context: RunContext<'optional'>,
) => {
  const { store, caller } = context;
  const { where, paging, show } = list;
  const filter = await product.readable(caller, store);
  const { items, ...page } = await pageOf(store, product.collection, { where, filter }, paging);
  const { contract } = product.following(context);
  const shown = await Promise.all(
    items.map(async (record: R) => ({ ...(await show(record)), ...markDamage(record, contract) })),
  );
  return { shown, page };
};

/** The last event of a record, in short. */
export const LatestEventReply = z
  .object({ event_type: z.string(), actor: z.string(), amount: z.number().describe('Display units') })
  .nullable();

/** For the schema, see {@link LatestEventReply}. */
export const latestEvent = async (
  store: StoreReader,
  id: string,
): Promise<z.output<typeof LatestEventReply>> => {
  const [latest] = await eventsOf(store, id, 1);
  if (latest === undefined) return null;
  const { event_type, actor, amount, decimals } = latest;
  return { event_type, actor, amount: displayNumber(amount, decimals) };
};

/** Events as a table. */
export const tableOfEvents = (events: readonly z.output<typeof EventReply>[]): ViewBlock => ({
  kind: 'table',
  head: ['Event', 'Amount', 'When', 'Transaction'],
  rows: events.map((row) => [
    row.event_type,
    showNumber(row.amount),
    showDate(row.created_at),
    row.tx_hash ?? '',
  ]),
});
