/** The book: every movement of the store in order, and what each record and each asset holds before and after. */
import { BCH_DECIMALS } from '../../bch/amount.js';
import { tokenAsset } from '../../record/assets.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import { eventCollection, type EventRecord } from '../../record/events.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { movementsOf, type Flow, type Movement } from './movement.js';

/** A movement with the words for people. */
export type Entry = Movement & {
  readonly label: string;
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
export type LabelSum = Sum & { readonly label: string };

/** From the first second to the last, unix seconds. */
export type Span = { readonly from: number; readonly to: number };

const EVERY = Number.MAX_SAFE_INTEGER;
const BCH = 'BCH';

/** The record behind an event, and the product that knows it; null for records without a contract of their own. */
const findRecord = (
  deployables: readonly Deployable[],
  store: StoreReader,
  id: string,
): { readonly deployable: Deployable; readonly record: CovenantRecord } | null => {
  for (const deployable of deployables) {
    const record = store.get(deployable.collection, id) as CovenantRecord | null;
    if (record !== null) return { deployable, record };
  }
  return null;
};

const priceOf = ({ details }: EventRecord): number | null => {
  const { usd } = (details['price'] ?? {}) as { readonly usd?: unknown };
  return typeof usd === 'number' ? usd : null;
};

const signed = ({ flow, amount }: Pick<Movement, 'flow' | 'amount'>): bigint =>
  flow === 'in' ? amount : -amount;

/**
 * Every movement of the store, oldest first.
 *
 * Events are read in the order in which they were written, which is that of the chain: their times are not, while one
 * is in a block and the next still waits.
 */
export const readBook = (deployables: readonly Deployable[], store: StoreReader): readonly Entry[] => {
  const held = new Map<string, bigint>();
  const { items: events } = store.find(eventCollection, { order: 'oldest', limit: EVERY });
  const entries = events.flatMap((event) => {
    const found = findRecord(deployables, store, event.entity_id);
    const category = found === null ? null : found.deployable.tokenCategory(found.record);
    const parties = found === null ? {} : found.deployable.parties(found.record);
    const before = held.get(event.entity_id) ?? 0n;
    const movements = movementsOf(event, { category, parties, held: before });
    held.set(
      event.entity_id,
      movements.reduce((sum, movement) => sum + signed(movement), before),
    );
    const label =
      found === null ? `${event.entity_type} ${event.entity_id}` : found.deployable.label(found.record);
    return movements.map((movement) => ({
      ...movement,
      label,
      asset: movement.category ?? BCH,
      decimals: decimalsOf(movement, category, store),
      usd: priceOf(event),
    }));
  });
  return entries.sort((a, b) => a.event.created_at - b.event.created_at);
};

/** The decimals pinned on the record for its own asset; what the registry says of a token that a vault holds. */
const decimalsOf = ({ event, category }: Movement, own: string | null, store: StoreReader): number => {
  if (category === null) return BCH_DECIMALS;
  const isPinned = category === own || event.event_type === 'locked' || event.event_type === 'unlocked';
  return isPinned ? event.decimals : tokenAsset(category, store).decimals;
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
    const { label, asset, decimals } = first;
    return [{ label, asset, decimals, ...sumOf(group, span) }];
  });
