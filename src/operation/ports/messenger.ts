/** Messages to addresses that others name: signed, bounded in time and in size, and to nowhere inside unless it is allowed. */

/** Where a message may go. */
export type Reach = {
  /** True: to this machine and to private networks too, over http to this machine. Only the operator says so. */
  readonly allowPrivate: boolean;
};

export type SignedMessage = Reach & {
  readonly url: string;
  /** `whsec_...`: the message has a signature of each. */
  readonly secrets: readonly string[];
  /** The same for every try. */
  readonly id: string;
  /** Of the try, unix seconds. */
  readonly timestamp: number;
  /** JSON. */
  readonly body: string;
  /** Ends it early. */
  readonly signal?: AbortSignal;
};

/** What came of sending. `reason` and `body` are texts of others: neither is believed, and neither has control characters. */
export type SendResult = {
  /** Status of the answer; null when there was none. */
  readonly status: number | null;
  /** Why there is no answer, or why the status stands for a failure; null for 2xx. */
  readonly reason: string | null;
  /** The first characters of the answer. */
  readonly body: string;
  readonly milliseconds: number;
};

/** A secret that was just made. */
export type NewSecret = {
  /** What it is made of, beside what the home keeps. */
  readonly salt: string;
  /** Tells whether what is made of the salt later is still the same. */
  readonly check: string;
  /** `whsec_...`: to be shown once. */
  readonly secret: string;
};

export type MessengerPort = {
  /** The address as it is kept. @throws invalid_url */
  readonly checkUrl: (url: string, reach: Reach) => Promise<string>;
  readonly makeSecret: () => Promise<NewSecret>;
  /** The secrets that belong to salts, in their order; null for one that this home cannot make any more. */
  readonly secretsOf: (
    made: readonly Pick<NewSecret, 'salt' | 'check'>[],
  ) => Promise<readonly (string | null)[]>;
  /**
   * Sends a message and waits ten seconds at most. Whatever the receiver does is a result, none an error.
   * @throws invalid_url, invalid_input for what can be sent nowhere
   */
  readonly sendSigned: (message: SignedMessage) => Promise<SendResult>;
};
