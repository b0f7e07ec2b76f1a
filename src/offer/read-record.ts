/** Reading records of a product: one with what is told of it, and a page of those that the caller may see. */
import { amountsIn } from '../record/show-amount.js';
import { z } from 'zod';
import type { Address } from '../bch/address.js';
import { displayNumber } from '../bch/amount.js';
import { showDate } from '../bch/show-date.js';
import { chainNow } from '../operation/chain-now.js';
import { column } from '../operation/columns.js';
import {
  defineOperation,
  FOLLOW_ERRORS,
  VAULT_ERRORS,
  type AnyOperation,
  type CommandFace,
  type RunContext,
  type View,
  type ViewBlock,
} from '../operation/define.js';
import { PageFields, pageOf, PageReply, viewPart } from '../operation/paging.js';
import type { AnyCollection, Awaitable, StoreReader } from '../operation/ports/store.js';
import { listNow, StaleReply } from '../operation/stale.js';
import { pagePath, type PageName } from '../page-paths.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import { markDamaged } from '../record/damaged.js';
import {
  EventReply,
  eventsOf,
  lastEvent,
  showEvent,
  SHOWN_EVENTS,
  type EventRecord,
} from '../record/events.js';
import { shellLabel } from '../record/labels.js';
import { withConfirmations } from '../record/shown-record.js';
import { confirmationsOf } from './confirm.js';
import { unexpectedFunding, UnexpectedFundingField, viewUnexpected } from './unexpected-funding.js';

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
  const events = await eventsOf(store, record.id);
  return {
    record,
    confirmations: await confirmationsOf(record.last_tx_hash, context),
    latest: events[0] ?? null,
    told: {
      events: events.map(showEvent),
      unexpectedFunding: await unexpectedFunding(product.deployable, record, context),
    },
  };
};

/** What the details of a record answer, as its view has them: the record under its own name. */
export type Details<Name extends string, Shown> = {
  readonly [Key in Name]: Shown & { readonly confirmations: number };
} & Readonly<z.output<z.ZodObject<typeof ToldFields>>>;

/* eslint-disable @typescript-eslint/no-explicit-any -- what a product's own filters and rows are */
/** How the records of a product are read. */
type Reading<R, Reply extends z.ZodObject> = {
  /** The fields of the answers: `['payment', 'payments']`. */
  readonly names: readonly [one: string, many: string];
  readonly reply: Reply;
  /** `now` is chain now; 0 where it is not `timed`. */
  readonly show: (record: R, store: StoreReader, now: number) => Awaitable<z.output<Reply>>;
  /** Present where the figures hang on time: what describes `chainTime` in the details. */
  readonly timed?: string;
  readonly list: {
    readonly summary: string;
    readonly description?: string;
    readonly cli?: CommandFace;
    /** The fields of a request beside those of paging. */
    readonly filters: z.ZodRawShape;
    /** From them to the indexes; default each to that of its name. */
    readonly where?: (asked: any) => Asked;
    readonly table: (shown: readonly z.output<Reply>[]) => ViewBlock;
  };
  readonly details: {
    readonly summary: string;
    /** The page that shows it. */
    readonly page: PageName;
    /** The latest rows of a collection under the record's id, which stands in an index of it. */
    readonly rows?: {
      readonly name: string;
      readonly collection: AnyCollection;
      readonly index: string;
      readonly reply: z.ZodType;
      readonly show: (row: any) => unknown;
    };
    /** How the details read, before what every record has; and what can be done next. */
    readonly view: (answer: any) => View;
    readonly next: (answer: any) => View;
  };
};
/* eslint-enable @typescript-eslint/no-explicit-any */

type Asked = Readonly<Record<string, string | Address | undefined>>;
type Answer = Readonly<Record<string, unknown>>;
/** The fields of an answer whose names a product chooses. */
const answers = (fields: z.ZodRawShape) => z.object(fields) as unknown as z.ZodType<Answer, Answer>;

