/** What was answered, for people: units and names in place of numbers and addresses, and nothing that was not asked. */
import { showDuration } from '../../bch/duration.js';
import { showLocalDate } from '../../bch/date.js';
import { DATE_FORMAT, DURATION_FORMAT } from '../../bch/fields.js';
import type { FieldSchema } from '../../operation/coerce.js';
import type { ViewBlock } from '../../operation/define.js';
import { alternatives, itemsOf } from '../fields.js';
import type { RawInput } from '../gather-input.js';
import { TOKEN_CATEGORY, wordsOf, type Entry, type Plan } from './plan.js';

/** Names of addresses and tokens, as this home has them. */
export type Names = ReadonlyMap<string, string>;

const textOf = (schema: FieldSchema, value: unknown, names: Names): string => {
  const formats = alternatives(schema).map(({ format }) => format);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && formats.includes(DATE_FORMAT))
    return value === 0 ? 'open-ended' : showLocalDate(value);
  if (typeof value === 'number' && formats.includes(DURATION_FORMAT))
    return showDuration(value).replaceAll(' ', '');
  const unit = alternatives(schema).some((one) => one.unit === 'BCH') ? ' BCH' : '';
  const text = `${typeof value === 'string' ? value : JSON.stringify(value)}${unit}`;
  const name = names.get(text);
  return name === undefined ? text : `${name}  ${text}`;
};

const titleOf = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`;

type Row = readonly [label: string, value: string];

const rowsOf = ({ field, question, shape }: Entry, value: unknown, names: Names): readonly Row[] => {
  const title = question.item ?? titleOf(wordsOf(field.name));
  if (shape === 'one' || !Array.isArray(value)) return [[title, textOf(field.schema, value, names)]];
  const items = itemsOf(field.schema) ?? {};
  return value.map((item: unknown, index): Row => {
    const label = `${title} ${index + 1}`;
    if (shape === 'list') return [label, textOf(items, item, names)];
    const cells = Object.entries(item as RawInput).map(([column, cell]) =>
      textOf(items.properties?.[column] ?? {}, cell, names),
    );
    const isOfBch =
      TOKEN_CATEGORY in (items.properties ?? {}) && (item as RawInput)[TOKEN_CATEGORY] === undefined;
    return [label, [...cells, ...(isOfBch ? ['BCH'] : [])].join('  ')];
  });
};

/** Everything that was answered, one line each. */
export const summaryOf = ({ entries }: Plan, input: RawInput, names: Names): ViewBlock => ({
  kind: 'facts',
  rows: entries
    .filter(({ isAside }) => !isAside)
    .flatMap((entry): readonly Row[] => {
      const { name } = entry.field;
      if (entry.isPair && input[name] === undefined) return [['Asset', 'BCH']];
      return input[name] === undefined ? [] : rowsOf(entry, input[name], names);
    }),
});
