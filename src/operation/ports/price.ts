/** The price as the operations see it: a reading to be kept with an event, never part of a rule. */

export type PriceReading = {
  /** USD per 1 BCH. */
  readonly usd: number;
  readonly source: string;
  /** Unix seconds of the reading. */
  readonly timestamp: number;
};

/** A reading with what proves it. Source: docs/design/api.md. */
export type PriceQuote = {
  /** USD per 1 BCH. */
  readonly usd: number;
  /** `coingecko` stands for the public price API, whichever is configured. */
  readonly source: 'oracle' | 'coingecko';
  /** What the oracle signed; null where the price API answered. */
  readonly proof: {
    /** 33 bytes as hex. */
    readonly publicKey: string;
    /** Unix seconds. */
    readonly messageTimestamp: number;
    readonly messageHex: string;
    readonly signatureHex: string;
  } | null;
  /** When it was fetched, unix milliseconds. */
  readonly updatedAt: number;
  /** Milliseconds until another one is fetched. */
  readonly cachedFor: number;
};

export type PricePort = {
  /** The reading at hand, or null where there is none. Never throws and never waits for a network. */
  readonly reading: () => Promise<PriceReading | null>;
  /**
   * The latest reading: from the cache while it is fresh, else from the sources.
   *
   * @throws price_unavailable when no source answers
   */
  readonly latest: () => Promise<PriceQuote>;
};
