/**
 * Scripts that a server does not let one client subscribe to: their histories are asked for in turn, a batch at a time,
 * and what they come to is told as a subscription would tell it.
 */
import type { Log } from '../../operation/context.js';
import { readHistoryStatus } from './replies.js';
import type { ServerSession } from './session.js';

type Polled = { readonly scriptHash: string };

export type PollOptions<P extends Polled> = {
  readonly requestMs: number;
  readonly log: Log;
  /** Told the status of each, also when it is the same as before. */
  readonly onStatus: (polled: P, status: string | null) => void;
};

/** Histories that are asked for together, and how long after the last ones. */
const AT_ONCE = 100;
const TICK_MS = 1_000;
/** No history is asked for again sooner than this. */
const ROUND_MS = 30_000;

export type Polling<P extends Polled> = {
  readonly add: (session: ServerSession, polled: P) => void;
  /** False when it was not polled. */
  readonly remove: (polled: P) => boolean;
  readonly close: () => void;
};

/** Nothing is asked for before something is added. */
export const pollHistories = <P extends Polled>({ requestMs, log, onStatus }: PollOptions<P>): Polling<P> => {
  const sessions = new Map<P, ServerSession>();
  let round = new Set<P>();
  let isDueAt = 0;
  let timer: NodeJS.Timeout | null = null;
  let said: ServerSession | null = null;

  const lookAt = async (polled: P): Promise<void> => {
    const session = sessions.get(polled);
    if (session === undefined) return;
    const { scriptHash } = polled;
    const reply = await session.request('blockchain.scripthash.get_history', [scriptHash], requestMs);
    if (sessions.get(polled) === session) onStatus(polled, readHistoryStatus(reply));
  };
  const look = async (): Promise<void> => {
    if (round.size === 0 && performance.now() >= isDueAt) {
      round = new Set(sessions.keys());
      isDueAt = performance.now() + ROUND_MS;
    }
    // A session that ended is followed by another, with which all is subscribed anew: nothing is missed.
    const part = [...round].slice(0, AT_ONCE);
    for (const polled of part) round.delete(polled);
    await Promise.allSettled(part.map(lookAt));
  };
  const later = (): void => {
    if (timer !== null || sessions.size === 0) return;
    timer = setTimeout(() => {
      void look().finally(() => {
        timer = null;
        later();
      });
    }, TICK_MS).unref();
  };
  return {
    add: (session, polled) => {
      sessions.set(polled, session);
      round.add(polled);
      if (said !== session) {
        const server = session.server.text;
        log.info({ server }, 'the server lets a client subscribe to no more: the rest is asked for in turn');
      }
      said = session;
      later();
    },
    remove: (polled) => sessions.delete(polled),
    close: () => {
      if (timer !== null) clearTimeout(timer);
      sessions.clear();
    },
  };
};
