/**
 * What columns a table has on a screen, and how wide they are: first addresses and hashes are shortened, then columns of
 * detail go, then long texts are cut and further columns left out, by their rank. What a row is called by stays whole.
 */
import type { Column } from '../operation/columns.js';
import { ADDRESS, shortened, widthOf } from './plain-text.js';
import type { Screen } from './screen.js';

/** One column with its cells, top to bottom. */
export type Filled = Column & { readonly cells: readonly string[]; readonly place: number };

/** What is tried, in turn: which columns, whether hashes are short, and how narrow texts may get. */
type Layout = { readonly shown: readonly Filled[]; readonly length: Length; readonly least: number };

/** How an address is shown: whole, as its ends, or as the name of whoever it is of where there is one. */
type Length = 'whole' | 'short' | 'name';

export const GAP = 2;

/** Sentences narrower than this are not read any more. */
const LEAST_PROSE = 16;
const ROOMY = 24;
const TIGHT = 10;
const TIGHTEST = 4;

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const widest = (cells: readonly string[]): number => Math.max(0, ...cells.map(widthOf));

/**
 * A name before what it names: shortened, the address says only that it is the right one. A row that has the name already
 * needs no other.
 */
const named = (cell: string, row: readonly string[], { names, length }: Naming): string =>
  cell.replace(ADDRESS, (address) => {
    const name = names.get(address);
    const shown = length === 'whole' ? address : shortened(address);
    if (name === undefined || row.some((other) => other === name || other.endsWith(` (${name})`)))
      return shown;
    return length === 'name' ? name : `${name} ${shown}`;
  });

/** Who is called what, and how much of an address is shown. */
type Naming = { readonly names: Screen['names']; readonly length: Length };

const textsOf = (
  { title, cells, kind }: Filled,
  columns: readonly Filled[],
  naming: Naming,
): readonly string[] => [
  title,
  ...cells.map((cell, line) => {
    if (kind === 'whole') return cell;
    const row = columns.map((column) => column.cells[line] ?? '');
    const full = named(cell, row, naming);
    return naming.length === 'whole' ? full : shortened(full);
  }),
];

/** True for what goes on in another line. */
export const wraps = (kind: Column['kind']): boolean => kind === 'prose' || kind === 'whole';

/** How narrow a column may get. */
const leastOf = ({ kind, rank }: Filled, natural: number, least: number): number => {
  if (rank === 0 && kind === 'text' && least > TIGHTEST) return natural;
  if (wraps(kind)) return Math.min(natural, Math.max(least, LEAST_PROSE));
  return kind === 'text' ? Math.min(natural, least) : natural;
};

/** Without the last column of the highest rank; null when all of them stay whatever happens. */
const without = (shown: readonly Filled[], rank: number): readonly Filled[] | null => {
  const last = shown.findLastIndex((one) => one.rank === rank);
  return last === -1 ? null : shown.filter((_, index) => index !== last);
};

/** The same with ever fewer columns of a rank. */
const dropping = (from: Layout, rank: number): readonly Layout[] => {
  const fewer = without(from.shown, rank);
  if (fewer === null) return [];
  const next = { ...from, shown: fewer };
  return [next, ...dropping(next, rank)];
};

const attempts = (columns: readonly Filled[]): readonly Layout[] => {
  const all: Layout = { shown: columns, length: 'whole', least: Infinity };
  const short: Layout = { ...all, length: 'short' };
  const detail = [short, ...dropping(short, 3)];
  const roomy: Layout = { ...(detail.at(-1) ?? short), least: ROOMY };
  const further = [roomy, ...dropping(roomy, 2)];
  const tight: Layout = { ...(further.at(-1) ?? roomy), length: 'name', least: TIGHT };
  const fewest = [tight, ...dropping(tight, 1)];
  return [all, ...detail, ...further, ...fewest, { ...(fewest.at(-1) ?? tight), least: TIGHTEST }];
};

export const gaps = (count: number): number => GAP * Math.max(0, count - 1);

/** The widths that columns get: what is too much is taken from the widest of those that may give. */
const widthsOf = (
  naturals: readonly number[],
  leasts: readonly number[],
  columns: number,
): readonly number[] => {
  const widths = [...naturals];
  let excess = sum(widths) + gaps(widths.length) - columns;
  while (excess > 0) {
    const giving = widths.map((width, index) => (width > (leasts[index] ?? width) ? width : 0));
    const most = Math.max(...giving);
    if (most === 0) break;
    const index = giving.indexOf(most);
    widths[index] = most - 1;
    excess -= 1;
  }
  return widths;
};

export type Laid = {
  readonly shown: readonly Filled[];
  readonly texts: readonly (readonly string[])[];
  readonly widths: readonly number[];
  /** What each column would take. */
  readonly naturals: readonly number[];
};

export const lay = (
  { shown, length, least }: Layout,
  columns: number,
  names: Screen['names'],
): Laid & { readonly fits: boolean } => {
  const texts = shown.map((one) => textsOf(one, shown, { names, length }));
  const naturals = texts.map(widest);
  const leasts = shown.map((one, index) => leastOf(one, naturals[index] ?? 0, least));
  return {
    shown,
    texts,
    naturals,
    widths: widthsOf(naturals, leasts, columns),
    fits: sum(leasts) + gaps(leasts.length) <= columns,
  };
};

export const fit = (columns: readonly Filled[], { columns: room, names }: Screen): Laid => {
  if (room === null) return lay({ shown: columns, length: 'whole', least: Infinity }, Infinity, new Map());
  const tried = attempts(columns);
  for (const layout of tried) {
    const laid = lay(layout, room, names);
    if (laid.fits) return laid;
  }
  const narrowest = lay(tried.at(-1) ?? { shown: columns, length: 'name', least: TIGHTEST }, room, names);
  return { ...narrowest, widths: narrowest.widths.map((width) => Math.min(width, room)) };
};
