/**
 * Slots in the order their records were first put, kept in chunks: adding, removing and skipping to a page cost
 * about the same at a hundred slots as at a hundred thousand (one flat array would be moved with every removal).
 */

/** The place of a record: it stays when the record changes. `order` grows with every first put. */
export type Slot<Row> = { readonly id: string; readonly order: number; row: Row };

export type OrderedSlots<Row> = { readonly chunks: Slot<Row>[][]; size: number };

/** A full chunk is split in two, so that no splice moves more than this. */
const LARGEST_CHUNK = 512;

export const createOrderedSlots = <Row>(): OrderedSlots<Row> => ({ chunks: [], size: 0 });

/** The first index from `low` to `high` where `isAfter` holds; it must hold for all that follow. */
const firstWhere = (high: number, isAfter: (index: number) => boolean): number => {
  let low = 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Index of the chunk that holds `order`, or would. */
const chunkFor = <Row>({ chunks }: OrderedSlots<Row>, order: number): number =>
  Math.max(0, firstWhere(chunks.length, (index) => (chunks[index]?.[0]?.order ?? 0) > order) - 1);

const positionIn = <Row>(chunk: readonly Slot<Row>[], order: number): number =>
  firstWhere(chunk.length, (index) => (chunk[index]?.order ?? 0) >= order);

/** Adds a slot at its place. */
export const addSlot = <Row>(list: OrderedSlots<Row>, slot: Slot<Row>): void => {
  const index = chunkFor(list, slot.order);
  const chunk = list.chunks[index];
  list.size += 1;
  if (chunk === undefined) {
    list.chunks.push([slot]);
    return;
  }
  chunk.splice(positionIn(chunk, slot.order), 0, slot);
  if (chunk.length <= LARGEST_CHUNK) return;
  // Most slots come last: then the old chunk stays full and the new one begins with the newcomer.
  const isLast = chunk.at(-1) === slot;
  list.chunks.splice(index + 1, 0, chunk.splice(isLast ? LARGEST_CHUNK : LARGEST_CHUNK / 2));
};

/** Takes a slot out; nothing happens when it is not there. */
export const removeSlot = <Row>(list: OrderedSlots<Row>, slot: Slot<Row>): void => {
  const index = chunkFor(list, slot.order);
  const chunk = list.chunks[index] ?? [];
  const position = positionIn(chunk, slot.order);
  if (chunk[position] !== slot) return;
  list.size -= 1;
  chunk.splice(position, 1);
  if (chunk.length === 0) list.chunks.splice(index, 1);
};

/** All slots, newest or oldest first. */
export function* walkSlots<Row>(list: OrderedSlots<Row>, order: 'newest' | 'oldest'): Generator<Slot<Row>> {
  const { chunks } = list;
  if (order === 'oldest') {
    for (const chunk of chunks) yield* chunk;
    return;
  }
  for (let index = chunks.length - 1; index >= 0; index -= 1) {
    const chunk = chunks[index] ?? [];
    for (let position = chunk.length - 1; position >= 0; position -= 1) yield chunk[position] as Slot<Row>;
  }
}

/** The slots of a page: whole chunks are skipped, not walked. */
export const pageOfSlots = <Row>(
  list: OrderedSlots<Row>,
  order: 'newest' | 'oldest',
  offset: number,
  limit: number,
): Slot<Row>[] => {
  const chunks = order === 'newest' ? list.chunks.toReversed() : list.chunks;
  const page: Slot<Row>[] = [];
  let skip = offset;
  for (const chunk of chunks) {
    if (page.length >= limit) break;
    const wanted = limit - page.length;
    if (skip < chunk.length) {
      const [from, to] = [skip, skip + wanted];
      page.push(...(order === 'newest' ? chunk.toReversed() : chunk).slice(from, to));
    }
    skip = Math.max(0, skip - chunk.length);
  }
  return page;
};
