/** One operation from the command line to its answer. */
import type { AppPart } from '../app.js';
import { inputSchema } from '../operation/coerce.js';
import { cut, invalidField } from '../errors.js';
import type { AnyOperation } from '../operation/define.js';
import { execute, type Reply } from '../operation/execute.js';
import { readInput } from '../operation/read-input.js';
import { removePendingStepsOf } from '../record/pending-steps.js';
import type { Call } from './call.js';
import { askConsent } from './consent.js';
import { drawView } from './draw-view.js';
import { genericView } from './generic-view.js';
import { isInteractive } from './environment.js';
import { hasHome, tellNoHome } from './no-home.js';
import { agreeOnDollars, readWrittenValues } from './written-values.js';
import { faceOf, verbOf, type Field } from './fields.js';
import { completeInput } from './complete-input.js';
import type { FileEntries, RowsFile } from './file-entries.js';
import { fillCaller, gatherInput, type Given, type RawInput } from './gather-input.js';
import { withReader } from './output.js';
import { withPageUrl } from './page-link.js';
import { rateFor } from './reader.js';
import { checkWatch, watchReplies } from './watch.js';
import { everyPage } from './every-page.js';
import { withSession, type Session } from './session.js';
import { exitOf, showReply } from './show-reply.js';

/** The words that name the record: what was given by position first. */
const recordName = (fields: readonly Field[], input: RawInput, operation: AnyOperation): string => {
  const first = fields.find(({ place }) => place === 'position');
  const name = first === undefined ? undefined : input[first.name];
  return typeof name === 'string' ? name : verbOf(operation);
};

/** Asks what the operation wants to be asked. @throws declined, missing_value, and what the input is refused with */
const askFirst = async (session: Session, operation: AnyOperation, raw: RawInput): Promise<void> => {
  const asks = faceOf(operation)?.asks;
  if (asks === undefined) return;
  const { context } = session;
  const question = await asks(readInput(operation, raw, context.network).input, context);
  if (question === null) return;
  await askConsent(session, { question, endingLabel: null, confirmed: undefined });
};

/** Shows what is agreed to, and asks where that is all that asks. @throws declined, and what that throws */
const showFirst = async (session: Session, operation: AnyOperation, input: RawInput): Promise<void> => {
  const { showsFirst: shown } = faceOf(operation) ?? {};
  if (shown === undefined) return;
  const { call, context, credentials } = session;
  const { properties } = inputSchema(shown.operation);
  const taken = Object.entries(input).filter(([name]) => Object.hasOwn(properties, name));
  const reply = await execute(shown.operation, Object.fromEntries(taken), context, credentials);
  const view = shown.operation.view?.(reply) ?? genericView(reply);
  call.output.talk(drawView(view, call.output.paintTalk));
  if (shown.question === undefined || !isInteractive(call.environment)) return;
  await askConsent(session, { question: shown.question, endingLabel: null, confirmed: undefined });
};

/** The entries of a file, where one is named: what reads them is heavy, and loaded then. @throws as readFileEntries */
const readListed = async (
  session: Session,
  operation: AnyOperation,
  input: RawInput,
  rows: RowsFile | undefined,
): Promise<FileEntries | null> => {
  if (rows === undefined) return null;
  const { readFileEntries } = await import('./file-entries.js');
  return readFileEntries(session, operation, input, rows);
};

/** Who is shown it, and in what. */
type Shown = Pick<Session, 'call' | 'context'>;

/** Shows a reply; with what a BCH is worth, where the reader is told of BCH. */
const showTo = async (
  session: Pick<Session, 'call' | 'context' | 'app' | 'settings'>,
  operation: AnyOperation,
  reply: Reply,
): Promise<void> => {
  const {
    call: { output },
    context,
  } = session;
  const isWorthTelling = output.mode === 'text' && output.paint.screen?.columns != null;
  const rate = isWorthTelling && faceOf(operation)?.homeOnly !== true ? await rateFor(context) : null;
  const shown = withPageUrl(reply, operation, session);
  await showReply(rate === null ? output : withReader(output, { rate }), operation, shown, context.store);
};

