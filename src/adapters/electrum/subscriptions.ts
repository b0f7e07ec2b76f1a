/** What is watched, kept over the connections: each new session is asked for it again, and what was missed is told. */
import { atOnce } from '../../operation/at-once.js';
import type { Log } from '../../operation/context.js';
import type { ChainPort } from '../../operation/ports/chain.js';
import { readHeaderAt, readStatus, scriptHashOf } from './replies.js';
import type { ServerSession } from './session.js';

export type SubscriptionOptions = {
  /** The session in use; opens one when there is none. @throws chain_unavailable */
  readonly session: () => Promise<ServerSession>;
  readonly requestMs: number;
  readonly log: Log;
};

type Listener = () => void;

/** One script that is watched. */
type Entry = {
  readonly scriptHash: string;
  readonly listeners: Set<Listener>;
  /** What the server told last; undefined before it was asked. */
  status: string | null | undefined;
  /** True when it could not be subscribed at once: what happened meanwhile is not known. */
  isLate: boolean;
  /** The session that it was subscribed with, and when that is done. */
  on: { readonly session: ServerSession; readonly done: Promise<void> } | null;
};

/** Requests that are under way at once when much is subscribed. */
const AT_ONCE = 100;
/** How long to wait before the next attempt to connect, rising to the last. */
const RETRY_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

const tell = (listeners: Iterable<Listener>, log: Log): void => {
  for (const listener of listeners) {
    try {
      listener();
    } catch (error) {
      log.error({ err: error }, 'a watcher of the chain failed');
    }
  }
};

/** The scripts that are watched. */
const createScriptWatch = ({ requestMs, log }: SubscriptionOptions) => {
  const entries = new Map<string, Entry>();

  const takeStatus = (entry: Entry, status: string | null): void => {
    const isFirst = entry.status === undefined && !entry.isLate;
    if (entry.status === status) return;
    entry.status = status;
    if (!isFirst) tell(entry.listeners, log);
  };

  const subscribeOne = async (session: ServerSession, entry: Entry): Promise<void> => {
    try {
      const reply = await session.request('blockchain.scripthash.subscribe', [entry.scriptHash], requestMs);
      takeStatus(entry, readStatus(reply));
    } catch (error) {
      entry.isLate = true;
      if (entry.on?.session === session) entry.on = null;
      throw error;
    }
  };

  /** Subscribes what is not yet subscribed with this session. */
  const subscribe = async (session: ServerSession, wanted: readonly Entry[]): Promise<void> => {
    await atOnce(AT_ONCE, wanted, (entry) => {
      if (entry.on?.session !== session) entry.on = { session, done: subscribeOne(session, entry) };
      return entry.on.done;
    });
  };

  const add = (scriptHash: string, listener: Listener): Entry => {
    const entry = entries.get(scriptHash) ?? {
      scriptHash,
      listeners: new Set(),
      status: undefined,
      isLate: false,
      on: null,
    };
    entry.listeners.add(listener);
    entries.set(scriptHash, entry);
    return entry;
  };

  const remove = (entry: Entry, listener: Listener): void => {
    entry.listeners.delete(listener);
    if (entry.listeners.size > 0 || entries.get(entry.scriptHash) !== entry) return;
    entries.delete(entry.scriptHash);
    // The server may keep on telling: nobody listens.
    entry.on?.session
      .request('blockchain.scripthash.unsubscribe', [entry.scriptHash], requestMs)
      .catch(() => undefined);
  };

  /** Takes in what the server tells of a script. */
  const hear = (scriptHash: unknown, status: unknown): void => {
    const entry = entries.get(String(scriptHash));
    if (entry !== undefined) takeStatus(entry, readStatus({ result: status }));
  };

  return { entries, subscribe, add, remove, hear };
};

/** Calls `connect` again and again, ever later, until it succeeds. */
const createRetry = (isNeeded: () => boolean, connect: () => Promise<void>) => {
  let timer: NodeJS.Timeout | null = null;
  let retries = 0;
  const later = (): void => {
    if (timer !== null || !isNeeded()) return;
    const delay = RETRY_MS[Math.min(retries, RETRY_MS.length - 1)];
    retries += 1;
    timer = setTimeout(() => {
      timer = null;
      connect().then(() => {
        retries = 0;
      }, later);
    }, delay).unref();
  };
  return {
    later,
    stop: () => {
      if (timer !== null) clearTimeout(timer);
    },
  };
};

/** The tip that is watched. */
const createTipWatch = (log: Log) => {
  const listeners = new Set<Listener>();
  let told: string | null = null;
  return {
    listeners,
    add: (listener: Listener): (() => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    take: (hex: string): void => {
      if (hex === told) return;
      told = hex;
      tell(listeners, log);
    },
  };
};

/** Keeps what is watched. Connects by itself, and again, for as long as something is. */
export const createSubscriptions = (options: SubscriptionOptions) => {
  const { session, log } = options;
  const scripts = createScriptWatch(options);
  const tip = createTipWatch(log);
  let isClosed = false;

  const subscribeAll = (open: ServerSession): Promise<void> =>
    scripts.subscribe(open, [...scripts.entries.values()]);
  const retry = createRetry(
    () => !isClosed && (scripts.entries.size > 0 || tip.listeners.size > 0),
    async () => subscribeAll(await session()),
  );
  const postpone = (error: unknown): void => {
    if (!isClosed) log.warn({ reason: String(error) }, 'what is watched cannot be subscribed yet');
    retry.later();
  };

  const watchScripts = async (lockingBytecodes: readonly string[], listener: Listener) => {
    const watched = [...new Set(lockingBytecodes)].map((script) =>
      scripts.add(scriptHashOf(script), listener),
    );
    await session()
      .then((open) => scripts.subscribe(open, watched))
      .catch((error: unknown) => {
        for (const entry of watched) entry.isLate ||= entry.on === null;
        postpone(error);
      });
    return () => {
      for (const entry of watched) scripts.remove(entry, listener);
    };
  };
  /** Every session is subscribed to headers, so there is nothing to ask for but a session. */
  const watchHeaders = async (listener: Listener) => {
    const failure = await session().then(() => null, String);
    const unwatch = tip.add(listener);
    if (failure !== null) postpone(failure);
    return unwatch;
  };

  const watch: ChainPort['watch'] = (target, onChange) => {
    // A listener of its own, so that the same function can watch twice.
    const listener: Listener = () => {
      onChange();
    };
    return 'headers' in target ? watchHeaders(listener) : watchScripts(target.lockingBytecodes, listener);
  };
  return {
    watch,
    onNotification: (method: string, [first, second]: readonly unknown[]): void => {
      if (method === 'blockchain.headers.subscribe') tip.take(readHeaderAt({ result: first }).hex);
      if (method === 'blockchain.scripthash.subscribe') scripts.hear(first, second);
    },
    onOpened: (open: ServerSession): void => {
      tip.take(open.tip().hex);
      subscribeAll(open).catch(postpone);
    },
    onLost: retry.later,
    close: (): void => {
      isClosed = true;
      retry.stop();
      scripts.entries.clear();
      tip.listeners.clear();
    },
  };
};
