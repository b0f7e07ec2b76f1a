/** Rows of a list given by flags of their own: `--to <address> --amount 1 --to <other> --amount 2` in place of JSON. */
import { invalidField } from '../errors.js';
import { itemsOf, type Field } from './fields.js';

type RawInput = Readonly<Record<string, unknown>>;

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** How the word for no token is written in a column of tokens. */
const NO_TOKEN = 'BCH';

type Columns = readonly (readonly [field: Field, values: readonly unknown[]])[];

const rowsOf = (list: Field, columns: Columns): readonly RawInput[] => {
  const count = Math.max(...columns.map(([, values]) => values.length));
  const required = itemsOf(list.schema)?.required ?? [];
  return Array.from({ length: count }, (_, index) => {
    const cells = columns.flatMap(([{ name, label }, values]): readonly (readonly [string, unknown])[] => {
      // What every row may leave out can be said once for all of them.
      const value = values.length === 1 && !required.includes(name) ? values[0] : values[index];
      if (value === undefined)
        throw invalidField(
          name,
          `is given ${values.length} times for ${count} rows: give ${label} once for each`,
        );
      return value === NO_TOKEN && !required.includes(name) ? [] : [[name, value]];
    });
    return Object.fromEntries(cells);
  });
};

/**
 * The input with its rows in place of the flags of their columns.
 *
 * @throws invalid_input when there are more of one column than of another, or rows beside the list itself
 */
export const foldRows = (fields: readonly Field[], input: RawInput): RawInput => {
  const folded: Record<string, unknown> = { ...input };
  for (const list of fields.filter(({ name }) => fields.some(({ columnOf }) => columnOf === name))) {
    const columns: Columns = fields.flatMap((field) => {
      const values = field.columnOf === list.name ? input[field.name] : undefined;
      return isList(values) ? [[field, values] as const] : [];
    });
    if (columns.length === 0) continue;
    const flags = columns.map(([{ label }]) => label).join(' and ');
    if (input[list.name] !== undefined)
      throw invalidField(list.name, `says the same as ${flags}: give one or the other`);
    folded[list.name] = rowsOf(list, columns);
    for (const [{ name }] of columns) delete folded[name]; // eslint-disable-line typescript/no-dynamic-delete
  }
  return folded;
};
