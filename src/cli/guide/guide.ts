/**
 * Asking for what is missing, on a terminal. A create is asked for whole: each answer is checked where it is given, `<`
 * takes one back, and at the end stands what it comes to, with the command that says the same in one line. Of any other
 * operation only what it requires is asked.
 */
import { formatUnits } from '../../bch/amount.js';
import { NETWORKS } from '../../bch/network.js';
import { TreasuryError } from '../../errors.js';
import type { AnyOperation } from '../../operation/define.js';
import type { Reply } from '../../operation/execute.js';
import { identify } from '../../operation/auth.js';
import { drawView } from '../draw-view.js';
import { isInteractive } from '../environment.js';
import { faceOf, type Field } from '../fields.js';
import type { RawInput } from '../gather-input.js';
import type { Session } from '../session.js';
import { askSlot, BACK, type Back } from './ask-slot.js';
import { checkGiven, ownInput, problemOf, tryInput, type Accepted, type Asking } from './check-answer.js';
import { knownAddresses, knownTokens } from './known.js';
import { oneLine } from './one-line.js';
import { guideOf, planOf } from './plan.js';
import { givenState, isIncomplete, nextSlot, sumOf, type Slot, type State } from './slots.js';
import { inLines, sayNote, sayProblem, withoutNames } from './say.js';
import { summaryOf } from './summary.js';

/** What is to be completed. */
export type Order = {
  readonly operation: AnyOperation;
  readonly fields: readonly Field[];
  /** What was given, read. */
  readonly input: RawInput;
  /** Required fields that something else fills in. */
  readonly filled?: readonly string[];
};

const HOW =
  'Each answer is checked as it is given. Enter takes what stands in (brackets), < goes one back, Ctrl-C leaves: nothing is stored before the end.';

/** One question that was answered, to come back to. */
type Step = { readonly slot: Slot; readonly before: State };

type Guided = { readonly state: State; readonly history: readonly Step[] };

/** What rows come to so far, once one of them is complete. */
const tellSum = ({ session, plan }: Asking, { entry, path }: Slot, state: State): void => {
  const sum = sumOf(entry, state);
  const next = nextSlot(plan, state);
  const isRowOver = next === null || next.entry !== entry || !next.path.startsWith(path.replace(/\w+$/, ''));
  if (sum === null || !isRowOver || state.done.has(entry.field.name)) return;
  const show = (amount: bigint): string => formatUnits(amount, 18);
  const rest =
    sum.rest === null ? '' : sum.rest < 0n ? `, ${show(-sum.rest)} too much` : `, ${show(sum.rest)} to go`;
  session.call.output.talk(session.call.output.paintTalk('dim', `  ${show(sum.held)} in all${rest}`));
};

const tell = (asking: Asking, slot: Slot, { state, notes }: Pick<Accepted, 'state' | 'notes'>): void => {
  const { output } = asking.session.call;
  for (const note of notes) sayNote(output, note);
  tellSum(asking, slot, state);
};

/** How many questions are to be asked again: those from the last one on that something is wrong with; or the last. */
const stepsBack = (history: readonly Step[], outcome: Back | null): number => {
  const place = history.findLastIndex(({ slot }) => outcome?.earlier.includes(slot.path) === true);
  return place < 0 ? 1 : history.length - place;
};

/** Asks until nothing is missing. `texts` keeps what was answered, for whoever goes back. */
const askAll = async (asking: Asking, from: Guided, texts: Map<string, string>): Promise<Guided> => {
  let { state } = from;
  const history = [...from.history];
  const { output } = asking.session.call;
  const isAsked = (path: string): boolean => history.some(({ slot }) => slot.path === path);
  for (;;) {
    const slot = nextSlot(asking.plan, state);
    if (slot === null) return { state, history };
    const outcome = await askSlot({ asking, state, slot, before: texts.get(slot.path), isAsked });
    if (outcome !== null) texts.set(slot.path, outcome.text);
    if (outcome === null || 'problem' in outcome) {
      if (outcome !== null) sayProblem(output, outcome.problem);
      else if (history.length === 0) output.talk('This is the first question.');
      const [first] = history.splice(-stepsBack(history, outcome));
      state = first?.before ?? state;
      continue;
    }
    tell(asking, slot, outcome);
    if (outcome.isAsked) history.push({ slot, before: state });
    state = outcome.state;
  }
};

