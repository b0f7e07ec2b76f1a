/** When there may be more to send: whoever waits is told, without asking again and again. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../operation/context.js';
import type { StreamFace } from '../operation/define.js';
import type { StreamSettings } from './stream-settings.js';

/** Streams that are woken in one turn of the program. */
const AT_ONCE = 10;

/** Resolves when the version is another one than that, when the time is over, or when it is aborted. */
const createWait =
  (waiting: Set<() => void>, version: () => number) =>
  (seen: number, milliseconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(pause);
        waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const pause = setTimeout(done, milliseconds).unref();
      waiting.add(done);
      signal.addEventListener('abort', done);
      if (version() !== seen || signal.aborted) done();
    });

/** Tells those who wait that there may be more. It looks only while somebody waits. */
export const createNews = (
  { state }: StreamFace,
  { store, onCommit }: Pick<Context, 'store' | 'onCommit'>,
  { lookMs }: StreamSettings,
) => {
  const waiting = new Set<() => void>();
  let version = 0;
  let last = '';
  let followers = 0;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let stopListening: () => void = () => undefined;

  const lookOnce = async (): Promise<void> => {
    await store.refresh();
    const now = await state(store);
    if (now === last) return;
    last = now;
    version += 1;
    let count = 0;
    for (const wake of [...waiting]) {
      wake();
      count += 1;
      if (count % AT_ONCE === 0) await nextTurn();
    }
  };
  const look = (): void => {
    // What cannot be read now is looked for again, and whoever asks is told why.
    looking ??= lookOnce()
      .catch(() => undefined)
      .finally(() => {
        looking = null;
      });
  };

  return {
    version: () => version,
    /** Looks out until what is returned is called. */
    follow: (): (() => void) => {
      followers += 1;
      if (followers === 1) {
        timer = setInterval(look, lookMs).unref();
        stopListening = onCommit?.(look) ?? (() => undefined);
      }
      return () => {
        followers -= 1;
        if (followers > 0) return;
        clearInterval(timer);
        stopListening();
      };
    },
    after: createWait(waiting, () => version),
  };
};
export type News = ReturnType<typeof createNews>;
