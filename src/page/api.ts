/** Asks the daemon that served the page. */
import { PageFailure } from './failure.js';
import { say } from './say.js';
import type { Reply } from './replies.js';
import { credentials, loseLogin } from './who.js';

const VIEW = { 'x-treasury-view': 'blocks' };

/** A body that is no JSON is an answer of something between the page and its daemon. */
const readBody = async (response: Response): Promise<Reply> => {
  try {
    return (await response.json()) as Reply;
  } catch {
    throw new PageFailure(say('failure.no-json', { status: response.status }), {
      code: 'service_unavailable',
      status: response.status,
      retryable: true,
    });
  }
};

type Asked = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

const send = async ({ method, path, body, headers = {}, signal }: Asked): Promise<Response> => {
  try {
    return await fetch(path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      credentials: 'omit',
      redirect: 'error',
      cache: 'no-store',
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new PageFailure(say('failure.no-answer'), { code: 'service_unavailable', retryable: true });
  }
};

/** @throws PageFailure with the daemon's own code and words */
const ask = async (asked: Asked): Promise<Reply> => {
  const response = await send(asked);
  const body = await readBody(response);
  if (response.ok) return body;
  const { code, error, retryable, ...details } = body as Readonly<Record<string, unknown>>;
  if (code === 'token_expired' || code === 'invalid_token') loseLogin(asked.headers ?? {});
  throw new PageFailure(typeof error === 'string' ? error : String(response.status), {
    code: String(code),
    status: response.status,
    retryable: retryable === true,
    details,
  });
};

/**
 * Asks for what is there, with its view in the command line's words, as whoever reads the page.
 *
 * @throws PageFailure; AbortError when `signal` says so
 */
export const get = (path: string, signal?: AbortSignal): Promise<Reply> =>
  ask({ method: 'GET', path, headers: { ...VIEW, ...credentials() }, ...(signal && { signal }) });

/** Asks for something to be done, as {@link get}. */
export const post = (path: string, body: unknown): Promise<Reply> =>
  ask({ method: 'POST', path, body, headers: { ...VIEW, ...credentials() } });

/** What a wallet asks: nobody in particular does. */
export const askAsNobody = (method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> =>
  ask({ method, path, body });
