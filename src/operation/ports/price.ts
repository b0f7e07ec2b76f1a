/** The price as the operations see it: a reading to be kept with an event, never part of a rule. */

export type PriceReading = {
  /** USD per 1 BCH. */
  readonly usd: number;
  readonly source: string;
  /** Unix seconds of the reading. */
  readonly timestamp: number;
};

export type PricePort = {
  /** The reading at hand, or null where there is none. Never throws and never waits for a network. */
  readonly reading: () => Promise<PriceReading | null>;
};
