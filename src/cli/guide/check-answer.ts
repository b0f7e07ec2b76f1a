/** One answer, read and checked as a flag of the same value would be: by its form, then by trying the operation. */
import { z } from 'zod';
import { showLocalDate } from '../../bch/date.js';
import { DATE_FORMAT } from '../../bch/fields.js';
import { EXIT, isTreasuryError, type Issue, type TreasuryError } from '../../errors.js';
import { coerceText, type FieldSchema } from '../../operation/coerce.js';
import type { AnyOperation } from '../../operation/define.js';
import type { Reply } from '../../operation/execute.js';
import { decodeInput, invalidInput } from '../../operation/read-input.js';
import { rehearse } from '../../operation/rehearse.js';
import { priceDollars } from '../dollars.js';
import { alternatives, choicesOf, itemsOf, type Field } from '../fields.js';
import { readValue, type RawInput } from '../gather-input.js';
import { hintFor, inFlags, withinText } from '../report-error.js';
import type { Session } from '../session.js';
import { readWrittenValues } from '../written-values.js';
import { asideFields, guideOf, type Entry, type Plan } from './plan.js';
import { isIncomplete, slotOf, withAnswer, type Slot, type State } from './slots.js';

/** What an answer is checked against. */
export type Asking = {
  readonly session: Session;
  readonly operation: AnyOperation;
  readonly fields: readonly Field[];
  readonly plan: Plan;
  /** True for a create: it is asked for in words, and tried with each answer. */
  readonly isGuided: boolean;
  /** Fields that something else fills in later. */
  readonly filled: readonly string[];
};

/** An answer that holds: what is answered with it, and what is to be said of how it was understood. */
export type Accepted = {
  readonly state: State;
  readonly notes: readonly string[];
  /** What the operation would answer; null while more is needed. */
  readonly reply: Reply | null;
};

/** What is wrong, in words; and the earlier answers that it is about, where it is none of this one's fault. */
export type Refused = { readonly problem: string; readonly earlier: readonly string[] };

/** The input without the asides. */
export const ownInput = ({ plan }: Pick<Asking, 'plan'>, input: RawInput): RawInput => {
  const asides = plan.entries.filter(({ isAside }) => isAside).map(({ field }) => field.name);
  return Object.fromEntries(Object.entries(input).filter(([name]) => !asides.includes(name)));
};

/** What everything that is answered is read as; what it was understood as goes into `notes`. Dollars are BCH by then. */
const readAll = async ({ session, operation, fields }: Asking, input: RawInput, notes: string[]) => {
  const { call, context } = session;
  const output = { ...call.output, warn: (note: string) => void notes.push(note) };
  const target = { operation, fields: [...fields, ...asideFields(guideOf(operation) ?? {})] };
  const read = await readWrittenValues(target, input, { call: { output }, context });
  const priced = await priceDollars(target, read, context);
  notes.push(...priced.notes);
  return priced.input;
};

const checkAsides = ({ operation }: Asking, input: RawInput): void => {
  const { asides } = guideOf(operation) ?? {};
  const checked = asides === undefined ? null : z.safeDecode(asides.partial(), input);
  if (checked?.success === false)
    throw invalidInput(checked.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
};

/** Tries an input. @throws what the operation refuses it with */
export const tryInput = (asking: Asking, input: RawInput): Promise<Reply> => {
  const { context, credentials } = asking.session;
  return rehearse(asking.operation, ownInput(asking, input), context, credentials);
};

/** Failures that no other answer mends. */
const isOfSurroundings = ({ code, exit }: TreasuryError): boolean =>
  (code !== 'rate_unavailable' &&
    ([EXIT.network, EXIT.pending, EXIT.unexpected] as readonly number[]).includes(exit)) ||
  code === 'unauthenticated' ||
  code === 'authority_missing';

const issuesOf = ({ details, message }: TreasuryError): readonly Issue[] => {
  const { issues, field } = details;
  if (Array.isArray(issues)) return issues as readonly Issue[];
  if (typeof field !== 'string') return [{ path: '', message }];
  return [{ path: field, message: message.replace(`${field}: `, '') }];
};

const isDate = (schema: FieldSchema): boolean =>
  alternatives(schema).some(({ format }) => format === DATE_FORMAT);

const valueAt = (input: RawInput, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as RawInput)[key] : undefined),
    input,
  );

/** True for what may still be answered: what makes no sense yet may do so once all that is required is. */
const isOpen = (entry: Entry, state: State, plan: Plan): boolean =>
  entry.question.skip !== true &&
  (slotOf(entry, state, plan) !== null || (!state.done.has(entry.field.name) && isIncomplete(plan, state)));

/** True for what is still to be answered: it is no problem yet that it is missing. */
const isToCome = ({ plan, filled }: Asking, state: State, path: string, here?: string): boolean => {
  const [name = '', ...rest] = path.split('.');
  if (filled.includes(name)) return true;
  if (path === here) return false;
  const entry = plan.entries.find(({ field }) => field.name === name);
  if (entry === undefined || !isOpen(entry, state, plan)) return false;
  // A list that goes on is judged as a whole when it is complete, and what stands in it already now.
  return rest.length === 0 || valueAt(state.input, path.split('.')) === undefined;
};

