/** A successful reply on stdout, and what goes with it on stderr. */
import { cut, ERRORS, EXIT, invalidField, type ErrorCode } from '../errors.js';
import { toColumn } from '../operation/columns.js';
import type { Action, AnyOperation, View } from '../operation/define.js';
import type { StoreReader } from '../operation/ports/store.js';
import type { Reply } from '../operation/execute.js';
import { drawView, layOutView, nextSteps } from './draw-view.js';
import { columnName } from './flags.js';
import { genericView } from './generic-view.js';
import { viewPageUrl } from './page-link.js';
import { nameTokens } from '../record/name-tokens.js';
import type { Output } from './output.js';
import { plainJson } from './plain-text.js';

const STALE = 'no chain server answers: this is what was known last, and what has accrued is by the clock.';

/** The reply as it stands in JSON: the API's own shape. */
export const successBody = (reply: Reply): Record<string, unknown> => ({ success: true, ...reply });

/** The elements of the one list of a reply, or the whole of it when there is no one list. */
const linesOf = (reply: Reply): readonly unknown[] => {
  const lists = Object.entries(reply).filter(
    (entry): entry is [string, unknown[]] => entry[0] !== 'warnings' && Array.isArray(entry[1]),
  );
  const [list] = lists;
  return list !== undefined && lists.length === 1 ? list[1] : [successBody(reply)];
};

/** Writes a document as the mode of the output asks. */
export const writeDocument = (output: Output, reply: Reply): void => {
  if (output.mode === 'json') output.data(plainJson(JSON.stringify(successBody(reply), null, 2)));
  else for (const line of linesOf(reply)) output.data(plainJson(JSON.stringify(line)));
};

/** What there was no room for, and where it is to be had. */
const hiddenNote = (hidden: readonly string[]): string =>
  `No room for: ${hidden.join(', ')} (--columns, --json or a wider terminal).`;

const tellSteps = (output: Output, view: View): void => {
  const { paintTalk } = output;
  for (const step of nextSteps(view, paintTalk.screen)) output.talk(paintTalk('dim', step));
};

/** Checks that the tables of a view have the columns that were asked for. @throws invalid_input */
const checkColumns = (view: View, chosen: readonly string[]): void => {
  const titles = view.flatMap((block) =>
    block.kind === 'table' ? block.head.map((title, index) => toColumn(title, index).title) : [],
  );
  const names = [...new Set(titles.filter((title) => title !== '').map(columnName))];
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const there = names.length === 0 ? 'there is no table here' : `expected some of ${names.join(', ')}`;
  throw invalidField('columns', `"${cut(unknown)}" is no column: ${there}`);
};

/** Draws a view: its data on stdout, what was left out and its next steps on stderr. */
export const showView = (output: Output, view: View): void => {
  const { paint, paintTalk } = output;
  checkColumns(view, paint.screen?.chosen ?? []);
  const { text, hidden } = layOutView(view, paint, output.drawQr);
  if (text !== '') output.data(text);
  const columns = paint.screen?.columns ?? null;
  if (hidden.length > 0 && columns !== null)
    output.talk(paintTalk('dim', drawView([{ kind: 'text', text: hiddenNote(hidden) }], paintTalk)));
  tellSteps(output, view);
};

/** Says on stderr what an action has stored while its transaction is not sent, and how to go on with it. */
export const tellLeft = (output: Output, { left }: Action, reply: Reply): void => {
  if (left === undefined) return;
  const view = left(reply);
  output.talk(drawView(view, output.paintTalk));
  tellSteps(output, view);
};

const tellWarnings = (output: Output, reply: Reply): void => {
  const warnings = Array.isArray(reply['warnings']) ? reply['warnings'].map(String) : [];
  for (const warning of warnings) output.warn(`${output.paintTalk('yellow', 'Warning:')} ${warning}`);
};

/** Says on stderr what a step comes to and what it warns of, before it is agreed to. */
export const tellTotals = async (
  output: Output,
  { totals }: Action,
  reply: Reply,
  store: StoreReader,
): Promise<void> => {
  tellWarnings(output, reply);
  if (totals === undefined) return;
  output.talk(drawView(await nameTokens(totals(reply), store), output.paintTalk));
};

/** Writes the reply of an operation: a document, or the operation's view of it, tokens by their symbols. */
export const showReply = async (
  output: Output,
  operation: AnyOperation,
  reply: Reply,
  store: StoreReader,
): Promise<void> => {
  tellWarnings(output, reply);
  if (reply['chain_stale'] === true) output.warn(`${output.paintTalk('yellow', 'Warning:')} ${STALE}`);
  if (output.mode !== 'text') {
    writeDocument(output, reply);
    return;
  }
  const own = await nameTokens(operation.view?.(reply) ?? genericView(reply, operation), store);
  const isPaid = own.some(({ kind }) => kind === 'qr');
  // Whoever asks for a picture of what is to be paid gets that alone.
  const view = [...own, ...viewPageUrl(reply).filter(({ kind }) => kind !== 'qr' || !isPaid)];
  showView(output, view);
  if (output.drawQr !== null && !view.some(({ kind }) => kind === 'qr')) {
    output.talk(
      'There is no address to be paid in this answer, and no page of it: nothing to show as a QR code.',
    );
  }
};

/** The exit code of a reply: that of its code when it says of itself that it is none of success. */
export const exitOf = (reply: Reply): number => {
  const { success, code } = reply;
  if (success !== false) return EXIT.done;
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].exit : EXIT.rule;
};
