/** Asking whoever holds a wallet's key on a phone: what is said on the terminal meanwhile. */
import type { Asking } from '../operation/ports/keys.js';
import type { Call } from './call.js';
import { stopSpinner } from './environment.js';
import { wrapTo } from './plain-text.js';

/** On a terminal lines are broken between words; elsewhere they stay whole. */
const inLines = (text: string, { isTTY, columns = 80 }: Call['environment']['stderr']): string =>
  isTTY === true ? wrapTo(text, columns).join('\n') : text;

/**
 * Shows what an app scans: as a picture and a text on a terminal; else as the text alone, on stdout where that is no JSON
 * document, and as the first line of `--jsonl`.
 */
const showCode = async (
  { environment: { stderr }, output }: Call,
  uri: string,
  picture: string,
): Promise<void> => {
  if (output.mode === 'jsonl') {
    output.data(JSON.stringify({ uri }));
    return;
  }
  if (stderr.isTTY !== true) {
    if (output.mode === 'json') output.warn(uri);
    else output.data(uri);
    return;
  }
  const { drawCode } = await import('./draw-qr.js');
  const { columns = 80 } = stderr;
  output.warn(inLines('Scan this with the wallet on your phone, or paste the text into it:', stderr));
  output.warn(
    drawCode(picture, columns, output.paintTalk) ?? `(The picture needs more than ${columns} columns.)`,
  );
  output.warn(uri);
};

/** How a call asks. */
export const askingOf = (call: Call): Asking => ({
  tell: (text) => {
    stopSpinner(call);
    call.output.talk(inLines(text, call.environment.stderr));
  },
  show: (uri, picture = uri) => {
    stopSpinner(call);
    return showCode(call, uri, picture);
  },
  ...(call.environment.onInterrupt === undefined ? {} : { onInterrupt: call.environment.onInterrupt }),
});
