/** The session in use: one at a time, the next server of the list when it fails, hangs, or is behind. */
import type { Log } from '../../operation/context.js';
import type { Reply } from './connection.js';
import type { ReadReply } from './replies.js';
import { createServerChoice, messageOf, unavailable, type ChoiceOptions } from './server-choice.js';
import type { ServerSession } from './session.js';

export type FailOverOptions = ChoiceOptions & {
  readonly onNotification: (method: string, params: readonly unknown[]) => void;
  /** Told of each session that is taken into use: what was subscribed with another is not subscribed with it. */
  readonly onOpened: (session: ServerSession) => void;
  readonly onLost: () => void;
};

export type FailOver = {
  /** The session in use; opens one when there is none. @throws chain_unavailable */
  readonly session: () => Promise<ServerSession>;
  /**
   * Asks, and asks the next server when one fails or `read` throws.
   * @throws chain_unavailable, with what each server did
   */
  readonly ask: <T>(method: string, params: readonly unknown[], read: ReadReply<T>) => Promise<T>;
  /** Lets go of the server in use when there are others: it has said what cannot be. */
  readonly distrust: (reason: string) => void;
  /** The URL of the server whose session is open, or null. */
  readonly inUse: () => string | null;
  /** Ends what is open or being opened; nothing is opened again. */
  readonly close: () => void;
};

const CLOSED = ['it was closed'];

const warnIn =
  (log: Log) =>
  (message: string): void => {
    log.warn({}, message);
  };

/** What takes sessions into use and drops them. */
const createKeeper = (options: FailOverOptions) => {
  const { servers, limits, log } = options;
  const ending = new AbortController();
  let current: ServerSession | null = null;
  let opening: Promise<ServerSession> | null = null;
  let lookAgainAt = 0;

  const drop = (session: ServerSession, reason: string): void => {
    session.close();
    if (current !== session) return;
    current = null;
    choice.rest(session.server, reason);
    options.onLost();
  };
  const choice = createServerChoice(options, {
    signal: ending.signal,
    onNotification: (session, method, params) => {
      if (session === current) options.onNotification(method, params);
    },
    onLost: drop,
    onWarning: warnIn(log),
  });
  const use = (session: ServerSession): ServerSession => {
    if (ending.signal.aborted) throw unavailable(CLOSED);
    current?.close();
    current = session;
    options.onOpened(session);
    return session;
  };
  /** Looks now and then for a server that is up to date; what is behind is better than nothing. */
  const renew = async (session: ServerSession, deadline: number): Promise<ServerSession> => {
    lookAgainAt = Date.now() + limits.restMs;
    const other = await choice.open(deadline, session.server).catch(() => null);
    if (other === null || choice.isStale(other)) {
      other?.close();
      return session;
    }
    return use(other);
  };
  const needsRenewal = (session: ServerSession): boolean =>
    servers.length > 1 && choice.isStale(session) && Date.now() >= lookAgainAt;

  const acquire = async (deadline: number): Promise<ServerSession> => {
    if (ending.signal.aborted) throw unavailable(CLOSED);
    if (current !== null && !needsRenewal(current)) return current;
    opening ??= (current === null ? choice.open(deadline).then(use) : renew(current, deadline)).finally(
      () => {
        opening = null;
      },
    );
    return opening;
  };
  return {
    acquire,
    drop,
    current: () => current,
    close: () => {
      ending.abort();
      current = null;
    },
  };
};

/** Nothing is opened before the first question. */
export const createFailOver = (options: FailOverOptions): FailOver => {
  const { servers, limits } = options;
  const keeper = createKeeper(options);
  const deadlineFromNow = (): number => Date.now() + limits.totalMs;

  const ask: FailOver['ask'] = async (method, params, read) => {
    const deadline = deadlineFromNow();
    const reasons: string[] = [];
    // Once more than there are servers, since the session that is open may have died unnoticed.
    for (let attempt = 0; attempt <= servers.length && Date.now() < deadline; attempt += 1) {
      const session = await keeper.acquire(deadline).catch((error: unknown) => {
        throw reasons.length === 0 ? error : unavailable([...reasons, messageOf(error)]);
      });
      const fail = (error: unknown): void => {
        reasons.push(`${session.server.text} ${messageOf(error)}`);
      };
      let reply: Reply;
      try {
        const limitMs = Math.max(1, Math.min(limits.requestMs, deadline - Date.now()));
        reply = await session.request(method, params, limitMs);
      } catch (error) {
        fail(error);
        keeper.drop(session, messageOf(error));
        continue;
      }
      try {
        return read(reply);
      } catch (error) {
        fail(error);
        // The server is there, and there is no other that might know better.
        if (servers.length === 1) break;
        keeper.drop(session, messageOf(error));
      }
    }
    throw unavailable(reasons);
  };

  return {
    ask,
    session: () => keeper.acquire(deadlineFromNow()),
    inUse: () => keeper.current()?.server.text ?? null,
    distrust: (reason) => {
      const session = keeper.current();
      if (session !== null && servers.length > 1) keeper.drop(session, reason);
    },
    close: keeper.close,
  };
};
