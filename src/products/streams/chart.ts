/** A stream's curve as text. */

export type Chart = {
  /** Corners of the curve in order of time; `share` from 0 to 1. */
  readonly points: readonly { readonly time: number; readonly share: number }[];
  /** Unix seconds. */
  readonly now: number;
  /** Share that was claimed, from 0 to 1. */
  readonly claimed: number;
};

const COLUMNS = 60;
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

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

const cellAt = ({ points, now, claimed }: Chart, row: number, time: number): string => {
  const floor = (row - 0.5) / ROWS;
  if (shareAt(points, time) < floor) return ' ';
  if (time > now) return '.';
  return floor <= claimed ? '#' : '+';
};

/** The lines of a chart: claimed, claimable and what is to come, with a mark under today. */
export const drawCurve = (chart: Chart): string => {
  const first = chart.points[0]?.time ?? 0;
  const last = chart.points.at(-1)?.time ?? first;
  const timeOf = (column: number) => first + ((last - first) * column) / (COLUMNS - 1);
  const columns = Array.from({ length: COLUMNS }, (_, column) => timeOf(column));
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const row = ROWS - index;
    const label = row % 5 === 0 ? `${(row * 100) / ROWS} %` : '';
    return `${label.padStart(MARGIN - 2)} |${columns.map((time) => cellAt(chart, row, time)).join('')}`;
  });
  const today = Math.round(((chart.now - first) / Math.max(1, last - first)) * (COLUMNS - 1));
  const place = Math.min(COLUMNS - 1, Math.max(0, today));
  const axis = Array.from({ length: COLUMNS }, (_, column) => (column === place ? '^' : '-')).join('');
  const [left, right] = [dayOf(first), dayOf(last)];
  return [
    ...rows.map((row) => row.trimEnd()),
    `${'0 %'.padStart(MARGIN - 2)} +${axis}`,
    `${' '.repeat(MARGIN)}${left}${right.padStart(COLUMNS - left.length)}`,
    `${' '.repeat(MARGIN)}# claimed   + claimable   . to come   ^ ${dayOf(chart.now)}`,
  ].join('\n');
};
