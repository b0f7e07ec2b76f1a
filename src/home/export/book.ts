/** The book: every movement of the store in order, and what each record and each asset holds before and after. */
import { BCH_DECIMALS } from '../../bch/amount.js';
import { tokenAsset } from '../../record/assets.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import { eventCollection, type EventRecord } from '../../record/events.js';
import type { Worded } from '../../record/own-words.js';
import type { Flow, Movement } from '../../record/movement.js';
import type { StoreReader } from '../../operation/ports/store.js';

/** A movement with the words for people. */
export type Entry = Pick<Movement, 'flow' | 'party' | 'amount'> & {
  readonly event: EventRecord;
  readonly label: string;
  /** What its account is called: of what has a name of its own, its label, since two may have one name. */
  readonly account: string;
  /** What the maker of the record calls and notes it. */
  readonly own: Worded;
  /** `BCH`, or the category. */
  readonly asset: string;
  readonly decimals: number;
  /** USD per BCH when it was seen; null when it was not known. */
  readonly usd: number | null;
};

/** Smallest units of one asset over a span of time: opening + in - out - back = closing. */
export type Sum = Readonly<Record<Flow, bigint>> & {
  readonly opening: bigint;
  readonly closing: bigint;
  readonly asset: string;
  readonly decimals: number;
};
export type LabelSum = Sum & { readonly label: string; readonly account: string };

/** From the first second to the last, unix seconds. */
export type Span = { readonly from: number; readonly to: number };

const BCH = 'BCH';

const priceOf = ({ details }: EventRecord): number | null => {
  const { usd } = (details['price'] ?? {}) as { readonly usd?: unknown };
  return typeof usd === 'number' ? usd : null;
};

const signed = ({ flow, amount }: Pick<Movement, 'flow' | 'amount'>): bigint =>
  flow === 'in' ? amount : -amount;

/** The movements that an event tells of: none of nothing, and none without a transaction. */
export const movementsOf = (
  { movements }: Pick<Deployable, 'movements'>,
  event: EventRecord,
  record: CovenantRecord | null,
  held: bigint,
): readonly Movement[] =>
  event.tx_hash === null ? [] : movements(event, record, held).filter(({ amount }) => amount > 0n);

/**
 * Every movement of the store, oldest first.
 *
 * Events are read in the order in which they were written, which is that of the chain: their times are not, while one
 * is in a block and the next still waits.
 */
export const readBook = async (
  deployables: readonly Deployable[],
  store: StoreReader,
): Promise<readonly Entry[]> => {
  const held = new Map<string, bigint>();
  const products = new Map(deployables.map((deployable) => [deployable.entityType, deployable]));
  const { items: events } = await store.find(eventCollection, { order: 'oldest' });
  const entries: Entry[] = [];
  for (const event of events) {
    const { entity_type: type, entity_id: id } = event;
    const product = products.get(type);
    if (product === undefined) continue;
    const record = (await store.get(product.collection, id)) as CovenantRecord | null;
    const before = held.get(id) ?? 0n;
    const movements = movementsOf(product, event, record, before);
    held.set(
      id,
      movements.reduce((sum, movement) => sum + signed(movement), before),
    );
    const label = record === null ? `${type} ${id}` : product.label(record);
    const account = record === null ? label : (product.otherNames(record)[0] ?? label);
    const { own_label = null, own_note = null } = (record ?? {}) as Partial<Worded>;
    for (const { category, decimals, ...movement } of movements)
      entries.push({
        ...movement,
        event,
        label,
        account,
        own: { own_label, own_note },
        asset: category ?? BCH,
        decimals:
          decimals ?? (category === null ? BCH_DECIMALS : (await tokenAsset(category, store)).decimals),
        usd: priceOf(event),
      });
  }
  return entries.sort((a, b) => a.event.created_at - b.event.created_at);
};

/** The entries of a span. */
export const entriesIn = (book: readonly Entry[], { from, to }: Span): readonly Entry[] =>
  book.filter(({ event }) => event.created_at >= from && event.created_at <= to);

const sumOf = (entries: readonly Entry[], { from, to }: Span): Omit<Sum, 'asset' | 'decimals'> => {
  const within = entriesIn(entries, { from, to });
  const opening = entries
    .filter(({ event }) => event.created_at < from)
    .reduce((sum, entry) => sum + signed(entry), 0n);
  const total = (flow: Flow): bigint =>
    within.filter((entry) => entry.flow === flow).reduce((sum, { amount }) => sum + amount, 0n);
  const flows = { in: total('in'), out: total('out'), back: total('back') };
  return { opening, ...flows, closing: opening + flows.in - flows.out - flows.back };
};

const groupBy = (book: readonly Entry[], key: (entry: Entry) => string): readonly (readonly Entry[])[] => {
  const groups = new Map<string, Entry[]>();
  for (const entry of book) {
    const group = groups.get(key(entry)) ?? [];
    groups.set(key(entry), [...group, entry]);
  }
  return [...groups.values()];
};

/** The sums of each record and asset that had moved by the end of the span. */
export const sumByLabel = (book: readonly Entry[], span: Span): readonly LabelSum[] =>
  groupBy(
    book.filter(({ event }) => event.created_at <= span.to),
    ({ event, asset }) => `${event.entity_id} ${asset}`,
  ).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { label, account, asset, decimals } = first;
    return [{ label, account, asset, decimals, ...sumOf(group, span) }];
  });
