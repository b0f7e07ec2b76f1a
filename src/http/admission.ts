/**
 * Which requests are answered at all: what their first line, Host and Origin must say, and how many a minute one caller
 * may make.
 *
 * A web page can point a name of its own at 127.0.0.1 (DNS rebinding) and would then pass as same-origin. The browser
 * still sends that name as Host, so a daemon bound to loopback answers to loopback names only.
 */
import type { IncomingMessage } from 'node:http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { TreasuryError } from '../errors.js';
import { authenticate, type Credentials } from '../operation/auth.js';
import type { Context } from '../operation/context.js';
import type { StorePort } from '../operation/ports/store.js';
import { loopbackName } from '../settings/loopback.js';
import { createSharedLimit, type Consume } from './shared-limit.js';

const loopbackAuthority = new RegExp(`^(?:${loopbackName})(?::\\d{1,5})?$`, 'i');

/**
 * Checks the Host header of a request to a loopback daemon; any port is allowed, since a tunnel may change it.
 *
 * @param publicOrigin where a gateway on this machine is reached; its name is allowed too. Null: there is none
 * @throws host_not_allowed
 */
export const checkHost = (header: string | undefined, publicOrigin: string | null = null): void => {
  if (header !== undefined && loopbackAuthority.test(header)) return;
  if (publicOrigin !== null && header?.toLowerCase() === new URL(publicOrigin).host) return;
  throw new TreasuryError('host_not_allowed', { host: header ?? '' });
};

/**
 * Checks what every request must say in one way only: the target is a path (no proxy, and no `*`, is asked here), and
 * there is one Host. Of two, this program and a gateway before it might take one each.
 *
 * @throws invalid_request
 */
export const checkRequestLine = ({ url = '', rawHeaders }: IncomingMessage): void => {
  if (!url.startsWith('/'))
    throw new TreasuryError('invalid_request', { reason: 'its target must be a path that begins with /' });
  // Names stand at the even places. Node would make a table of all headers to say how often each is there.
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && /^host$/i.test(text));
  if (hosts.length > 1)
    throw new TreasuryError('invalid_request', { reason: 'it has more than one Host header' });
};

/** True for the Origin that a page of this daemon itself has. */
const isOwnOrigin = (origin: string, host: string | undefined): boolean => {
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url !== null && url.host === host?.toLowerCase();
};

/**
 * Checks that what may change something is not asked for by a page of another origin: a browser sends such a request,
 * body or not, even where the page may not read the answer.
 *
 * @param allowed origins that browsers may call from; `*` is any
 * @throws origin_not_allowed
 */
export const checkOrigin = ({ method = '', headers }: IncomingMessage, allowed: readonly string[]): void => {
  const { origin, host } = headers;
  if (origin === undefined || ['GET', 'HEAD', 'OPTIONS'].includes(method)) return;
  if (allowed.includes('*') || allowed.includes(origin) || isOwnOrigin(origin, host)) return;
  const remedy = URL.canParse(origin)
    ? `start the daemon with --cors-origin ${origin} to allow it`
    : 'serve the page from an origin of its own, such as https://app.example, which --cors-origin can name';
  throw new TreasuryError('origin_not_allowed', { origin, remedy });
};

/** Requests a minute on a daemon that other machines reach. */
export const DEFAULT_RATE_PER_MINUTE = 300;

/** Bytes a minute that one address may send to the routes which read more than others. */
const BYTES_PER_MINUTE = 32 * 1_048_576;

/** Counts one request of a caller. @throws too_many_requests, with `retryAfter` in seconds */
export type Limiter = (key: string) => Promise<void>;

/** Points of each key in a minute: of one daemon, or of all daemons on a store. */
const limitOf = (points: number, store: StorePort): Consume => {
  if (store.isShared) return createSharedLimit(points, store);
  const limiter = new RateLimiterMemory({ points, duration: 60 });
  return async (key, count) => {
    await limiter.consume(key, count);
  };
};

const refusing =
  (consume: Consume, onRefused: () => void) =>
  async (key: string, points: number): Promise<void> => {
    try {
      await consume(key, points);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      onRefused();
      throw new TreasuryError('too_many_requests', {
        retryAfter: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)),
      });
    }
  };

/** A limiter of that many requests a minute for each key; `onRefused` hears of each refusal. */
export const createLimiter = (ratePerMinute: number, store: StorePort, onRefused: () => void): Limiter => {
  const consume = refusing(limitOf(ratePerMinute, store), onRefused);
  return (key) => consume(key, 1);
};

const ipOf = (remoteAddress: string | undefined): string =>
  `ip ${(remoteAddress ?? 'unknown').replace(/^::ffff:/, '')}`;

/** Counts the body of a request before it is read; one of unknown length counts as `limit`, in bytes. */
export type ByteLimiter = (request: IncomingMessage, limit: number) => Promise<void>;

/** A limiter of the bytes that one address sends in a minute, whoever it says it is. @throws too_many_requests */
export const createByteLimiter = (store: StorePort, onRefused: () => void): ByteLimiter => {
  const consume = refusing(limitOf(BYTES_PER_MINUTE, store), onRefused);
  return ({ headers, socket }, limit) => {
    const length = Number(headers['content-length'] ?? limit);
    const bytes = Number.isSafeInteger(length) ? Math.min(length, limit) : limit;
    return consume(`bytes ${ipOf(socket.remoteAddress)}`, bytes);
  };
};

/**
 * What a request is counted under: the proven address of its caller, else its IP.
 *
 * A header that proves nothing does not count, or a flood could give itself a new address with every request.
 */
export const limitKey = async (
  credentials: Credentials,
  remoteAddress: string | undefined,
  context: Pick<Context, 'access' | 'network' | 'store' | 'clock'>,
): Promise<string> => {
  const ip = ipOf(remoteAddress);
  try {
    const caller = await authenticate('optional', credentials, context);
    return caller === null ? ip : `address ${caller.text}`;
  } catch (error) {
    if (error instanceof TreasuryError) return ip;
    throw error;
  }
};
