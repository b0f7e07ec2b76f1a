/** The scripts that are watched: subscribed as far as the server lets a client, the rest asked for in turn. */
import { atOnce } from '../../operation/at-once.js';
import type { Log } from '../../operation/context.js';
import { pollHistories, type Polling } from './poll-histories.js';
import { readStatus } from './replies.js';
import type { ServerUrl } from './server-url.js';
import type { ServerSession } from './session.js';

export type Listener = () => void;

/** One script that is watched. There may be tens of thousands: each holds what it needs, and no more. */
export type WatchedScript = {
  readonly scriptHash: string;
  /** One is there as often as it watches. */
  listeners: readonly Listener[];
  /** What the server told last, or who watches knew before it was asked; undefined: nothing is known. */
  status: string | null | undefined;
  /** True when it could not be subscribed at once: what happened meanwhile is not known. */
  isLate: boolean;
  /** The session that it was subscribed with. */
  session: ServerSession | null;
  /** Resolves when it is subscribed; null: it is. */
  subscribing: Promise<void> | null;
};

/** Requests that are under way at once when much is subscribed. */
const AT_ONCE = 100;
/** What a server says that lets a client subscribe to no more. Source: Fulcrum, `max_subs_per_ip`, 50,000 by default. */
const NO_MORE = /subscription limit/i;
/** How many a server lets a client subscribe to, once it has said so: some hang up on whoever asks for more again. */
const limits = new WeakMap<ServerUrl, number>();

export const tell = (listeners: Iterable<Listener>, log: Log): void => {
  for (const listener of listeners) {
    try {
      listener();
    } catch (error) {
      log.error({ err: error }, 'a watcher of the chain failed');
    }
  }
};

/** How many scripts are subscribed with each session, and how many its server allows. */
const createRoom = () => {
  const counts = new WeakMap<ServerSession, number>();
  const change = (session: ServerSession, by: number): number => {
    const count = (counts.get(session) ?? 0) + by;
    counts.set(session, count);
    return count;
  };
  return {
    /** False where the server has said that it allows no more. */
    take: (session: ServerSession): boolean => {
      if ((counts.get(session) ?? 0) >= (limits.get(session.server) ?? Infinity)) return false;
      change(session, 1);
      return true;
    },
    leave: (session: ServerSession): void => {
      change(session, -1);
    },
    /** The server does not allow what was taken last. */
    refuse: (session: ServerSession): void => {
      const { server } = session;
      limits.set(server, Math.min(limits.get(server) ?? Infinity, change(session, -1)));
    },
  };
};

type Subscriber = {
  readonly requestMs: number;
  readonly room: ReturnType<typeof createRoom>;
  readonly polled: Polling<WatchedScript>;
  readonly takeStatus: (script: WatchedScript, status: string | null) => void;
};

/** Subscribes one script. @throws Error when the session is lost, or the server refuses for another reason */
const subscribeOne = async (
  session: ServerSession,
  script: WatchedScript,
  { requestMs, room, polled, takeStatus }: Subscriber,
): Promise<void> => {
  /** Looked at now and then, for the first time soon. */
  const poll = (): void => {
    script.isLate ||= script.status === undefined;
    // Unless it was let go of meanwhile.
    if (script.listeners.length > 0) polled.add(session, script);
  };
  if (!room.take(session)) {
    poll();
    return;
  }
  try {
    const reply = await session.request('blockchain.scripthash.subscribe', [script.scriptHash], requestMs);
    if ('refusal' in reply && NO_MORE.test(reply.refusal)) {
      room.refuse(session);
      poll();
    } else takeStatus(script, readStatus(reply));
  } catch (error) {
    room.leave(session);
    script.isLate = true;
    if (script.session === session) script.session = null;
    throw error;
  }
};

/** Subscribes one script; whoever waits for that waits for `subscribing`. */
const begin = (session: ServerSession, script: WatchedScript, subscriber: Subscriber): void => {
  script.session = session;
  const subscribing = subscribeOne(session, script, subscriber).finally(() => {
    if (script.subscribing === subscribing) script.subscribing = null;
  });
  script.subscribing = subscribing;
};

/** Nobody listens yet, and it is subscribed nowhere. */
const unheard = (scriptHash: string, status: string | null | undefined): WatchedScript => ({
  scriptHash,
  listeners: [],
  status,
  isLate: false,
  session: null,
  subscribing: null,
});

type WatchOptions = { readonly requestMs: number; readonly log: Log };

/** Nothing is watched yet. */
export const createWatchedScripts = ({ requestMs, log }: WatchOptions) => {
  const scripts = new Map<string, WatchedScript>();
  const room = createRoom();

  const takeStatus = (script: WatchedScript, status: string | null): void => {
    const isFirst = script.status === undefined && !script.isLate;
    if (script.status === status) return;
    script.status = status;
    if (!isFirst) tell(script.listeners, log);
  };
  const polled = pollHistories({ requestMs, log, onStatus: takeStatus });
  const subscriber: Subscriber = { requestMs, room, polled, takeStatus };

  const add = (scriptHash: string, listener: Listener, known?: string | null): WatchedScript => {
    const before = scripts.get(scriptHash);
    const script = before ?? unheard(scriptHash, known);
    script.listeners = [...script.listeners, listener];
    scripts.set(scriptHash, script);
    if (before === undefined || known === undefined || before.status === known) return script;
    // What another watcher was told of it already is not told again.
    if (before.status === undefined) script.isLate = true;
    else tell([listener], log);
    return script;
  };
  const remove = (script: WatchedScript, listener: Listener): void => {
    const at = script.listeners.indexOf(listener);
    if (at !== -1) script.listeners = script.listeners.toSpliced(at, 1);
    if (script.listeners.length > 0 || scripts.get(script.scriptHash) !== script) return;
    scripts.delete(script.scriptHash);
    if (polled.remove(script) || script.session === null) return;
    room.leave(script.session);
    // The server may keep on telling: nobody listens.
    script.session
      .request('blockchain.scripthash.unsubscribe', [script.scriptHash], requestMs)
      .catch(() => undefined);
  };

  return {
    all: () => [...scripts.values()],
    size: () => scripts.size,
    add,
    remove,
    /** Subscribes what is not yet subscribed with this session. */
    subscribe: async (session: ServerSession, wanted: readonly WatchedScript[]): Promise<void> => {
      await atOnce(AT_ONCE, wanted, (script) => {
        if (script.session !== session) {
          polled.remove(script);
          begin(session, script, subscriber);
        }
        return script.subscribing ?? Promise.resolve();
      });
    },
    /** Takes in what the server tells of a script. */
    hear: (scriptHash: unknown, status: unknown): void => {
      const script = scripts.get(String(scriptHash));
      if (script !== undefined) takeStatus(script, readStatus({ result: status }));
    },
    close: (): void => {
      polled.close();
      scripts.clear();
    },
  };
};
