/** A decent view of any reply that brings none of its own: amounts with their units and dates, by what its schema says. */
import { BCH_DECIMALS, formatUnits, showNumber } from '../bch/amount.js';
import { showDate } from '../bch/show-date.js';
import { outputSchema, type FieldSchema } from '../operation/coerce.js';
import type { AnyOperation, View, ViewBlock } from '../operation/define.js';

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

/** What is said of the fields of a reply, by their names. */
type Descriptions = Readonly<Record<string, string>>;

const descriptionsIn = (schema: FieldSchema): Descriptions => {
  const { properties = {}, items, anyOf = [] } = schema;
  const children = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])];
  return {
    ...Object.assign({}, ...children.map(descriptionsIn)),
    ...Object.fromEntries(
      Object.entries(properties).flatMap(([name, child]) =>
        child.description === undefined ? [] : [[name, child.description]],
      ),
    ),
  } as Descriptions;
};

/** An amount, or a moment, by what is said of its field: with its unit, and as a date. */
const showKnown = (value: unknown, about: string): string | null => {
  if (typeof value === 'number' && /^BCH\b/.test(about)) return `${showNumber(value)} BCH`;
  if (/^satoshis\b/i.test(about) && /^\d+$/.test(String(value)))
    return `${formatUnits(BigInt(String(value)), BCH_DECIMALS)} BCH`;
  if (typeof value === 'number' && /unix seconds/i.test(about)) return showDate(value);
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
    ? showDate(Math.floor(Date.parse(value) / 1000))
    : null;
};

const show = (value: unknown, about = ''): string => {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((item) => show(item, about)).join(', ');
  const known = showKnown(value, about);
  if (known !== null) return known;
  if (typeof value === 'number') return showNumber(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** The exact figure, in the smallest unit, beside the one that people read. */
const isExactFigure = (name: string, object: Json): boolean =>
  name.endsWith('OnChain') && Object.hasOwn(object, name.slice(0, -'OnChain'.length));

/** `maxRewardAmount` and `max_reward_amount` as `max reward amount`. */
const title = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/_/g, ' ')
    .toLowerCase();

const listBlock = (name: string, items: readonly unknown[], about: Descriptions): ViewBlock => {
  const rows = items.filter(isObject);
  const columns = [...new Set(rows.flatMap(Object.keys))].filter((column) =>
    rows.every((row) => isPlain(row[column]) && !isExactFigure(column, row)),
  );
  return {
    kind: 'table',
    head: columns.map(title),
    rows: rows.map((row) => columns.map((column) => show(row[column], about[column]))),
    empty: `No ${title(name)}.`,
  };
};

const childBlocks = (name: string, value: unknown, about: Descriptions): readonly ViewBlock[] =>
  isObject(value)
    ? [{ kind: 'text', text: `${title(name)}:` }, ...objectBlocks(value, about)]
    : Array.isArray(value)
      ? [listBlock(name, value, about)]
      : [];

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const objectBlocks = (object: Json, about: Descriptions): readonly ViewBlock[] => {
  const entries = Object.entries(object).filter(
    ([name, value]) => !UNREADABLE.includes(name) && value !== undefined && !isExactFigure(name, object),
  );
  const facts = entries.filter(([, value]) => isPlain(value) && !isEmptyList(value));
  const rest = entries.filter(([, value]) => !isPlain(value) || isEmptyList(value));
  return [
    ...(facts.length === 0
      ? []
      : [
          {
            kind: 'facts' as const,
            rows: facts.map(([name, value]): [string, string] => [title(name), show(value, about[name])]),
          },
        ]),
    ...rest.flatMap(([name, value]) => childBlocks(name, value, about)),
  ];
};

/** The view of a reply that brings none: what it says of itself, then what it holds. */
export const genericView = (reply: Json, operation?: Pick<AnyOperation, 'output'>): View => {
  const about = operation === undefined ? {} : descriptionsIn(outputSchema(operation));
  const { message } = reply;
  const [only, ...others] = Object.entries(reply).filter(([name]) => !UNREADABLE.includes(name));
  const isRecord = only !== undefined && others.length === 0 && isObject(only[1]);
  return [
    ...(typeof message === 'string' ? [{ kind: 'text' as const, text: message }] : []),
    ...objectBlocks(isRecord ? (only[1] as Json) : reply, about),
  ];
};
