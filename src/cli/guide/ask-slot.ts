/** One question on the terminal: how it reads, what it offers, and what Enter takes. */
import { formatUnits } from '../../bch/amount.js';
import { isSwitch } from '../../operation/coerce.js';
import type { Around, GuideChoice } from '../../operation/guide.js';
import { choicesOf } from '../fields.js';
import { drawView } from '../draw-view.js';
import { checkAnswer, type Accepted, type Asking } from './check-answer.js';
import { knownAddresses, knownTokens, takesAddress, takesToken, type KnownAddress } from './known.js';
import { TOKEN_TYPE, wordsOf } from './plan.js';
import { sayNote, sayProblem, withoutNames } from './say.js';
import { sumOf, withAnswer, type Slot, type State } from './slots.js';

/** What takes one question back. */
export const BACK = '<';

/** Choices that stand for no value of their own. */
const NOTHING = '-';
const OTHER = '...';

/** What is asked, and what was answered at it before `<`. */
export type Question = {
  readonly asking: Asking;
  readonly state: State;
  readonly slot: Slot;
  /** What was answered here before going back. */
  readonly before: string | undefined;
  /** True where an answer was asked for here, to be mended. */
  readonly isAsked: (path: string) => boolean;
};

/** What an answer has shown to be wrong with earlier ones: the last of them is asked again. */
export type Back = { readonly problem: string; readonly earlier: readonly string[]; readonly text: string };

/** An answer as it was typed or chosen, and what came of it; null: back. */
type Given = Accepted & { readonly text: string };
type Answered = Given | Back | null;

const aroundOf = ({ asking: { session }, state, slot }: Question): Around => ({
  answers: state.input,
  index: slot.index,
  context: session.context,
  caller: session.operator.address,
});

/** The question in words, and how to leave it at the default. */
const messageOf = ({ asking, slot }: Question, suggestion: string | null): string => {
  const { entry, question, schema, index, column, endsList, isRequired } = slot;
  const { label } = entry.field;
  if (!asking.isGuided && column === null) {
    const about = schema.description;
    return about === undefined ? `${label}:` : `${label} (${about}):`;
  }
  const item =
    entry.shape === 'one' ? '' : `${entry.question.item ?? wordsOf(entry.field.name)} ${index + 1}: `;
  const asked = question.ask ?? schema.description ?? wordsOf(column ?? entry.field.name);
  const enter = endsList ? 'no more' : (question.enter ?? 'leave it out');
  const notes = [
    ...(column === null && label !== '' ? [label] : []),
    ...(suggestion !== null || isRequired ? [] : [`Enter: ${enter}`]),
  ];
  return `${item}${asked}${notes.length === 0 ? '' : ` [${notes.join('; ')}]`}`;
};

const enumerated = ({ schema }: Slot): readonly GuideChoice[] | null => {
  if (isSwitch(schema)) return ['yes', 'no'].map((value) => ({ value, name: value }));
  const values = choicesOf(schema);
  return values.length === 0 ? null : values.map((value) => ({ value, name: value }));
};

/** What there is to choose from; null: it is asked as text. */
const choicesAt = async (question: Question): Promise<readonly GuideChoice[] | null> => {
  const { asking, state, slot } = question;
  const own = await slot.question.choices?.(aroundOf(question));
  if (own !== undefined) return own;
  if (!takesToken(slot.schema)) return enumerated(slot);
  const other = { value: OTHER, name: 'another token, by its category' };
  const isBch = slot.entry.isPair && state.input[TOKEN_TYPE] === undefined;
  const none = isBch ? [{ value: NOTHING, name: 'BCH' }] : [];
  return [...none, ...(await knownTokens(asking.session)), other];
};

const suggestionAt = async (question: Question): Promise<string | null> => {
  const { slot, before, state } = question;
  if (before !== undefined && before !== '') return before;
  const suggested = await slot.question.suggest?.(aroundOf(question));
  if (suggested != null) return suggested;
  const sum = slot.column === slot.entry.question.sum?.column ? sumOf(slot.entry, state) : null;
  if (sum?.rest != null && sum.rest > 0n) return formatUnits(sum.rest, 18);
  const { default: value } = slot.schema;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' || typeof value === 'number' ? String(value) || null : null;
};

/** Checks a text. What is wrong with an earlier answer that was asked for is no problem of this one. */
const check = async (
  { asking, state, slot, isAsked }: Question,
  text: string,
): Promise<Accepted | Back | { readonly refused: string }> => {
  const checked = await checkAnswer(asking, state, slot, text);
  if (!('problem' in checked)) return checked;
  const earlier = checked.earlier.filter(isAsked);
  return earlier.length > 0 ? { ...checked, earlier, text } : { refused: checked.problem };
};

