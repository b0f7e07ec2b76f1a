/** What a page asks for: asked when it is drawn, again when the reader comes back to it, and once a minute meanwhile. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { get } from './api.js';
import { failureOf, type PageFailure } from './failure.js';
import type { Reply } from './replies.js';
import { credentials, useService, useWho } from './who.js';

/** Milliseconds between two looks of somebody who stays. */
const AGAIN_AFTER = 60_000;

export type Asked<R extends Reply> = {
  /** The last reply, also while the next is waited for, or could not be had; null: there was none. */
  readonly reply: R | null;
  /** Why the last question was not answered; null: it was. */
  readonly failure: PageFailure | null;
  readonly isBusy: boolean;
  readonly again: () => void;
};

type Known<R> = {
  readonly key: string | null;
  readonly reply: R | null;
  readonly failure: PageFailure | null;
  readonly isBusy: boolean;
};

/** Calls `look` when somebody comes back to the page or the network does, and now and then while they are there. */
const onReturn = (look: () => void): (() => void) => {
  const whenSeen = (): void => {
    if (document.visibilityState === 'visible') look();
  };
  const timer = setInterval(whenSeen, AGAIN_AFTER);
  document.addEventListener('visibilitychange', whenSeen);
  addEventListener('online', whenSeen);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', whenSeen);
    removeEventListener('online', whenSeen);
  };
};

/** Which addresses are asked as whom: what one reader was shown is not shown to the next. */
const useKey = (path: string | null): string | null => {
  const { address, session } = useWho();
  // A login tells more.
  const proof = session === null ? '' : Object.keys(credentials()).join(',');
  const isReady = useService() !== null;
  return path === null || !isReady ? null : `${address ?? ''} ${proof} ${path}`;
};

/**
 * The reply of an address of the API, as it changes.
 *
 * @param path null: nothing is asked for
 */
export const useAsked = <R extends Reply>(path: string | null): Asked<R> => {
  const key = useKey(path);
  const [known, setKnown] = useState<Known<R>>({ key: null, reply: null, failure: null, isBusy: true });
  const [round, setRound] = useState(0);
  const again = useCallback(() => {
    setRound((count) => count + 1);
  }, []);
  useEffect(() => (key === null ? undefined : onReturn(again)), [key, again]);
  useEffect(() => {
    if (key === null || path === null) return undefined;
    const leaving = new AbortController();
    const keep = (learnt: Partial<Known<R>>): void => {
      if (leaving.signal.aborted) return;
      setKnown((before) => ({
        key,
        reply: before.key === key ? before.reply : null,
        failure: null,
        isBusy: false,
        ...learnt,
      }));
    };
    setKnown((before) => ({ ...before, isBusy: true }));
    get(path, leaving.signal).then(
      (reply) => {
        keep({ reply: reply as R });
      },
      (error: unknown) => {
        keep({ failure: failureOf(error) });
      },
    );
    return () => {
      leaving.abort();
    };
  }, [key, path, round]);
  const isOwn = known.key === key;
  return {
    reply: isOwn ? known.reply : null,
    failure: isOwn ? known.failure : null,
    isBusy: known.isBusy || !isOwn,
    again,
  };
};