/** The operation `<noun>.list`: a page of the records that the caller may see, marked where they are damaged. */
const listOf = <R extends PoolRecord, Reply extends z.ZodObject>(
  product: PoolProduct<R>,
  { names: [, many], reply, show, timed, list: { filters, table, where: find, ...face } }: Reading<R, Reply>,
): AnyOperation =>
  defineOperation({
    id: `${product.noun}.list`,
    http: { method: 'GET', path: product.route },
    auth: 'optional',
    ...face,
    input: z.object({ ...filters, ...PageFields }),
    output: answers({ [many]: z.array(reply), ...PageReply, ...(timed === undefined ? {} : StaleReply) }),
    errors: ['vault_not_found'],
    run: async ({ page, limit, ...asked }, context) => {
      const { store, caller } = context;
      const { vaultId, ...wanted }: Asked = find?.(asked) ?? asked;
      const where = {
        ...(typeof vaultId === 'string' ? { vault: (await product.findVault?.(store, vaultId))?.id } : {}),
        ...Object.fromEntries(
          Object.entries(wanted).map(([name, value]) => [
            name,
            typeof value === 'object' ? value.text : value,
          ]),
        ),
      };
      const { now, stale } = timed === undefined ? { now: 0, stale: {} } : await listNow(context);
      const filter = await product.readable(caller, store);
      const found = await pageOf(store, product.collection, { where, filter }, { page, limit });
      const { items, ...figures } = found;
      const { contract } = product.following(context);
      const shown = (items as readonly R[]).map(async (record) =>
        markDamaged(await show(record, store, now), record, contract),
      );
      return { [many]: await Promise.all(shown), ...figures, ...stale };
    },
    view: ({ [many]: shown, total }) => [
      table(shown as z.output<Reply>[]),
      ...viewPart((shown as z.output<Reply>[]).length, total as number),
    ],
  });

/** The operation `<noun>.show`: one record as the chain has it now, with what is told of it. */
const showOf = <R extends PoolRecord, Reply extends z.ZodObject>(
  product: PoolProduct<R>,
  { names: [one], reply, show, timed, details: { summary, page, rows, view, next } }: Reading<R, Reply>,
): AnyOperation =>
  defineOperation({
    id: `${product.noun}.show`,
    summary,
    http: { method: 'GET', path: `${product.route}/:id` },
    cli: {
      page: (answer: Readonly<Record<string, R>>) => {
        const shown = answer[one];
        return shown === undefined ? null : pagePath(page, { id: shellLabel(product.label(shown)) });
      },
    },
    auth: 'optional',
    input: z.object({ id: product.id }),
    output: answers({
      [one]: reply.extend({ confirmations: z.number() }),
      ...(timed === undefined ? {} : { chainTime: z.number().describe(timed) }),
      ...(rows && { [rows.name]: z.array(rows.reply).describe('Newest first, the latest 50') }),
      ...ToldFields,
    }),
    errors: [product.notFound, ...VAULT_ERRORS, ...FOLLOW_ERRORS],
    run: async ({ id }, context) => {
      const { store } = context;
      const { record, confirmations, told } = await readRecord(product, id, context);
      const now = timed === undefined ? 0 : await chainNow(context);
      const latest =
        rows &&
        (await store.find(rows.collection, { where: { [rows.index]: record.id }, limit: SHOWN_EVENTS }));
      return {
        [one]: withConfirmations(await show(record, store, now), confirmations),
        ...(timed === undefined ? {} : { chainTime: now }),
        ...(rows && { [rows.name]: latest?.items.map((row) => rows.show(row)) }),
        ...told,
      };
    },
    view: (answer) => {
      const { events, unexpectedFunding } = answer as Details<never, unknown>;
      const shown = answer[one] as R;
      const category = product.tokenCategory(shown);
      const inAsset = amountsIn({ decimals: shown.decimals, category });
      return [
        ...view(answer),
        tableOfEvents(events, inAsset),
        ...viewUnexpected(unexpectedFunding),
        ...next(answer),
      ];
    },
  });

/** The operations `<noun>.list` and `<noun>.show`. */
export const defineReading = <R extends PoolRecord, Reply extends z.ZodObject>(
  product: PoolProduct<R>,
  reading: Reading<R, Reply>,
): { readonly list: AnyOperation; readonly show: AnyOperation } => ({
  list: listOf(product, reading),
  show: showOf(product, reading),
});

/** The last event of a record, in short. */
export const LatestEventReply = z
  .object({ event_type: z.string(), actor: z.string(), amount: z.number().describe('Display units') })
  .nullable();

/** An event in short; null for none. For the schema, see {@link LatestEventReply}. */
export const showLatest = (latest: EventRecord | null): z.output<typeof LatestEventReply> => {
  if (latest === null) return null;
  const { event_type, actor, amount, decimals } = latest;
  return { event_type, actor, amount: displayNumber(amount, decimals) };
};

/** {@link showLatest} of a record's last event. */
export const latestEvent = async (
  store: StoreReader,
  id: string,
): Promise<z.output<typeof LatestEventReply>> => showLatest(await lastEvent(store, id));

/** Events as a table. */
export const tableOfEvents = (
  events: readonly z.output<typeof EventReply>[],
  show: (units: string) => string,
): ViewBlock => ({
  kind: 'table',
  head: [column.key('Event'), column.amount('Amount'), column.date('When'), column.txid('Transaction')],
  rows: events.map((row) => [
    row.event_type,
    row.amountOnChain === '0' ? '' : show(row.amountOnChain),
    showDate(row.created_at),
    row.tx_hash ?? '',
  ]),
});