/** The addresses that a number picks, shown once for a field. */
const offerAddresses = async ({ asking, slot }: Question): Promise<readonly KnownAddress[]> => {
  if (!takesAddress(slot.schema) || !asking.isGuided) return [];
  const known = await knownAddresses(asking.session);
  const { output } = asking.session.call;
  if (slot.index === 0 || slot.entry.shape === 'rows') {
    const offered = known.slice(0, MOST_OFFERED);
    const rows = offered.map(({ name, address }, index) => [`  ${index + 1}  ${name}`, address] as const);
    if (rows.length > 0) output.talk(drawView([{ kind: 'facts', rows }], withoutNames(output.paintTalk)));
    if (known.length > MOST_OFFERED)
      sayNote(output, '`treasury contacts list` shows the others: write @name');
  }
  return known;
};

/** As many as a glance takes in. */
const MOST_OFFERED = 9;

const askText = async (question: Question, suggestion: string | null): Promise<Answered> => {
  const { asking } = question;
  const known = await offerAddresses(question);
  const numbered = (text: string): string =>
    /^[1-9]$/.test(text) ? (known[Number(text) - 1]?.address ?? text) : text;
  const held: { came?: Accepted | Back } = {};
  const answer = await asking.session.call.environment.prompts.text({
    message: messageOf(question, suggestion),
    ...(suggestion === null ? {} : { fallback: suggestion }),
    check: async (typed) => {
      if (typed.trim() === BACK) return null;
      const text = numbered(typed.trim());
      const checked = await check(question, text);
      if ('refused' in checked) return checked.refused;
      const picked = text === typed.trim() ? [] : [`${typed.trim()} is ${text}`];
      held.came = 'problem' in checked ? checked : { ...checked, notes: [...picked, ...checked.notes] };
      return null;
    },
  });
  const text = answer.trim();
  if (held.came === undefined || text === BACK) return null;
  return 'problem' in held.came ? held.came : { ...held.came, text };
};

const askChoice = async (
  question: Question,
  choices: readonly GuideChoice[],
  suggestion: string | null,
): Promise<Answered> => {
  const { asking, slot } = question;
  const { call } = asking.session;
  const hasNothing = choices.some(({ value }) => value === NOTHING);
  const nothing = slot.endsList ? 'no more' : (slot.question.enter ?? 'leave it out');
  // Where there is a default, that is what leaving it out comes to.
  const hasDefault = slot.question.suggest !== undefined || slot.schema.default != null;
  const isOptional = !slot.isRequired && !hasNothing && !hasDefault;
  const all = [
    ...(isOptional ? [{ value: NOTHING, name: nothing }] : []),
    ...choices,
    { value: BACK, name: '< back' },
  ];
  for (;;) {
    const value = await call.environment.prompts.choose({
      message: messageOf(question, suggestion ?? choices[0]?.value ?? null),
      choices: all,
      ...(suggestion === null ? {} : { fallback: suggestion }),
    });
    if (value === BACK) return null;
    if (value === OTHER) {
      const written = await askText(question, null);
      if (written !== null) return written;
      continue;
    }
    const typed = value === NOTHING ? '' : value;
    const isYes = isSwitch(slot.schema);
    const checked = await check(question, isYes ? String(typed === 'yes') : typed);
    if ('problem' in checked) return checked;
    if (!('refused' in checked)) return { ...checked, text: typed };
    sayProblem(call.output, checked.refused);
  }
};

/** What is known without asking; null: it is asked. */
const findKnown = async (question: Question): Promise<Answered> => {
  const { slot } = question;
  const known = await slot.question.known?.(aroundOf(question));
  if (known == null) return null;
  const checked = await check(question, known.value);
  if ('problem' in checked) return checked;
  return 'refused' in checked
    ? null
    : { ...checked, notes: [...checked.notes, known.note], text: known.value };
};

/** What came of a question: an answer, asked for or not; what is wrong with earlier ones; or null, back. */
export type Outcome = (Given & { readonly isAsked: boolean }) | Back | null;

/** Asks one question until its answer holds. @throws what no other answer mends, and the prompts' interruption */
export const askSlot = async (question: Question): Promise<Outcome> => {
  const known = await findKnown(question);
  if (known !== null) return 'problem' in known ? known : { ...known, isAsked: false };
  const { slot, asking } = question;
  if (slot.schema.secret === true) {
    const text = await asking.session.call.environment.prompts.secret({
      message: `${slot.entry.field.label}:`,
    });
    return { state: withAnswer(question.state, slot, text), notes: [], reply: null, text: '', isAsked: true };
  }
  const choices = await choicesAt(question);
  if (choices?.length === 0 && !slot.isRequired) {
    const left = await check(question, '');
    if ('state' in left) return { ...left, text: '', isAsked: false };
  }
  const suggestion = await suggestionAt(question);
  const answered =
    choices === null || choices.length === 0
      ? await askText(question, suggestion)
      : await askChoice(question, choices, suggestion);
  return answered === null || 'problem' in answered ? answered : { ...answered, isAsked: true };
};
