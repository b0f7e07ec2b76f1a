/** A successful reply on stdout, and what goes with it on stderr. */
import { ERRORS, EXIT, type ErrorCode } from '../errors.js';
import type { Action, AnyOperation, View } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import { drawView, nextSteps, genericView } from './draw-view.js';
import type { Output } from './output.js';

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
  if (output.mode === 'json') output.data(JSON.stringify(successBody(reply), null, 2));
  else for (const line of linesOf(reply)) output.data(JSON.stringify(line));
};

/** Draws a view: its data on stdout, its next steps on stderr. */
export const showView = (output: Output, view: View): void => {
  const text = drawView(view, output.paint, output.drawQr);
  if (text !== '') output.data(text);
  for (const step of nextSteps(view)) output.talk(output.paintTalk('dim', step));
};

/** Says on stderr what an action has stored while its transaction is not sent, and how to go on with it. */
export const tellLeft = (output: Output, { left }: Action, reply: Reply): void => {
  if (left === undefined) return;
  const view = left(reply);
  output.talk(drawView(view, output.paintTalk));
  for (const step of nextSteps(view)) output.talk(output.paintTalk('dim', step));
};

/** Writes the reply of an operation: a document, or the operation's view of it. */
export const showReply = (output: Output, operation: AnyOperation, reply: Reply): void => {
  const warnings = Array.isArray(reply['warnings']) ? reply['warnings'].map(String) : [];
  for (const warning of warnings) output.warn(`${output.paintTalk('yellow', 'Warning:')} ${warning}`);
  if (reply['chain_stale'] === true) output.warn(`${output.paintTalk('yellow', 'Warning:')} ${STALE}`);
  if (output.mode !== 'text') {
    writeDocument(output, reply);
    return;
  }
  const view = operation.view?.(reply) ?? genericView(reply);
  showView(output, view);
  if (output.drawQr !== null && !view.some(({ kind }) => kind === 'qr')) {
    output.talk('There is no address to be paid in this answer: nothing to show as a QR code.');
  }
};

/** The exit code of a reply: that of its code when it says of itself that it is none of success. */
export const exitOf = (reply: Reply): number => {
  const { success, code } = reply;
  if (success !== false) return EXIT.done;
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].exit : EXIT.rule;
};
