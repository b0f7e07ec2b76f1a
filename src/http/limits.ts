/** How many requests a minute one caller may make. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { TreasuryError } from '../errors.js';
import { authenticate, type Credentials } from '../operation/auth.js';
import type { Context } from '../operation/context.js';

/** Requests a minute on a daemon that other machines reach. */
export const DEFAULT_RATE_PER_MINUTE = 300;

/** Counts one request of a caller. @throws too_many_requests, with `retryAfter` in seconds */
export type Limiter = (key: string) => Promise<void>;

/** A limiter of that many requests a minute for each key, kept in memory; `onRefused` hears of each refusal. */
export const createLimiter = (ratePerMinute: number, onRefused: () => void): Limiter => {
  const limiter = new RateLimiterMemory({ points: ratePerMinute, duration: 60 });
  return async (key) => {
    try {
      await limiter.consume(key);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      onRefused();
      throw new TreasuryError('too_many_requests', {
        retryAfter: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)),
      });
    }
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
  const ip = `ip ${(remoteAddress ?? 'unknown').replace(/^::ffff:/, '')}`;
  try {
    const caller = await authenticate('optional', credentials, context);
    return caller === null ? ip : `address ${caller.text}`;
  } catch (error) {
    if (error instanceof TreasuryError) return ip;
    throw error;
  }
};
