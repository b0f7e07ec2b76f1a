/** One request and its answer: their id, their line in the log, the count of those under way, and how replies and errors stand in HTTP. */
import type { ServerResponse } from 'node:http';
import type { Middleware, Request } from 'polka';
import { errorBody, TreasuryError } from '../errors.js';
import type { Context, Log } from '../operation/context.js';
import type { HttpRoute } from '../operation/define.js';
import { replyText } from '../operation/encode-reply.js';
import type { Reply } from '../operation/execute.js';
import type { AccessPort } from '../operation/ports/access.js';
import { withoutKeys } from '../operation/script-keys/script-key.js';
import { storageFailure } from '../storage-failure.js';

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
  /** When an answer without end began, of `performance.now()`; null: it is none. */
  streamedFrom: number | null;
};

export type FaceRequest = Request & { exchange: Exchange };

export type FaceResponse = ServerResponse;

export type FaceMiddleware = Middleware<FaceRequest>;

const saneRequestId = /^[A-Za-z0-9_-]{1,64}$/;

/** The caller's X-Request-Id when it is sane (it goes into the log) and has no key in it, else `fresh`. */
export const chooseRequestId = (header: string | string[] | undefined, fresh: () => string): string =>
  typeof header === 'string' && saneRequestId.test(header) && withoutKeys(header) === header
    ? header
    : fresh();

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
export const bindLog = (log: Log, fields: Record<string, unknown>): Log => {
  const bound =
    (level: keyof Log): Log['info'] =>
    (more, message) => {
      log[level]({ ...fields, ...more }, message);
    };
  return { info: bound('info'), warn: bound('warn'), error: bound('error') };
};

/** The path that was asked for, as it came. Polka, which keeps it while it rewrites the URL, may not have been reached. */
const pathOf = ({ originalUrl, url }: { readonly originalUrl?: string; readonly url: string }): string =>
  (originalUrl ?? url).split('?', 1)[0] ?? '';

/** Writes the one line of a request: neither query, body nor headers, since they may hold secrets, and no key of its path. */
export const logExchange = (request: FaceRequest, response: FaceResponse, log: Log): void => {
  const { requestId, startedAt, caller, code, streamedFrom } = request.exchange;
  const path = withoutKeys(pathOf(request));
  log.info(
    {
      requestId,
      method: request.method,
      path,
      status: response.statusCode,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      caller,
      ...(code === null ? {} : { code }),
      // A stream is always ended by somebody.
      ...(response.writableFinished || streamedFrom !== null ? {} : { aborted: true }),
    },
    `${request.method} ${path} ${response.statusCode}`,
  );
};

/** Counts what is under way, so that a stop can wait for it. */
export const countInFlight = () => {
  let count = 0;
  let waiting: (() => void)[] = [];
  const leave = (): void => {
    count -= 1;
    if (count > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    /** Counts one more, until what is returned is called. */
    enter: (): (() => void) => {
      count += 1;
      return leave;
    },
    /** Counts `work` until it settles; returns it. */
    track: <T>(work: Promise<T>): Promise<T> => {
      count += 1;
      work.then(leave, leave);
      return work;
    },
    /** Resolves when nothing is under way. */
    idle: (): Promise<void> =>
      count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  };
};

/** A status and a JSON body. */
export type Answer = { readonly status: number; readonly body: Reply };

type Headers = Readonly<Record<string, string>>;

/**
 * The answer that a reply of an operation becomes.
 *
 * A reply that says `success: false` by itself (a preparation is needed) created nothing, so it is never a 201.
 */
export const answerOf = (reply: Reply, { status = 200 }: Pick<HttpRoute, 'status'>): Answer => ({
  status: reply['success'] === false ? 200 : status,
  body: { success: true, ...reply },
});

/** Answers that leave at the end of this turn. */
const leaving: (() => void)[] = [];

/**
 * Lets the answers of one turn leave together: whoever asks over several connections is woken once for all of them, and
 * a write that wakes nobody costs a part of one that does.
 */
const leaveTogether = (leave: () => void): void => {
  if (leaving.length === 0)
    setImmediate(() => {
      for (const one of leaving.splice(0)) one();
    });
  leaving.push(leave);
};

/** Sends JSON; `text` is sent as it is. Answers are not to be cached unless `headers` says otherwise. */
export const sendText = (
  response: FaceResponse,
  status: number,
  text: string,
  headers: Headers = {},
): void => {
  const length = Buffer.byteLength(text);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': length,
    'cache-control': 'no-store',
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  });
  // A text of as many bytes as letters is ASCII, which is sent as it stands.
  leaveTogether(() => {
    response.end(text, length === text.length ? 'latin1' : 'utf8');
  });
};

