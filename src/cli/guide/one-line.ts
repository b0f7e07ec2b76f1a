/** The command that says in one line what was answered question by question. */
import { showLocalDate } from '../../bch/date.js';
import { DATE_FORMAT } from '../../bch/fields.js';
import { alternatives, itemsOf, type Field } from '../fields.js';
import { kebabCase, type Globals } from '../flags.js';
import type { RawInput } from '../gather-input.js';

/** In single quotes nothing is special but the quote itself; what a shell leaves alone needs none. */
const quoted = (word: string): string =>
  /^[\w@%:,./+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** A date as one word that reads back as the same second. */
const dateWord = (seconds: number): string =>
  seconds === 0 ? '0' : showLocalDate(seconds).replace(' ', 'T').replace(' UTC', 'Z').replace(' ', '');

const textOf = ({ schema }: Pick<Field, 'schema'>, value: unknown): string => {
  const isDate = alternatives(schema).some(({ format }) => format === DATE_FORMAT);
  if (isDate && typeof value === 'number') return dateWord(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** A flag with its value; what begins with a dash has to be joined to it. */
const flagWords = (label: string, text: string): string =>
  text.startsWith('-') ? quoted(`${label}=${text}`) : `${label} ${quoted(text)}`;

type Rows = readonly RawInput[];

/** Rows as flags of their columns; null where they have none, or say more than flags can. */
const rowWords = (list: Field, rows: Rows, fields: readonly Field[]): readonly string[] | null => {
  const columns = fields.filter(({ columnOf }) => columnOf === list.name);
  const required = itemsOf(list.schema)?.required ?? [];
  const known = columns.map(({ name }) => name);
  if (columns.length === 0 || !rows.every((row) => Object.keys(row).every((name) => known.includes(name))))
    return null;
  const used = columns.filter(({ name }) => rows.some((row) => row[name] !== undefined));
  return rows.flatMap((row) =>
    used.map(({ name, label, schema }) =>
      // Every column is given once for each row, or the rows would not pair.
      flagWords(
        label,
        row[name] === undefined && !required.includes(name)
          ? 'BCH'
          : textOf({ schema: schema.items ?? {} }, row[name]),
      ),
    ),
  );
};

const wordsOf = (field: Field, value: unknown, fields: readonly Field[]): readonly string[] => {
  if (field.kind === 'switch') return [value === true ? field.label : field.label.replace('--', '--no-')];
  if (!Array.isArray(value)) return [flagWords(field.label, textOf(field, value))];
  const rows = rowWords(field, value as Rows, fields);
  if (rows !== null) return rows;
  if (field.kind !== 'list') return [flagWords(field.label, JSON.stringify(value))];
  return value.map((item) => flagWords(field.label, textOf({ schema: itemsOf(field.schema) ?? {} }, item)));
};

/** Global flags that the answers may depend on. */
const WHERE = ['home', 'network', 'wallet', 'as'] as const satisfies readonly (keyof Globals)[];

/** What holds where nothing is said, and no schema says so. */
const DEFAULTS: RawInput = { tokenType: 'BCH' };

/** The command line of an input, to be pasted into a shell. What is as by default is not said. */
export const oneLine = (
  { command, globals }: { readonly command: string; readonly globals: Globals },
  fields: readonly Field[],
  input: RawInput,
): string => {
  const given = fields.filter(
    ({ name, schema, isCaller }) =>
      !isCaller && input[name] !== undefined && input[name] !== (schema.default ?? DEFAULTS[name]),
  );
  const positions = given.filter(({ place }) => place === 'position');
  const flags = given.filter(({ place }) => place === 'flag');
  return [
    'treasury',
    command,
    ...positions.map(({ name, schema }) => quoted(textOf({ schema }, input[name]))),
    ...flags.flatMap((field) => wordsOf(field, input[field.name], fields)),
    ...WHERE.flatMap((name) =>
      globals[name] === undefined ? [] : [flagWords(`--${kebabCase(name)}`, globals[name])],
    ),
  ].join(' ');
};
