/**
 * Lists of records as a snapshot's file has them: the place of every record, and which records stand under a value.
 * Both are text, sorted, and searched where they lie: nothing is read of them but what is looked for.
 *
 * A record is named by its order, the number of its first put.
 */

/** Orders of records, ascending. */
export type OrderList = {
  readonly size: number;
  readonly at: (index: number) => number;
  readonly has: (order: number) => boolean;
};

/** Where a document stands in the file (bytes), and its checksum. */
export type Place = {
  readonly order: number;
  readonly at: number;
  readonly length: number;
  readonly checksum: string;
};

/** All records of a collection. */
export type Places = OrderList & {
  readonly place: (index: number) => Place;
  /** The index of an order, -1 when it is not there. */
  readonly indexOf: (order: number) => number;
};

export const NO_ORDERS: OrderList = { size: 0, at: () => -1, has: () => false };

const LINE_FEED = 10;
/** Stands between two lines of a list. */
export const BETWEEN = Buffer.from(',\n');

/** The first index from 0 to `end` where `isAfter` holds, else `end`; it must hold for all that follow. */
const firstWhere = (end: number, isAfter: (index: number) => boolean): number => {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Digits of an order, of a place and of a length: a line of places is always as long. */
const [ORDER, AT, LENGTH] = [12, 15, 10];
const PLACE_LINE = `[${' '.repeat(ORDER)},${' '.repeat(AT)},${' '.repeat(LENGTH)},"00000000"]`.length;
const STRIDE = PLACE_LINE + BETWEEN.length;

/** The line of a place, such as `[           7,           1024,       312,"9d1c03fa"]`. */
export const placeLine = ({ order, at, length, checksum }: Place): string =>
  `[${String(order).padStart(ORDER)},${String(at).padStart(AT)},${String(length).padStart(LENGTH)},"${checksum}"]`;

/** Reads lines of places. */
export const placesIn = (lines: Buffer): Places => {
  const size = Math.ceil(lines.length / STRIDE);
  const at = (index: number): number => {
    const from = index * STRIDE + 1;
    return Number(lines.toString('latin1', from, from + ORDER));
  };
  const indexOf = (order: number): number => {
    const index = firstWhere(size, (candidate) => at(candidate) >= order);
    return index < size && at(index) === order ? index : -1;
  };
  return {
    size,
    at,
    indexOf,
    has: (order) => indexOf(order) !== -1,
    place: (index) => {
      const line = lines.toString('latin1', index * STRIDE, index * STRIDE + PLACE_LINE);
      const [order, from, length, checksum] = JSON.parse(line) as [number, number, number, string];
      return { order, at: from, length, checksum };
    },
  };
};

/** Orders in a line; a value that has more has more lines. */
const IN_LINE = 512;

/** With what every line of a value begins. No such beginning begins another. */
export const beginningOf = (value: string): Buffer => Buffer.from(`[${JSON.stringify(value)},`);

/** The lines of a value, such as `["ACTIVE",[3,7,12]]`; none where there are no orders. */
export const valueLines = (value: string, orders: readonly number[]): string[] =>
  Array.from({ length: Math.ceil(orders.length / IN_LINE) }, (_, line) =>
    JSON.stringify([value, orders.slice(line * IN_LINE, (line + 1) * IN_LINE)]),
  );

/** Where the line after the one at `at` begins. */
const nextLine = (lines: Buffer, at: number): number => {
  const end = lines.indexOf(LINE_FEED, at);
  return end === -1 ? lines.length : end + 1;
};

const isAt = (lines: Buffer, at: number, beginning: Buffer): number =>
  lines.compare(beginning, 0, beginning.length, at, Math.min(lines.length, at + beginning.length));

/** From where to where the lines of a value stand, or would. */
export const rangeOf = (lines: Buffer, beginning: Buffer): readonly [from: number, to: number] => {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const line = Math.max(low, middle === 0 ? 0 : lines.lastIndexOf(LINE_FEED, middle - 1) + 1);
    if (isAt(lines, line, beginning) < 0) low = nextLine(lines, line);
    else high = line;
  }
  let end = low;
  while (end < lines.length && isAt(lines, end, beginning) === 0) end = nextLine(lines, end);
  return [low, end];
};

/** The orders that stand under a value in sorted lines. */
export const ordersUnder = (lines: Buffer, value: string): OrderList => {
  const beginning = beginningOf(value);
  const [from, to] = rangeOf(lines, beginning);
  if (from === to) return NO_ORDERS;
  const starts: number[] = [];
  for (let at = from; at < to; at = nextLine(lines, at)) starts.push(at);
  const read: (readonly number[] | undefined)[] = [];
  const parse = (index: number): number[] => {
    const start = (starts[index] ?? to) + beginning.length;
    return JSON.parse(lines.toString('latin1', start, lines.indexOf(']', start) + 1)) as number[];
  };
  const line = (index: number): readonly number[] => (read[index] ??= parse(index));
  const full = starts.length - 1;
  return {
    size: full * IN_LINE + line(full).length,
    at: (index) => line(Math.floor(index / IN_LINE))[index % IN_LINE] ?? -1,
    has: (order) => {
      const holder = firstWhere(starts.length, (index) => (line(index).at(-1) ?? 0) >= order);
      if (holder === starts.length) return false;
      const orders = line(holder);
      return orders[firstWhere(orders.length, (index) => (orders[index] ?? 0) >= order)] === order;
    },
  };
};