/** Sends an {@link Answer}. */
export const sendAnswer = (response: FaceResponse, { status, body }: Answer, headers: Headers = {}): void => {
  sendText(response, status, replyText(body), headers);
};

/** What some errors say in headers, for clients that read no body. Source: RFC 9110 (11.6.1, 10.2.3, 15.5.6). */
const errorHeaders = ({ status, details }: TreasuryError): Headers => {
  if (status === 401) return { 'www-authenticate': 'Bearer' };
  if (status === 429) return { 'retry-after': String(details['retryAfter']) };
  if (status === 405 && Array.isArray(details['allow'])) return { allow: allowHeader(details['allow']) };
  return {};
};

/** The Allow header of a path that answers `methods`. */
export const allowHeader = (methods: readonly string[]): string => [...methods, 'OPTIONS'].join(', ');

/** What the caller is told in the place of what names this machine's files, its database, or why they fail. */
const VEILED: Readonly<Record<string, (requestId: string) => string>> = {
  database: () => 'of this service',
  file: () => 'the data of this service',
  reason: (requestId) => `its log says why, at request ${requestId}`,
};

/** Failures of this machine, or of its database, that pass. */
const OF_THIS_MACHINE: readonly string[] = [
  'store_unreachable',
  'database_refused',
  'store_not_migrated',
  'other_chain',
  'store_locked',
  'storage_full',
  'storage_read_only',
  'too_many_files',
];

/** The same failure without what names anything of this machine. */
const veiled = (failure: TreasuryError, requestId: string): TreasuryError => {
  const details = Object.entries(failure.details).map(([name, value]) => [
    name,
    VEILED[name]?.(requestId) ?? value,
  ]);
  return new TreasuryError(failure.code, Object.fromEntries(details) as never);
};

/**
 * What may be said of a failure. A defect, or a failure of this machine, is told in full to the log and in general
 * terms to the caller: its own text names files and internals. The code of a known failure stays.
 */
export const publicError = (
  error: unknown,
  requestId: string,
  log: Log,
): Answer & { readonly headers: Headers } => {
  const known: TreasuryError | null = error instanceof TreasuryError ? error : storageFailure(error);
  if (known !== null && OF_THIS_MACHINE.includes(known.code)) {
    log.warn({ requestId, err: error }, 'the request failed');
    return { status: known.status, body: errorBody(veiled(known, requestId)), headers: {} };
  }
  if (known !== null && known.status !== 500) {
    return { status: known.status, body: errorBody(known), headers: errorHeaders(known) };
  }
  log.error({ requestId, err: error }, 'the request failed');
  const hidden = new TreasuryError('internal_error', { requestId });
  const code = known?.code ?? hidden.code;
  return { status: 500, body: { ...errorBody(hidden), code }, headers: {} };
};

/**
 * Sends the answer of a failure, and logs it in full when it is not the caller's. It does not throw, whatever state the
 * exchange is in: nothing stands behind it.
 */
export const sendError = (request: FaceRequest, response: FaceResponse, error: unknown, log: Log): void => {
  try {
    const { status, body, headers } = publicError(error, request.exchange.requestId, log);
    request.exchange.code = String(body['code']);
    if (response.headersSent) response.destroy();
    else sendAnswer(response, { status, body }, headers);
  } catch (defect) {
    log.error({ err: defect }, 'the answer of a failed request could not be sent');
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  }
};
