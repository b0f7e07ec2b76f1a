/** How replies and errors stand in HTTP. */
import { errorBody, TreasuryError } from '../errors.js';
import { storageFailure } from '../storage-failure.js';
import type { Log } from '../operation/context.js';
import type { HttpRoute } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import type { FaceRequest, FaceResponse } from './exchange.js';

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

/** Sends JSON; `text` is sent as it is. Answers are not to be cached unless `headers` says otherwise. */
export const sendText = (
  response: FaceResponse,
  status: number,
  text: string,
  headers: Headers = {},
): void => {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  });
  response.end(text);
};

/** Sends an {@link Answer}. */
export const sendAnswer = (response: FaceResponse, { status, body }: Answer, headers: Headers = {}): void => {
  sendText(response, status, JSON.stringify(body), headers);
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

/**
 * What may be said of a failure. A defect, or a failure of this machine, is told in full to the log and in general
 * terms to the caller: its own text names files and internals. The code of a known failure stays.
 */
const publicError = (error: unknown, requestId: string, log: Log): Answer & { readonly headers: Headers } => {
  const known: TreasuryError | null = error instanceof TreasuryError ? error : storageFailure(error);
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
