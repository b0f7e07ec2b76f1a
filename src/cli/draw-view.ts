/** Views drawn as text, tables and sentences for people; and a decent view of any reply that brings none of its own. */
import CliTable, { type CharName } from 'cli-table3';
import { readAmount } from '../bch/amount.js';
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

type Json = Readonly<Record<string, unknown>>;

/** Too long to be read, or of use to programs only; `--json` has them. */
const UNREADABLE = [
  'wcTransaction',
  'preparationTransaction',
  'success',
  'warnings',
  'message',
  'state',
  'retryable',
];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPlain = (value: unknown): boolean =>
  !isObject(value) && !(Array.isArray(value) && value.some((item) => typeof item === 'object'));

const show = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(show).join(', ');
  if (typeof value === 'number') return readAmount(value)?.decimal ?? String(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** `maxRewardAmount` and `max_reward_amount` as `max reward amount`. */
const title = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/_/g, ' ')
    .toLowerCase();

const listBlock = (name: string, items: readonly unknown[]): ViewBlock => {
  const rows = items.filter(isObject);
  const columns = [...new Set(rows.flatMap(Object.keys))].filter((column) =>
    rows.every((row) => isPlain(row[column])),
  );
  return {
    kind: 'table',
    head: columns.map(title),
    rows: rows.map((row) => columns.map((column) => show(row[column]))),
    empty: `No ${title(name)}.`,
  };
};

const childBlocks = (name: string, value: unknown): readonly ViewBlock[] =>
  isObject(value)
    ? [{ kind: 'text', text: `${title(name)}:` }, ...objectBlocks(value)]
    : Array.isArray(value)
      ? [listBlock(name, value)]
      : [];

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const objectBlocks = (object: Json): readonly ViewBlock[] => {
  const entries = Object.entries(object).filter(
    ([name, value]) => !UNREADABLE.includes(name) && value !== undefined,
  );
  const facts = entries.filter(([, value]) => isPlain(value) && !isEmptyList(value));
  const rest = entries.filter(([, value]) => !isPlain(value) || isEmptyList(value));
  return [
    ...(facts.length === 0
      ? []
      : [
          {
            kind: 'facts' as const,
            rows: facts.map(([name, value]): [string, string] => [title(name), show(value)]),
          },
        ]),
    ...rest.flatMap(([name, value]) => childBlocks(name, value)),
  ];
};

/** The view of a reply that brings none: what it says of itself, then what it holds. */
export const genericView = (reply: Json): View => {
  const { message } = reply;
  const [only, ...others] = Object.entries(reply).filter(([name]) => !UNREADABLE.includes(name));
  const isRecord = only !== undefined && others.length === 0 && isObject(only[1]);
  return [
    ...(typeof message === 'string' ? [{ kind: 'text' as const, text: message }] : []),
    ...objectBlocks(isRecord ? (only[1] as Json) : reply),
  ];
};
