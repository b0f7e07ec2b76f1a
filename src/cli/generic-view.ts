/** A decent view of any reply: facts for what is single, tables for lists. For operations without one of their own. */
import { readAmount } from '../bch/amount.js';
import type { View, ViewBlock } from '../operation/define.js';

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
