/** What a guide asks, in order: the fields of an operation and its asides, each with what its operation says of it. */
import { inputSchema } from '../../operation/coerce.js';
import type { AnyOperation } from '../../operation/define.js';
import type { Guide, GuideQuestion } from '../../operation/guide.js';
import { faceOf, itemsOf, type Field } from '../fields.js';
import { kebabCase } from '../flags.js';

/** One thing that may be asked. */
export type Entry = {
  readonly field: Field;
  readonly question: GuideQuestion;
  /** True for what is no field of the input. */
  readonly isAside: boolean;
  readonly isRequired: boolean;
  /** True for the category of a token whose absence means BCH: it answers for the type of the token too. */
  readonly isPair: boolean;
  /** `one` answer, a `list` of answers, or `rows` of answers column by column. */
  readonly shape: 'one' | 'list' | 'rows';
};

/** What is asked of whom. */
export type Plan = {
  readonly entries: readonly Entry[];
  /** True: everything that may be said is asked; false: only what is required. */
  readonly isFull: boolean;
};

/** The guide of an operation; null where nothing but what is required is asked for. */
export const guideOf = (operation: AnyOperation): Guide | null => {
  const { guide } = faceOf(operation) ?? {};
  if (guide === false) return null;
  return guide ?? (operation.http?.creates === true ? {} : null);
};

const shapeOf = ({ schema, kind }: Field, mayBeRows: boolean): Entry['shape'] => {
  const items = itemsOf(schema);
  if (items === undefined || kind === 'files') return 'one';
  if (items.properties === undefined) return kind === 'list' ? 'list' : 'one';
  return mayBeRows ? 'rows' : 'one';
};

/** The asides of a guide, as if they were fields. */
export const asideFields = ({ asides }: Guide): readonly Field[] => {
  if (asides === undefined) return [];
  const { properties, required } = inputSchema({ input: asides });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    place: 'flag',
    label: '',
    kind: 'text',
    isRequired: required.includes(name),
    isCaller: false,
  }));
};

const inOrder = (entries: readonly Entry[], order: readonly string[]): readonly Entry[] => {
  const placeOf = ({ field: { name } }: Entry): number => {
    const place = order.indexOf(name);
    return place < 0 ? order.length : place;
  };
  return [...entries].sort((a, b) => placeOf(a) - placeOf(b));
};

/** The category says which token it is, and no category that it is BCH: one question for two fields. */
export const TOKEN_TYPE = 'tokenType';
export const TOKEN_CATEGORY = 'tokenCategory';

/** What is asked for an operation. `filled` is what something else fills in. */
export const planOf = (
  operation: AnyOperation,
  fields: readonly Field[],
  { isFull, filled }: { readonly isFull: boolean; readonly filled: readonly string[] },
): Plan => {
  const guide = guideOf(operation) ?? {};
  const hasType = fields.some(({ name }) => name === TOKEN_TYPE);
  const mayBeRows = faceOf(operation)?.guide !== false;
  const entryOf = (field: Field, isAside: boolean): Entry => {
    const question = guide.questions?.[field.name] ?? {};
    const isRequired = field.isRequired || question.isNeeded === true;
    const isPair = field.name === TOKEN_CATEGORY && hasType;
    return { field, question, isAside, isRequired, isPair, shape: shapeOf(field, mayBeRows) };
  };
  const hasCategory = fields.some(({ name }) => name === TOKEN_CATEGORY);
  const asked = fields.filter(
    ({ name, isCaller, columnOf, place, isRequired }) =>
      !isCaller &&
      columnOf === undefined &&
      !filled.includes(name) &&
      (place !== 'global' || isRequired) &&
      !(name === TOKEN_TYPE && hasCategory),
  );
  const entries = [
    ...asideFields(guide).map((field) => entryOf(field, true)),
    ...asked.map((field) => entryOf(field, false)),
  ];
  return { entries: inOrder(entries, guide.order ?? []), isFull };
};

/** `totalAmount` as `total amount`. */
export const wordsOf = (name: string): string => kebabCase(name).replaceAll('-', ' ');
