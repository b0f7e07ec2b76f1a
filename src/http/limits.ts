/** How many requests a minute one caller may make. */
import type { IncomingMessage } from 'node:http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { TreasuryError } from '../errors.js';
import { authenticate, type Credentials } from '../operation/auth.js';
import type { Context } from '../operation/context.js';

/** Requests a minute on a daemon that other machines reach. */
export const DEFAULT_RATE_PER_MINUTE = 300;

/** Bytes a minute that one address may send to the routes which read more than others. */
const BYTES_PER_MINUTE = 32 * 1_048_576;

/** Counts one request of a caller. @throws too_many_requests, with `retryAfter` in seconds */
export type Limiter = (key: string) => Promise<void>;

const consume = async (
  limiter: RateLimiterMemory,
  key: string,
  points: number,
  onRefused: () => void,
): Promise<void> => {
  try {
    await limiter.consume(key, points);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    onRefused();
    throw new TreasuryError('too_many_requests', {
      retryAfter: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)),
    });
  }
};

/** A limiter of that many requests a minute for each key, kept in memory; `onRefused` hears of each refusal. */
export const createLimiter = (ratePerMinute: number, onRefused: () => void): Limiter => {
  const limiter = new RateLimiterMemory({ points: ratePerMinute, duration: 60 });
  return (key) => consume(limiter, key, 1, onRefused);
};

const ipOf = (remoteAddress: string | undefined): string =>
  `ip ${(remoteAddress ?? 'unknown').replace(/^::ffff:/, '')}`;

/** Counts the body of a request before it is read; one of unknown length counts as `limit`, in bytes. */
export type ByteLimiter = (request: IncomingMessage, limit: number) => Promise<void>;

/** A limiter of the bytes that one address sends in a minute, whoever it says it is. @throws too_many_requests */
export const createByteLimiter = (onRefused: () => void): ByteLimiter => {
  const limiter = new RateLimiterMemory({ points: BYTES_PER_MINUTE, duration: 60 });
  return ({ headers, socket }, limit) => {
    const length = Number(headers['content-length'] ?? limit);
    const bytes = Number.isSafeInteger(length) ? Math.min(length, limit) : limit;
    return consume(limiter, ipOf(socket.remoteAddress), bytes, onRefused);
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
  context: Pick<Context, 'access' | 'network'>,
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
