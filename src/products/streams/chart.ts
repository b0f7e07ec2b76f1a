/** A stream's curve as text. */
import { showDate } from '../../bch/show-date.js';

export type Chart = {
  /** Corners of the curve in order of time; `share` from 0 to 1. */
  readonly points: readonly { readonly time: number; readonly share: number }[];
  /** Unix seconds. */
  readonly now: number;
  /** Share that was claimed, from 0 to 1. */
  readonly claimed: number;
};

/** Columns of the curve itself, at most and at least. */
const WIDEST = 60;
const NARROWEST = 24;
const ROWS = 10;
const MARGIN = 7;

/** The share of a curve at a time: after the last of the corners that are not later, on the way to the next. */
const shareAt = (points: Chart['points'], time: number): number => {
  const index = points.findLastIndex((point) => point.time <= time);
  const before = points[index];
  const after = points[index + 1];
  if (before === undefined) return 0;
  if (after === undefined || after.time === before.time) return before.share;
  return before.share + ((after.share - before.share) * (time - before.time)) / (after.time - before.time);
};

/** In the machine's time zone. */
const dayOf = (seconds: number): string => showDate(seconds).slice(0, 10);

const cellAt = ({ points, now, claimed }: Chart, row: number, time: number): string => {
  const floor = (row - 0.5) / ROWS;
  if (shareAt(points, time) < floor) return ' ';
  if (time > now) return '.';
  return floor <= claimed ? '#' : '+';
};

const SIGNS = ['# claimed', '+ claimable', '. to come'];

/** What the signs mean, in as many lines as it takes. */
const legend = (today: string, width: number): readonly string[] => {
  const all = [...SIGNS, `^ ${today}`];
  const line = all.join('   ');
  const lines = line.length <= width ? [line] : [all.slice(0, 2).join('   '), all.slice(2).join('   ')];
  return lines.map((one) => ' '.repeat(MARGIN) + one);
};

/**
 * The lines of a chart: claimed, claimable and what is to come, with a mark under today.
 *
 * @param columns room for it; it takes 31 at least
 */
export const drawCurve = (chart: Chart, columns: number = WIDEST + MARGIN): string => {
  const width = Math.min(WIDEST, Math.max(NARROWEST, columns - MARGIN));
  const first = chart.points[0]?.time ?? 0;
  const last = chart.points.at(-1)?.time ?? first;
  const timeOf = (column: number) => first + ((last - first) * column) / (width - 1);
  const times = Array.from({ length: width }, (_, column) => timeOf(column));
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const row = ROWS - index;
    const label = row % 5 === 0 ? `${(row * 100) / ROWS} %` : '';
    return `${label.padStart(MARGIN - 2)} |${times.map((time) => cellAt(chart, row, time)).join('')}`;
  });
  const today = Math.round(((chart.now - first) / Math.max(1, last - first)) * (width - 1));
  const place = Math.min(width - 1, Math.max(0, today));
  const axis = Array.from({ length: width }, (_, column) => (column === place ? '^' : '-')).join('');
  const [left, right] = [dayOf(first), dayOf(last)];
  return [
    ...rows.map((row) => row.trimEnd()),
    `${'0 %'.padStart(MARGIN - 2)} +${axis}`,
    `${' '.repeat(MARGIN)}${left}${right.padStart(width - left.length)}`,
    ...legend(dayOf(chart.now), width),
  ].join('\n');
};
