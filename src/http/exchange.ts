/** One request and its answer: their id, their line in the log, and the count of those under way. */
import type { ServerResponse } from 'node:http';
import type { Middleware, Request } from 'polka';
import type { Context, Log } from '../operation/context.js';
import type { AccessPort } from '../operation/ports/access.js';

/** What is known of a request beyond the request itself. */
export type Exchange = {
  readonly requestId: string;
  /** Of `performance.now()`, milliseconds. */
  readonly startedAt: number;
  /** The path pattern of the route that answers, once it is reached. */
  route: string | null;
  /** The caller's address, once it is known. */
  caller: string | null;
  /** Who tokens speak for: each is verified once. */
  readonly access: AccessPort;
  /** The code of the error that was answered. */
  code: string | null;
};

export type FaceRequest = Request & { exchange: Exchange };

export type FaceResponse = ServerResponse;

export type FaceMiddleware = Middleware<FaceRequest>;

const saneRequestId = /^[A-Za-z0-9_-]{1,64}$/;

/** The caller's X-Request-Id when it is sane (it goes into the log), else `fresh`. */
export const chooseRequestId = (header: string | string[] | undefined, fresh: () => string): string =>
  typeof header === 'string' && saneRequestId.test(header) ? header : fresh();

/** Access tokens for one request: verified at the first question, by a secret that another process may have rotated. */
export const verifyOnce = ({ access, store }: Pick<Context, 'access' | 'store'>): AccessPort => {
  let verified: Promise<string> | undefined;
  return {
    ...access,
    // A request has one token.
    verify: (token) => (verified ??= store.refresh().then(() => access.verify(token))),
  };
};

/** A log whose every line carries `fields`. */
export const bindLog = (log: Log, fields: Record<string, unknown>): Log => ({
  info: (more, message) => {
    log.info({ ...fields, ...more }, message);
  },
  warn: (more, message) => {
    log.warn({ ...fields, ...more }, message);
  },
  error: (more, message) => {
    log.error({ ...fields, ...more }, message);
  },
});

/** The path that was asked for, as it came. Polka, which keeps it while it rewrites the URL, may not have been reached. */
const pathOf = ({ originalUrl, url }: { readonly originalUrl?: string; readonly url: string }): string =>
  (originalUrl ?? url).split('?', 1)[0] ?? '';

/** Writes the one line of a request: neither query, body nor headers, since they may hold secrets. */
export const logExchange = (request: FaceRequest, response: FaceResponse, log: Log): void => {
  const { requestId, startedAt, caller, code } = request.exchange;
  const path = pathOf(request);
  log.info(
    {
      requestId,
      method: request.method,
      path,
      status: response.statusCode,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      caller,
      ...(code === null ? {} : { code }),
      ...(response.writableFinished ? {} : { aborted: true }),
    },
    `${request.method} ${path} ${response.statusCode}`,
  );
};

/** Counts what is under way, so that a stop can wait for it. */
export const countInFlight = () => {
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    /** Counts `work` until it settles; returns it. */
    track: <T>(work: Promise<T>): Promise<T> => {
      count += 1;
      const settle = (): void => {
        count -= 1;
        if (count > 0) return;
        for (const resolve of waiting) resolve();
        waiting = [];
      };
      work.then(settle, settle);
      return work;
    },
    /** Resolves when nothing is under way. */
    idle: (): Promise<void> =>
      count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  };
};
