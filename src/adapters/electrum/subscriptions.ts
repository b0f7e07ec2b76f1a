/** What is watched, kept over the connections: each new session is asked for it again, and what was missed is told. */
import type { Log } from '../../operation/context.js';
import type { ChainPort, WatchTarget } from '../../operation/ports/chain.js';
import { readHeaderAt, scriptHashOf } from './replies.js';
import type { ServerSession } from './session.js';
import { createWatchedScripts, tell, type Listener } from './watched-scripts.js';

export type SubscriptionOptions = {
  /** The session in use; opens one when there is none. @throws chain_unavailable */
  readonly session: () => Promise<ServerSession>;
  readonly requestMs: number;
  readonly log: Log;
};

/** How long to wait before the next attempt to connect, rising to the last. */
const RETRY_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

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

type Scripts = ReturnType<typeof createWatchedScripts>;
type ScriptTarget = Extract<WatchTarget, { readonly lockingBytecodes: unknown }>;

/** Watches scripts, as soon as there is a session; returns how to stop. */
const watchScripts = async (
  { lockingBytecodes, known }: ScriptTarget,
  listener: Listener,
  scripts: Scripts,
  {
    session,
    postpone,
  }: Pick<SubscriptionOptions, 'session'> & {
    readonly postpone: (error: unknown) => void;
  },
): Promise<() => void> => {
  const watched = [...new Set(lockingBytecodes)].map((script) =>
    scripts.add(scriptHashOf(script), listener, known),
  );
  await session()
    .then((open) => scripts.subscribe(open, watched))
    .catch((error: unknown) => {
      for (const script of watched) script.isLate ||= script.session === null;
      postpone(error);
    });
  // Nothing of it is left to stop twice.
  return () => {
    for (const script of watched.splice(0)) scripts.remove(script, listener);
  };
};

/** Keeps what is watched. Connects by itself, and again, for as long as something is. */
export const createSubscriptions = (options: SubscriptionOptions) => {
  const { session, log } = options;
  const scripts = createWatchedScripts(options);
  const tip = createTipWatch(log);
  let isClosed = false;

  const subscribeAll = (open: ServerSession): Promise<void> => scripts.subscribe(open, scripts.all());
  const retry = createRetry(
    () => !isClosed && (scripts.size() > 0 || tip.listeners.size > 0),
    async () => subscribeAll(await session()),
  );
  const postpone = (error: unknown): void => {
    if (!isClosed) log.warn({ reason: String(error) }, 'what is watched cannot be subscribed yet');
    retry.later();
  };

  /** Every session is subscribed to headers, so there is nothing to ask for but a session. */
  const watchHeaders = async (onChange: Listener) => {
    // A listener of its own, so that the same function can watch twice.
    const listener: Listener = () => {
      onChange();
    };
    const failure = await session().then(() => null, String);
    const unwatch = tip.add(listener);
    if (failure !== null) postpone(failure);
    return unwatch;
  };

  const watch: ChainPort['watch'] = (target, onChange) =>
    'headers' in target
      ? watchHeaders(onChange)
      : watchScripts(target, onChange, scripts, { session, postpone });
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
      scripts.close();
      tip.listeners.clear();
    },
  };
};
