/** The session in use: one at a time, the next server of the list when it fails, hangs, or is behind. */
import { messageOf, type TreasuryError } from '../../errors.js';
import type { Log } from '../../operation/context.js';
import type { Reply } from './connection.js';
import { Contradiction, disagreement } from './contradiction.js';
import type { ReadReply } from './replies.js';
import { createOther, createServerChoice, unavailable, type ChoiceOptions } from './server-choice.js';
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
   * @throws chain_unavailable, with what each server did; server_disagrees, when one of them said what cannot be
   */
  readonly ask: <T>(method: string, params: readonly unknown[], read: ReadReply<T>) => Promise<T>;
  /** Lets go of the server in use when there are others: it has said what cannot be. */
  readonly distrust: (reason: string) => void;
  /** The same, with who answered. */
  readonly askFor: <T>(method: string, params: readonly unknown[], read: ReadReply<T>) => Promise<Answer<T>>;
  /** Asks one server alone. @throws Error, Contradiction */
  readonly askOne: <T>(
    session: ServerSession,
    method: string,
    params: readonly unknown[],
    read: ReadReply<T>,
  ) => Promise<T>;
  /** Another server than the one in use, for a second opinion; null when there is none, or it does not answer. */
  readonly second: () => Promise<ServerSession | null>;
  /** Lets go of a server that said what cannot be, and asks it last for a while. The only one stays in use. */
  readonly blame: (session: ServerSession, reason: string) => void;
  /** Servers of the list. */
  readonly count: number;
  /** The newest tip that the server in use has told of itself (its header, hex); null without one. */
  readonly toldTip: () => string | null;
  /** The URL of the server whose session is open, or null. */
  readonly inUse: () => string | null;
  /** Ends what is open or being opened; nothing is opened again. */
  readonly close: () => void;
};

/** What a server said. */
export type Answer<T> = { readonly value: T; readonly session: ServerSession };

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
    const wasInUse = current === session;
    if (wasInUse) current = null;
    if (wasInUse || other.letGo(session)) choice.rest(session.server, reason);
    if (wasInUse) options.onLost();
  };
  const choice = createServerChoice(options, {
    signal: ending.signal,
    onNotification: (session, method, params) => {
      if (session === current) options.onNotification(method, params);
    },
    onLost: drop,
    onWarning: warnIn(log),
  });
  const other = createOther(choice);
  const use = (session: ServerSession): ServerSession => {
    if (ending.signal.aborted) throw unavailable(CLOSED);
    current?.close();
    other.leave(session.server);
    current = session;
    options.onOpened(session);
    return session;
  };
  /** Looks now and then for a server that is up to date; what is behind is better than nothing. */
  const renew = async (session: ServerSession, deadline: number): Promise<ServerSession> => {
    lookAgainAt = Date.now() + limits.restMs;
    const found = await choice.open(deadline, session.server).catch(() => null);
    if (found !== null && !choice.isStale(found)) return use(found);
    found?.close();
    return session;
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
    acquireOther: other.acquire,
    drop,
    current: () => current,
    close: () => {
      ending.abort();
      current = null;
    },
  };
};

/** A server that failed, and why: a text that begins with its name. */
export type Failure = { readonly text: string; /** It said what cannot be. */ readonly isFalse: boolean };

/** What is said when every server failed. */
export const failureOf = (failures: readonly Failure[]): TreasuryError => {
  const reasons = failures.map(({ text }) => text);
  return failures.some(({ isFalse }) => isFalse)
    ? disagreement([...new Set(reasons)].join('; '))
    : unavailable(reasons);
};

/** A session with another server than the one in use; null when there is none in time. */
const secondOf = async (
  { acquire, acquireOther }: ReturnType<typeof createKeeper>,
  deadline: number,
): Promise<ServerSession | null> => {
  try {
    return await acquireOther(await acquire(deadline), deadline);
  } catch {
    // Whoever asks the first says why.
    return null;
  }
};

/** Nothing is opened before the first question. */
export const createFailOver = (options: FailOverOptions): FailOver => {
  const { servers, limits } = options;
  const keeper = createKeeper(options);
  const deadlineFromNow = (): number => Date.now() + limits.totalMs;

  const askFor: FailOver['askFor'] = async (method, params, read) => {
    const deadline = deadlineFromNow();
    const failures: Failure[] = [];
    // Once more than there are servers, since the session that is open may have died unnoticed.
    for (let attempt = 0; attempt <= servers.length && Date.now() < deadline; attempt += 1) {
      const session = await keeper.acquire(deadline).catch((error: unknown) => {
        throw failures.length === 0
          ? error
          : failureOf([...failures, { text: messageOf(error), isFalse: false }]);
      });
      const fail = (error: unknown): void => {
        const text = `${session.server.text} ${messageOf(error)}`;
        failures.push({ text, isFalse: error instanceof Contradiction });
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
        return { value: read(reply), session };
      } catch (error) {
        fail(error);
        // The server is there, and there is no other that might know better.
        if (servers.length === 1) break;
        keeper.drop(session, messageOf(error));
      }
    }
    throw failureOf(failures);
  };

  const blame: FailOver['blame'] = (session, reason) => {
    if (servers.length > 1) keeper.drop(session, reason);
  };

  return {
    askFor,
    ask: async (method, params, read) => (await askFor(method, params, read)).value,
    askOne: async (session, method, params, read) =>
      read(await session.request(method, params, limits.requestMs)),
    session: () => keeper.acquire(deadlineFromNow()),
    toldTip: () => keeper.current()?.tip().hex ?? null,
    inUse: () => keeper.current()?.server.text ?? null,
    distrust: (reason) => {
      const session = keeper.current();
      if (session !== null) blame(session, reason);
    },
    second: () =>
      servers.length < 2 ? Promise.resolve(null) : secondOf(keeper, Date.now() + limits.connectMs),
    blame,
    count: servers.length,
    close: keeper.close,
  };
};
