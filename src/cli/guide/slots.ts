/** Where an answer goes: one value, an item of a list, or a cell of a row. Which is asked next follows from what is answered. */
import { readAmount } from '../../bch/amount.js';
import type { FieldSchema } from '../../operation/coerce.js';
import type { GuideQuestion } from '../../operation/guide.js';
import { alternatives, itemsOf } from '../fields.js';
import type { RawInput } from '../gather-input.js';
import { TOKEN_CATEGORY, TOKEN_TYPE, type Entry, type Plan } from './plan.js';

/** What is answered. */
export type State = {
  readonly input: RawInput;
  /** Names of fields that are settled, and paths of cells that are. */
  readonly done: ReadonlySet<string>;
};

/** The place of one answer. */
export type Slot = {
  readonly entry: Entry;
  /** Its path in the input: `milestones.0.amount`. */
  readonly path: string;
  /** Of the item or row, from 0; else 0. */
  readonly index: number;
  readonly column: string | null;
  readonly schema: FieldSchema;
  readonly question: GuideQuestion;
  readonly isRequired: boolean;
  /** True where no answer means that the list is complete. */
  readonly endsList: boolean;
};

const listIn = ({ field }: Entry, { input }: State): readonly unknown[] => {
  const value = input[field.name];
  return Array.isArray(value) ? value : [];
};

/** How many there have to be, and can be. */
const limitsOf = ({ field, isRequired }: Entry): readonly [least: number, most: number] => {
  const list = alternatives(field.schema).find(({ items }) => items !== undefined) ?? {};
  return [list.minItems ?? (isRequired ? 1 : 0), list.maxItems ?? Infinity];
};

const DECIMALS = 18;

/** A decimal text in units of 10^-18, for adding up; null for what is none. */
const scaled = (value: unknown): bigint | null => {
  const [whole = '', fraction = ''] = readAmount(value)?.decimal.split('.') ?? [];
  if (whole === '' || fraction.length > DECIMALS) return null;
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
};

/** What the rows of an entry come to, and what is left of what they are to come to; units of 10^-18. */
export type Sum = { readonly held: bigint; readonly rest: bigint | null };

/** The sum of the rows that are answered; null where nothing is added up. */
export const sumOf = (entry: Entry, state: State): Sum | null => {
  const { sum } = entry.question;
  if (sum === undefined) return null;
  const cells = listIn(entry, state).map((row) => (row as RawInput)[sum.column]);
  const held = cells.reduce<bigint>((added, cell) => added + (scaled(cell) ?? 0n), 0n);
  const total = scaled(state.input[sum.to]);
  return { held, rest: total === null ? null : total - held };
};

const nextCell = (entry: Entry, state: State, isFull: boolean): Slot | null => {
  const { field, question } = entry;
  const { properties = {}, required = [] } = itemsOf(field.schema) ?? {};
  const columns = Object.keys(properties).filter(
    (column) => (isFull || required.includes(column)) && question.columns?.[column]?.skip !== true,
  );
  const rows = listIn(entry, state);
  const [least, most] = limitsOf(entry);
  const open = columns.find((column) => !state.done.has(`${field.name}.${rows.length - 1}.${column}`));
  const isNew = rows.length === 0 || open === undefined;
  const isFilled = rows.length >= most || sumOf(entry, state)?.rest === 0n;
  if (isNew && rows.length > 0 && isFilled) return null;
  const index = isNew ? rows.length : rows.length - 1;
  const column = (isNew ? columns[0] : open) ?? '';
  const endsList = isNew && index >= least;
  return {
    entry,
    path: `${field.name}.${index}.${column}`,
    index,
    column,
    schema: properties[column] ?? {},
    question: question.columns?.[column] ?? {},
    isRequired: required.includes(column) && !endsList,
    endsList,
  };
};

const nextItem = (entry: Entry, state: State): Slot | null => {
  const { field, question } = entry;
  const index = listIn(entry, state).length;
  const [least, most] = limitsOf(entry);
  if (index >= most) return null;
  return {
    entry,
    path: `${field.name}.${index}`,
    index,
    column: null,
    schema: itemsOf(field.schema) ?? {},
    question,
    isRequired: index < least,
    endsList: index >= least,
  };
};

/** What is to be answered next of an entry; null when it is settled, or makes no sense as things stand. */
export const slotOf = (entry: Entry, state: State, { isFull }: Plan): Slot | null => {
  const { field, question, isRequired, shape } = entry;
  if (state.done.has(field.name) || question.skip === true) return null;
  if (!isRequired && !isFull) return null;
  if (question.when?.(state.input) === false) return null;
  if (shape === 'rows') return nextCell(entry, state, isFull);
  if (shape === 'list') return nextItem(entry, state);
  const { schema, name: path } = field;
  return { entry, path, index: 0, column: null, schema, question, isRequired, endsList: false };
};

/** What is to be answered next; null when all is. */
export const nextSlot = (plan: Plan, state: State): Slot | null => {
  for (const entry of plan.entries) {
    const slot = slotOf(entry, state, plan);
    if (slot !== null) return slot;
  }
  return null;
};

/** True when something required is not answered. */
export const isIncomplete = (plan: Plan, state: State): boolean =>
  nextSlot({ ...plan, isFull: false }, state) !== null;

/** What was given before anything is asked. */
export const givenState = ({ entries }: Plan, input: RawInput): State => ({
  input,
  done: new Set([
    ...Object.keys(input),
    // With the flag, the type is said; what it is of is asked only where it is no BCH.
    ...(input[TOKEN_TYPE] === 'BCH' ? [TOKEN_CATEGORY] : []),
    ...entries.filter(({ field }) => input[field.name] !== undefined).map(({ field }) => field.name),
  ]),
});

const withCell = (list: readonly unknown[], { index, column }: Slot, value: unknown): readonly unknown[] => {
  const items = [...list];
  if (column === null) items[index] = value;
  else
    items[index] = {
      ...(items[index] as RawInput | undefined),
      ...(value === undefined ? {} : { [column]: value }),
    };
  return items;
};

/** The state with an answer in its place; undefined: it is left out, or the list is complete. */
export const withAnswer = (state: State, slot: Slot, value: unknown): State => {
  const { entry, path, endsList } = slot;
  const { name } = entry.field;
  const { input } = state;
  const settle = (settled: string): ReadonlySet<string> => new Set([...state.done, settled]);
  if (value === undefined && endsList) return { input, done: settle(name) };
  if (entry.shape !== 'one')
    return { input: { ...input, [name]: withCell(listIn(entry, state), slot, value) }, done: settle(path) };
  if (!entry.isPair || input[TOKEN_TYPE] !== undefined)
    return { input: value === undefined ? input : { ...input, [name]: value }, done: settle(name) };
  const pair =
    value === undefined ? { [TOKEN_TYPE]: 'BCH' } : { [TOKEN_TYPE]: 'FUNGIBLE_TOKEN', [name]: value };
  return { input: { ...input, ...pair }, done: settle(name) };
};
