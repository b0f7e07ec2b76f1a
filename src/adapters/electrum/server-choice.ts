/** Which server of the list is opened: the first that answers and is up to date. */
import type { Network } from '../../bch/network.js';
import { messageOf, TreasuryError } from '../../errors.js';
import type { Log } from '../../operation/context.js';
import type { Connect } from './connection.js';
import type { ServerUrl } from './server-url.js';
import { openSession, type ServerSession, type SessionOptions } from './session.js';

/** Time limits, in milliseconds but for the last. */
export type Limits = {
  /** Until a server has greeted. */
  readonly connectMs: number;
  /** For one answer. */
  readonly requestMs: number;
  /** For one question to all servers together. */
  readonly totalMs: number;
  /** How long a server that failed is asked last. */
  readonly restMs: number;
  /** For the index of a server to show what its node has taken. */
  readonly shownMs: number;
  /** Seconds from which on a tip is stale; null: never, for chains that are mined by hand. */
  readonly staleSeconds: number | null;
};

export type ChoiceOptions = {
  readonly network: Network;
  readonly servers: readonly ServerUrl[];
  readonly limits: Limits;
  readonly log: Log;
  /** Wall clock, unix seconds. */
  readonly now: () => number;
  readonly connect: Connect;
};

/** What becomes of the sessions that are opened. */
export type SessionEvents = Pick<SessionOptions, 'onNotification' | 'onLost' | 'onWarning' | 'signal'>;

type ServerChoice = {
  /**
   * The first server that is up to date, else the one with the highest tip. Those that failed lately are tried when no
   * other can be opened.
   * @param deadline milliseconds since the epoch
   * @throws chain_unavailable, with what each server did
   */
  readonly open: (deadline: number, except?: ServerUrl) => Promise<ServerSession>;
  /** The first up-to-date server among those that did not fail lately, else null. Never throws. */
  readonly openRested: (deadline: number, except: ServerUrl) => Promise<ServerSession | null>;
  /** True when its tip is old, or behind the best that any server has shown. */
  readonly isStale: (session: ServerSession) => boolean;
  /** Says that a server has failed. */
  readonly rest: (server: ServerUrl, reason: string) => void;
};

/** Blocks that a server may be behind the best tip that was seen. */
const MOST_BLOCKS_BEHIND = 3;

export const unavailable = (reasons: readonly string[]): TreasuryError =>
  new TreasuryError('chain_unavailable', {
    reason: reasons.length === 0 ? 'no server answers' : [...new Set(reasons)].join('; '),
  });

/** What is remembered of a server. */
type Memory = {
  /** Milliseconds since the epoch. */ restsUntil: number;
  /** Of the tip it showed last. */ height: number;
};

/** Of two sessions that are behind, the one that is less so; the other is closed. */
const keepHigher = (kept: ServerSession | null, found: ServerSession): ServerSession => {
  if (kept === null) return found;
  const isHigher = found.tip().height > kept.tip().height;
  (isHigher ? kept : found).close();
  return isHigher ? found : kept;
};

/** What is known of the servers from before. */
const createMemories = (
  { servers, limits, log, now }: Omit<ChoiceOptions, 'network' | 'connect'>,
  { signal }: Pick<SessionEvents, 'signal'>,
) => {
  const memories = new Map<ServerUrl, Memory>(
    servers.map((server) => [server, { restsUntil: 0, height: 0 }]),
  );
  const remember = (server: ServerUrl, facts: Partial<Memory>): void => {
    Object.assign(memories.get(server) ?? {}, facts);
  };
  const isResting = (server: ServerUrl): boolean => (memories.get(server)?.restsUntil ?? 0) > Date.now();

  const rest: ServerChoice['rest'] = (server, reason) => {
    // What a server claimed before it failed is no measure for the others.
    remember(server, { restsUntil: Date.now() + limits.restMs, height: 0 });
    if (!signal.aborted) log.warn({ server: server.text, reason }, 'an Electrum server failed');
  };
  const isStale = (session: ServerSession): boolean => {
    const { height, time } = session.tip();
    remember(session.server, { height });
    const best = Math.max(...[...memories.values()].map((memory) => memory.height));
    const isOld = limits.staleSeconds !== null && now() - time > limits.staleSeconds;
    return isOld || height < best - MOST_BLOCKS_BEHIND;
  };
  return { rest, isResting, isStale };
};

/** Opens servers in the order of the list. */
export const createServerChoice = (
  { network, servers, limits, log, now, connect }: ChoiceOptions,
  events: SessionEvents,
): ServerChoice => {
  const { rest, isResting, isStale } = createMemories({ servers, limits, log, now }, events);

  /** The first of the candidates that is up to date, else the one with the highest tip, else null. */
  const openFirst = async (
    candidates: readonly ServerUrl[],
    deadline: number,
    reasons: string[],
  ): Promise<ServerSession | null> => {
    let behind: ServerSession | null = null;
    for (const server of candidates) {
      const limitMs = Math.min(limits.connectMs, deadline - Date.now());
      if (limitMs <= 0 || events.signal.aborted) break;
      try {
        const session = await openSession(server, { network, limitMs, connect, ...events });
        if (!isStale(session)) {
          behind?.close();
          return session;
        }
        reasons.push(`${server.text} is behind at block ${session.tip().height}`);
        behind = keepHigher(behind, session);
      } catch (error) {
        reasons.push(`${server.text} ${messageOf(error)}`);
        rest(server, messageOf(error));
      }
    }
    if (behind !== null) log.warn({ reason: reasons.join('; ') }, 'no Electrum server is up to date');
    return behind;
  };

  const open: ServerChoice['open'] = async (deadline, except) => {
    const reasons: string[] = [];
    const candidates = servers.filter((server) => server !== except);
    const [rested, resting] = [
      candidates.filter((server) => !isResting(server)),
      candidates.filter(isResting),
    ];
    const session =
      (await openFirst(rested, deadline, reasons)) ?? (await openFirst(resting, deadline, reasons));
    if (session === null) throw unavailable(reasons);
    return session;
  };

  const openRested: ServerChoice['openRested'] = (deadline, except) =>
    openFirst(
      servers.filter((server) => server !== except && !isResting(server)),
      deadline,
      [],
    );

  return { open, openRested, isStale, rest };
};

/** The session of the second opinion, with another server than the one in use. */
export const createOther = (choice: ServerChoice) => {
  let other: ServerSession | null = null;
  let opening: Promise<ServerSession | null> | null = null;

  /** What is behind is no second opinion, and is not asked again for a while. */
  const refuse = (session: ServerSession): null => {
    session.close();
    choice.rest(session.server, 'is behind');
    return null;
  };
  const open = async ({ server }: ServerSession, deadline: number): Promise<ServerSession | null> => {
    const found = await choice.openRested(deadline, server);
    if (found === null || choice.isStale(found)) return found && refuse(found);
    other = found;
    return found;
  };
  return {
    acquire: async (current: ServerSession, deadline: number): Promise<ServerSession | null> => {
      if (other !== null && choice.isStale(other)) other = refuse(other);
      opening ??=
        other === null
          ? open(current, deadline).finally(() => {
              opening = null;
            })
          : null;
      return opening ?? other;
    },
    /** True when it was this session, which is none any more. */
    letGo: (session: ServerSession): boolean => {
      if (other !== session) return false;
      other = null;
      return true;
    },
    /** Makes room where a server is taken into use: nobody is a second opinion of itself. */
    leave: (server: ServerUrl): void => {
      if (other?.server !== server) return;
      other.close();
      other = null;
    },
  };
};