/** Flags of a command that are no fields of its operation. */
export type ReadingFlags = {
  readonly confirm?: string;
  readonly all?: boolean;
  readonly watch?: boolean;
  readonly every?: string;
  /** A file of rows, in the place of a field. */
  readonly rows?: RowsFile;
};

const EVERY_SECONDS = 10;

/** How long a watch waits at most. @throws invalid_input */
const secondsBetween = ({ every, watch = false }: ReadingFlags): number => {
  if (every === undefined) return EVERY_SECONDS;
  if (!watch) throw invalidField('every', 'goes with --watch');
  if (/^\d{1,5}$/.test(every) && Number(every) > 0) return Number(every);
  throw invalidField('every', `expected seconds from 1 to 99999, not "${cut(every)}"`);
};

/** What of the app an operation needs. */
const partOf = (operation: AnyOperation): AppPart => {
  if (faceOf(operation)?.homeOnly === true) return 'home';
  return operation.http?.method === 'GET' || faceOf(operation)?.readsOnly === true ? 'read' : 'command';
};

/** @throws declined */
const askToEnd = (
  session: Session,
  endingLabel: ReturnType<typeof recordName>,
  confirmed: ReadingFlags['confirm'],
) => askConsent(session, { question: '', endingLabel, confirmed });

/**
 * Performs an operation: gathers its input, opens the home, asks when it ends something, runs it, shows the reply.
 *
 * @returns the exit code
 * @throws what the operation throws, missing_value, declined
 */
export const performOperation = async (
  call: Call,
  operation: AnyOperation,
  fields: readonly Field[],
  given: Given,
  flags: ReadingFlags,
): Promise<number> => {
  const { confirm, all = false, watch = false, rows } = flags;
  const seconds = secondsBetween(flags);
  if (watch) checkWatch(call);
  const { makesNoHome = false, sheet } = faceOf(operation) ?? {};
  const filled = rows === undefined || sheet?.entries == null ? [] : [sheet.entries];
  const [twice] = filled.filter((name) => given[name] !== undefined);
  if (twice !== undefined) throw invalidField(twice, 'is given, and so is --file: give one of them');
  const gathered = await gatherInput(fields, given, call, filled);
  if (makesNoHome && !(await hasHome(call))) return tellNoHome(call);
  return withSession(
    call,
    async (session) => {
      const { context, operator, credentials } = session;
      const target = { operation, fields };
      const named = await readWrittenValues(target, gathered, session);
      const own = fillCaller(fields, named, operator.address?.text ?? null);
      const asked = await completeInput(session, { ...target, input: own, filled });
      const listed = await readListed(session, operation, asked, rows);
      const input = await agreeOnDollars(target, listed?.input ?? asked, session);
      await listed?.agree(input, recordName(fields, input, operation));
      await showFirst(session, operation, input);
      await askFirst(session, operation, input);
      // What is only handed out to be signed elsewhere ends nothing.
      if (faceOf(operation)?.ending === true && input['unsigned'] !== true)
        await askToEnd(session, recordName(fields, input, operation), confirm);
      const once = () =>
        execute(operation, input, context, credentials).catch((error: unknown) => {
          throw listed?.inLines(error) ?? error;
        });
      const ask = () =>
        all
          ? everyPage((page) => execute(operation, { ...input, ...page }, context, credentials), operation)
          : once();
      const show = (reply: Reply, to: Shown = session) => showTo({ ...session, ...to }, operation, reply);
      if (watch) return watchReplies(session, { ask, seconds, show });
      const reply = await ask();
      // A step that was confirmed by hand is no longer under way.
      const { state, txHash } = reply;
      if (state === 'confirmed' && typeof txHash === 'string') {
        await removePendingStepsOf(context.store, txHash);
      }
      await show(reply);
      return exitOf(reply);
    },
    {
      setUp: operation.id !== 'init' && !makesNoHome,
      inspectOnly: faceOf(operation)?.inspectOnly === true,
      part: partOf(operation),
    },
  );
};
