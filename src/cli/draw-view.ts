/** Views drawn as text: tables and sentences for people. */
import CliTable, { type CharName } from 'cli-table3';
import type { View, ViewBlock } from '../operation/define.js';
import type { Output, Painter } from './output.js';

const EDGES: readonly CharName[] = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
  'middle',
];

/** No lines: columns stand two spaces apart, so that what is shown can be cut and pasted. */
const borderless = {
  chars: Object.fromEntries(EDGES.map((edge) => [edge, edge === 'middle' ? '  ' : ''])),
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
};

const drawRows = (rows: readonly (readonly string[])[]): string => {
  const table = new CliTable(borderless);
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
};

type TableBlock = Extract<ViewBlock, { readonly kind: 'table' }>;

const tonedRows = ({ rows, tones = {} }: TableBlock, paint: Painter): readonly (readonly string[])[] =>
  rows.map((row) =>
    row.map((cell) => {
      const tone = Object.hasOwn(tones, cell) ? tones[cell] : undefined;
      return tone === undefined ? cell : paint(tone, cell);
    }),
  );

/** Draws a QR code; null when none is wanted. */
type DrawQr = Output['drawQr'];

/** A block as text; null for what is not shown (a picture), or not part of the data (a next step). */
export const drawBlock = (block: ViewBlock, paint: Painter, drawQr: DrawQr = null): string | null => {
  switch (block.kind) {
    case 'text':
      return block.text;
    case 'facts':
      return drawRows(block.rows.map(([label, value]) => [paint('dim', label), value]));
    case 'table':
      return block.rows.length === 0
        ? (block.empty ?? 'Nothing yet.')
        : drawRows([block.head.map((title) => paint('bold', title)), ...tonedRows(block, paint)]);
    case 'qr':
      return drawQr === null ? null : drawQr(block.address, paint);
    case 'next':
      return null;
  }
};

/** The blocks of a view that are data, a blank line between them. */
export const drawView = (view: View, paint: Painter, drawQr: DrawQr = null): string =>
  view
    .map((block) => drawBlock(block, paint, drawQr))
    .filter((text): text is string => text !== null && text !== '')
    .join('\n\n');

/** A shell takes what follows a `#` for a comment; labels are accepted without it. */
const pastable = (command: string): string =>
  command.replace(/^treasury /, '').replace(/(?<= )#(?=[A-Z]+-\d)/g, '');

/** The next steps that a view suggests, one line each, to be cut and pasted. */
export const nextSteps = (view: View): readonly string[] =>
  view.flatMap((block) =>
    block.kind === 'next' ? [`Next: treasury ${pastable(block.command)}  (${block.why})`] : [],
  );
