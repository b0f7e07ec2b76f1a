/** The price port: the oracle first, the public price API when it fails, and a cache before both. */
import { z } from 'zod';
import { TreasuryError } from '../../errors.js';
import type { Log } from '../../operation/context.js';
import type { PricePort, PriceQuote } from '../../operation/ports/price.js';
import { fetchLimited, type LimitedRequest } from '../fetch-limited.js';
import { STALE_SECONDS, fetchOraclePrice, type PriceMessage, type OracleSettings } from './oracle.js';

const ApiAnswer = z.object({ 'bitcoin-cash': z.object({ usd: z.number().positive() }) });

/** USD per 1 BCH. @throws Error when it does not answer with a price */
const fetchApiPrice = async (url: string, request: LimitedRequest): Promise<number> => {
  const { status, body } = await fetchLimited(url, request);
  if (status !== 200) throw new Error(`the price API answers ${status}`);
  return ApiAnswer.parse(JSON.parse(body))['bitcoin-cash'].usd;
};

/** How long a reading is given again. Source: docs/design/api.md. */
export const PRICE_CACHE_MILLISECONDS = 60_000;

export type PriceSources = {
  readonly oracle: OracleSettings | null;
  /** The public price API, its query included. */
  readonly fallbackUrl: string | null;
  /** For each source. */
  readonly limitMilliseconds: number;
  /** True: `reading` fetches in the background when the cache is no longer fresh. False: only `latest` fetches. */
  readonly isEager: boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
};

type Fetched = Omit<PriceQuote, 'cachedFor'>;

/** A quote of a message. */
const signedQuote = (price: PriceMessage, publicKey: string, updatedAt: number): Fetched => ({
  usd: price.cents / 100,
  source: 'oracle',
  proof: {
    publicKey,
    messageTimestamp: price.timestamp,
    messageHex: price.messageHex,
    signatureHex: price.signatureHex,
  },
  updatedAt,
});

/** Asks the sources in their order. */
const askSources = (sources: PriceSources, signal: AbortSignal) => {
  const { oracle, fallbackUrl, limitMilliseconds, now, log } = sources;
  let earlier: PriceMessage | null = null;

  const askOracle = async (settings: OracleSettings): Promise<Fetched> => {
    const seconds = Math.floor(now() / 1000);
    earlier = await fetchOraclePrice(settings, { earlier, now: seconds, limitMilliseconds, signal });
    return signedQuote(earlier, settings.publicKey, now());
  };
  const askApi = async (url: string): Promise<Fetched> => {
    const usd = await fetchApiPrice(url, { limitMilliseconds, signal });
    return { usd, source: 'coingecko', proof: null, updatedAt: now() };
  };
  const attempts = [
    ...(oracle === null ? [] : [{ source: 'oracle', ask: () => askOracle(oracle) }]),
    ...(fallbackUrl === null ? [] : [{ source: 'fallback', ask: () => askApi(fallbackUrl) }]),
  ];

  /** @throws price_unavailable */
  return async (): Promise<Fetched> => {
    for (const { source, ask } of attempts) {
      try {
        return await ask();
      } catch (error) {
        if (!signal.aborted) log.warn({ source, error: String(error) }, 'a price source does not answer');
      }
    }
    throw new TreasuryError('price_unavailable');
  };
};

/**
 * Opens the price port. Closing it ends what is being fetched, so that nothing keeps the process alive.
 *
 * A reading is kept for 60 seconds, failures are not, and however many ask at once, one fetch is in flight.
 */
export const openPriceSources = (
  sources: PriceSources,
): PricePort & { readonly close: () => Promise<void> } => {
  const { now, isEager } = sources;
  const stopping = new AbortController();
  const fetchQuote = askSources(sources, stopping.signal);
  let last: Fetched | null = null;
  let underWay: Promise<Fetched> | null = null;

  const millisecondsLeft = (): number =>
    last === null ? 0 : Math.min(PRICE_CACHE_MILLISECONDS, last.updatedAt + PRICE_CACHE_MILLISECONDS - now());

  const refresh = (): Promise<Fetched> => {
    underWay ??= fetchQuote()
      .then((fetched) => (last = fetched))
      .finally(() => {
        underWay = null;
      });
    return underWay;
  };

  return {
    latest: async () => {
      const quote = last !== null && millisecondsLeft() > 0 ? last : await refresh();
      return { ...quote, cachedFor: Math.max(0, millisecondsLeft()) };
    },
    reading: () => {
      if (isEager && millisecondsLeft() <= 0) refresh().catch(() => undefined);
      if (last === null || now() - last.updatedAt > STALE_SECONDS * 1000) return Promise.resolve(null);
      const { usd, source, proof, updatedAt } = last;
      const timestamp = proof?.messageTimestamp ?? Math.floor(updatedAt / 1000);
      return Promise.resolve({ usd, source, timestamp });
    },
    close: () => {
      stopping.abort();
      return Promise.resolve();
    },
  };
};
