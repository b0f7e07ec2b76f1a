/** Page after page to one client, no faster than it reads them. */
import type { Log } from '../operation/context.js';
import type { StreamPage } from '../operation/define.js';
import type { FaceResponse } from './exchange.js';
import type { News } from './stream-news.js';
import type { StreamSettings } from './stream-settings.js';

/** JSON has no line breaks of its own, and in a name there are none. */
const messageText = ({ id, event, data }: StreamPage['messages'][number]): string =>
  `id: ${id}\nevent: ${event.replace(/[^\w.]/g, '')}\ndata: ${JSON.stringify(data)}\n\n`;

/** Moves the client's cursor on without a message. */
export const cursorText = (cursor: number): string => `id: ${cursor}\n\n`;

/** Resolves when what was written has left, with false when it has not in time, or will not. */
const drained = (response: FaceResponse, milliseconds: number): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isDrained: boolean): void => {
      clearTimeout(timer);
      response.off('drain', onDrain).off('close', onClose);
      resolve(isDrained);
    };
    const onDrain = (): void => {
      end(true);
    };
    const onClose = (): void => {
      end(false);
    };
    const timer = setTimeout(end, milliseconds, false).unref();
    response.once('drain', onDrain).once('close', onClose);
  });

/** Writes to a client; what it does not read is not written, and one that never reads is cut off. */
const createWriter = (response: FaceResponse, { stallMs }: StreamSettings, log: Log) => ({
  /** @returns false when there is nobody to write to any more */
  write: async (text: string): Promise<boolean> => {
    if (response.writableEnded || response.destroyed) return false;
    if (response.write(text)) return true;
    if (await drained(response, stallMs)) return true;
    log.info({}, 'a client has not read its events, and is cut off');
    response.destroy();
    return false;
  },
});

export type Stream = {
  readonly response: FaceResponse;
  readonly look: (cursor: number) => Promise<StreamPage>;
  readonly news: News;
  readonly settings: StreamSettings;
  readonly signal: AbortSignal;
  readonly log: Log;
};

/** Asked again after each wait: somebody may have ended it meanwhile. */
const isOver = ({ aborted }: AbortSignal): boolean => aborted;

/** Sends page after page until somebody goes away. @throws what a look throws */
export const sendPages = async (first: StreamPage, seenFirst: number, stream: Stream): Promise<void> => {
  const { response, look, news, settings, signal, log } = stream;
  const { write } = createWriter(response, settings, log);
  let [page, seen, told] = [first, seenFirst, -1];
  while (!isOver(signal)) {
    for (const message of page.messages) {
      if (!(await write(messageText(message)))) return;
      told = message.id;
    }
    if (!page.hasMore) {
      await news.after(seen, settings.heartbeatMs, signal);
      if (isOver(signal)) return;
      if (news.version() === seen) {
        // What was passed over need not be looked at again by whoever comes back.
        if (!(await write(page.cursor > told ? `:\n${cursorText(page.cursor)}` : ':\n\n'))) return;
        told = page.cursor;
      }
    }
    seen = news.version();
    page = await look(page.cursor);
  }
};