const namesOf = async (session: Session): Promise<ReadonlyMap<string, string>> => {
  const [addresses, tokens] = await Promise.all([knownAddresses(session), knownTokens(session)]);
  return new Map([
    ...addresses.map(({ address, name }) => [address, name] as const),
    ...tokens.map(({ value, name }) => [value, name.split('  ')[0] ?? name] as const),
  ]);
};

const showEnd = async ({ session, operation, plan, fields }: Asking, input: RawInput, reply: Reply) => {
  const { output, command, globals } = session.call;
  const preview = faceOf(operation)?.preview?.(reply) ?? [];
  const summary = [summaryOf(plan, input, await namesOf(session)), ...preview];
  output.talk(`\n${drawView(summary, withoutNames(output.paintTalk))}\n`);
  output.talk('The same in one line:');
  output.talk(`  ${output.paintTalk('cyan', oneLine({ command, globals }, fields, input))}\n`);
};

/** @throws declined */
const askToDo = async ({ session }: Asking): Promise<'do' | 'back'> => {
  const { call, context } = session;
  if (call.globals.yes === true) return 'do';
  const answer = await call.environment.prompts.choose({
    message: 'Go ahead?',
    choices: [
      { value: 'yes', name: 'yes' },
      { value: 'no', name: 'no, leave it' },
      { value: BACK, name: '< back' },
    ],
    fallback: NETWORKS[context.network].isMainnet ? 'no' : 'yes',
  });
  if (answer === 'no') throw new TreasuryError('declined');
  return answer === BACK ? 'back' : 'do';
};

/** Steps back from the end; nothing was asked where everything was given. */
const stepBack = ({ history, state }: Guided): Guided => ({
  state: history.at(-1)?.before ?? state,
  history: history.slice(0, -1),
});

/** Asks for a create, shows what it comes to, and asks whether to go ahead. */
const guide = async (asking: Asking, given: State): Promise<RawInput> => {
  const { session, operation } = asking;
  const { output } = session.call;
  const texts = new Map<string, string>();
  const { intro = `${operation.summary}.` } = guideOf(operation) ?? {};
  const { paintTalk } = output;
  output.talk(`${inLines(intro, paintTalk)}\n${paintTalk('dim', inLines(HOW, paintTalk))}`);
  let guided: Guided = { state: given, history: [] };
  for (;;) {
    guided = await askAll(asking, guided, texts);
    const input = ownInput(asking, guided.state.input);
    const last = guided.history.at(-1);
    const reply = await tryInput(asking, guided.state.input).catch((error: unknown) => {
      const refused = last === undefined ? null : problemOf(asking, guided.state, last.slot, error);
      if (refused === null) throw error;
      sayProblem(output, refused.problem);
      return null;
    });
    if (reply !== null) {
      await showEnd(asking, input, reply);
      if ((await askToDo(asking)) === 'do') return input;
    }
    guided = stepBack(guided);
  }
};

/** A session whose clock stands: `now` and `+90d` count from the first question, however long the others take. */
const atOneMoment = (session: Session): Session => {
  const { clock } = session.context;
  const now = clock.now();
  return { ...session, context: { ...session.context, clock: { ...clock, now: () => now } } };
};

/**
 * The input with what is missing, asked for on a terminal. Off one it is as it was given: `gatherInput` has refused it.
 *
 * @throws declined, unauthenticated, and what no other answer mends
 */
export const askMissing = async (
  session: Session,
  { operation, fields, input, filled = [] }: Order,
): Promise<RawInput> => {
  if (!isInteractive(session.call.environment)) return input;
  const isGuided = guideOf(operation) !== null;
  const plan = planOf(operation, fields, { isFull: isGuided && session.call.globals.yes !== true, filled });
  const given = givenState(plan, input);
  if (!isIncomplete(plan, given)) return input;
  await identify(operation, session.credentials, session.context);
  const asking: Asking = { session: atOneMoment(session), operation, fields, plan, filled, isGuided };
  checkGiven(asking, given);
  if (isGuided) return guide(asking, given);
  const { state } = await askAll(asking, { state: given, history: [] }, new Map());
  return state.input;
};
