/** Tables as text. A row stays one line, but for sentences, which wrap within their column. */
import { toColumn } from '../operation/columns.js';
import type { ViewBlock } from '../operation/define.js';
import { fit, GAP, gaps, lay, sum, wraps, type Filled, type Laid } from './fit-table.js';
import { columnName } from './flags.js';
import type { Painter } from './output.js';
import { ADDRESS, cutTo, plainLine, widthOf, wrapTo } from './plain-text.js';
import { NO_SCREEN, type Screen } from './screen.js';
import { toneOf } from './states.js';

export type TableBlock = Extract<ViewBlock, { readonly kind: 'table' }>;

/** A text as a link, where the terminal knows them. */
const linked = (text: string, url: string): string => `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`;

const HASH = /^[0-9a-f]{64}$/;

/** Where a cell leads; null: nowhere. */
export const linkOf = (cell: string, isTransaction: boolean, { linkTo }: Screen): string | null => {
  if (linkTo === null) return null;
  const [address, ...others] = cell.match(ADDRESS) ?? [];
  if (address !== undefined) return others.length === 0 ? linkTo('address', address) : null;
  return isTransaction && HASH.test(cell) ? linkTo('tx', cell) : null;
};

export const withLink = (text: string, url: string | null): string =>
  url === null || text === '' ? text : linked(text, url);

type Styled = { readonly block: TableBlock; readonly paint: Painter; readonly screen: Screen };

/** One cell in its lines, styled, each with its width. */
const drawCell = (
  { shown, texts, widths }: Laid,
  [line, index]: readonly [line: number, index: number],
  { block: { tones = {} }, paint, screen }: Styled,
): readonly { readonly text: string; readonly width: number }[] => {
  const column = shown[index];
  const text = texts[index]?.[line] ?? '';
  const room = widths[index] ?? 0;
  const lines =
    column !== undefined && wraps(column.kind) && room < widthOf(text)
      ? wrapTo(text, room)
      : [cutTo(text, room)];
  const whole = column?.cells[line - 1] ?? '';
  const tone = Object.hasOwn(tones, whole)
    ? tones[whole]
    : column?.kind === 'state'
      ? toneOf(whole)
      : undefined;
  const url = line === 0 ? null : linkOf(whole, column?.kind === 'txid', screen);
  return lines.map((one) => {
    const painted = line === 0 ? paint('bold', one) : tone === undefined ? one : paint(tone, one);
    return { text: withLink(painted, url), width: widthOf(one) };
  });
};

const drawRow = (laid: Laid, line: number, styled: Styled): readonly string[] => {
  const cells = laid.shown.map((_, index) => drawCell(laid, [line, index], styled));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    cells
      .map((lines, index) => {
        const { text, width } = lines[row] ?? { text: '', width: 0 };
        const pad = ' '.repeat(Math.max(0, (laid.widths[index] ?? 0) - width));
        if (laid.shown[index]?.kind === 'amount') return pad + text;
        return index === cells.length - 1 ? text : text + pad;
      })
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
};

/** The columns that were asked for, in that order; all of them in a table that has none of those. */
const chosenOf = (columns: readonly Filled[], { chosen }: Screen): readonly Filled[] => {
  const asked = (chosen ?? []).flatMap((name) => columns.filter(({ title }) => columnName(title) === name));
  return asked.length === 0 ? columns : asked.map((one) => ({ ...one, rank: 0 }));
};

/**
 * The rows below each other, each with what has to be read whole in lines of its own. For tables that have such a column
 * and no room for it.
 */
const drawStacked = (columns: readonly Filled[], rows: number, room: number, paint: Painter): string => {
  const [whole, ...others] = columns.toSorted(
    (a, b) => Number(b.kind === 'whole') - Number(a.kind === 'whole'),
  );
  const indented = (text: string, indent: number) =>
    wrapTo(text, room - indent).map((line) => ' '.repeat(indent) + line);
  const lines = Array.from({ length: rows }, (_, row) => {
    const rest = others.flatMap(({ title, cells }) =>
      (cells[row] ?? '') === '' ? [] : [`${title} ${cells[row]}`],
    );
    return [...indented(whole?.cells[row] ?? '', GAP), ...indented(rest.join('  '), 2 * GAP)];
  });
  return [paint('bold', whole?.title ?? ''), ...lines.flat()].join('\n');
};

/** A table with rows, and the titles of the columns that there was no room for. */
export const drawTable = (
  block: TableBlock,
  paint: Painter,
): { readonly text: string; readonly hidden: readonly string[] } => {
  const screen = paint.screen ?? NO_SCREEN;
  const columns = block.head.map(toColumn).map((column, place) => ({
    ...column,
    place,
    title: plainLine(column.title),
    cells: block.rows.map((row) => plainLine(row[place] ?? '')),
  }));
  const chosen = chosenOf(columns, screen);
  const room = screen.columns ?? Infinity;
  const natural = lay({ shown: chosen, length: 'short', least: Infinity }, room, screen.names);
  if (chosen.some(({ kind }) => kind === 'whole') && sum(natural.naturals) + gaps(chosen.length) > room)
    return { text: drawStacked(chosen, block.rows.length, room, paint), hidden: [] };
  const laid = fit(chosen, screen);
  const lines = [...Array(block.rows.length + 1).keys()].flatMap((line) =>
    drawRow(laid, line, { block, paint, screen }),
  );
  const hidden =
    screen.chosen !== null
      ? []
      : columns.filter(({ place }) => !laid.shown.some((one) => one.place === place));
  return { text: lines.join('\n'), hidden: hidden.map(({ title }) => title) };
};