/** True for an issue of what is asked about, or of all that it is part of. */
const isHere = ({ path }: Issue, slot: Slot): boolean =>
  path === '' || path === slot.entry.field.name || path === slot.path;

/** The schema at a path: of a field, or of what stands in its rows. */
const schemaAt = (path: string, fields: readonly Field[]): FieldSchema => {
  const [name, ...rest] = path.split('.');
  const schema = fields.find((field) => field.name === name)?.schema ?? {};
  return itemsOf(schema)?.properties?.[rest.at(-1) ?? ''] ?? itemsOf(schema) ?? schema;
};

/** What is said of a date, with dates in place of the unix seconds that the API speaks of. */
const inDates = ({ path, message }: Issue, fields: readonly Field[]): string =>
  isDate(schemaAt(path, fields))
    ? message.replaceAll(/\b\d{10}\b/g, (seconds) => showLocalDate(Number(seconds)))
    : message;

/** A problem as it is said: with its place where that is not the one that is asked about. */
const lineOf = (issue: Issue, slot: Slot, { fields, session }: Asking): string => {
  const { path } = issue;
  const message = inFlags(inDates(issue, fields), session.call.takes);
  const [name = '', ...rest] = path.split('.');
  const { field } = slot.entry;
  if (isHere(issue, slot)) return message;
  const label = name === field.name ? [] : [fields.find((one) => one.name === name)?.label ?? name];
  return `${[...label, ...(rest.length === 0 ? [] : [withinText(rest)])].join(', ')}: ${message}`;
};

/** What is wrong with an answer by an error; null where it is about what is still to come. @throws the error itself */
export const problemOf = (asking: Asking, state: State, slot: Slot, error: unknown): Refused | null => {
  if (!isTreasuryError(error) || isOfSurroundings(error)) throw error;
  const issues = issuesOf(error).filter(({ path }) => !isToCome(asking, state, path, slot.path));
  if (issues.length === 0) return null;
  const { command } = asking.session.call;
  const hint = error.code.endsWith('_not_found') ? hintFor(error, command) : null;
  const lines = issues.map((issue) => lineOf(issue, slot, asking));
  const problem = [...new Set(lines), ...(hint === null ? [] : [`What to do: ${hint}.`])].join('\n');
  const isEarlier = !issues.some((issue) => isHere(issue, slot));
  return { problem, earlier: isEarlier ? issues.map(({ path }) => path) : [] };
};

/** The value of one text: in a list a date stays as it is written, since a number would be unix seconds. */
const valueOf = async ({ session }: Asking, { entry, schema }: Slot, text: string): Promise<unknown> => {
  if (entry.shape === 'one') return readValue(entry.field, text, session.call);
  if (isDate(schema)) return text;
  const choice = choicesOf(schema).find((one) => one.toLowerCase() === text.toLowerCase());
  return coerceText(schema, choice ?? text);
};

/** True for an item that its list has already, and may not have twice. */
const isTwice = ({ input }: State, { entry, index, question }: Slot): boolean => {
  const list = input[entry.field.name];
  return question.unlike !== undefined && Array.isArray(list) && list.indexOf(list[index]) < index;
};

/** What is wrong with the form of an input; null: nothing. */
const formalError = (asking: Asking, input: RawInput): TreasuryError | null => {
  try {
    checkAsides(asking, input);
    decodeInput(asking.operation, ownInput(asking, input), asking.session.context.network);
    return null;
  } catch (error) {
    if (isTreasuryError(error)) return error;
    throw error;
  }
};

/** Checks what was given before anything is asked: no answer would mend it. @throws invalid_input and its like */
export const checkGiven = (asking: Asking, given: State): void => {
  const formal = formalError(asking, given.input);
  if (formal === null) return;
  const issues = issuesOf(formal).filter(({ path }) => !isToCome(asking, given, path));
  if (issues.length > 0) throw invalidInput(issues);
};

/**
 * Reads and checks an answer in its place; an empty one leaves it out.
 *
 * @throws what no other answer mends
 */
export const checkAnswer = async (
  asking: Asking,
  before: State,
  slot: Slot,
  text: string,
): Promise<Accepted | Refused> => {
  if (text === '' && slot.isRequired)
    return { problem: 'It is needed: there is no default for it', earlier: [] };
  const notes: string[] = [];
  let state = withAnswer(before, slot, undefined);
  try {
    const value = text === '' ? undefined : await valueOf(asking, slot, text);
    const answered = withAnswer(before, slot, value);
    state = { ...answered, input: await readAll(asking, answered.input, notes) };
    if (isTwice(state, slot)) return { problem: `${text} ${slot.question.unlike ?? ''}`, earlier: [] };
    const formal = formalError(asking, state.input);
    if (formal !== null) {
      const problem = problemOf(asking, state, slot, formal);
      return problem ?? { state, notes, reply: null };
    }
    return { state, notes, reply: asking.isGuided ? await tryInput(asking, state.input) : null };
  } catch (error) {
    const problem = problemOf(asking, state, slot, error);
    return problem ?? { state, notes, reply: null };
  }
};
