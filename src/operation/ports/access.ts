/** Access tokens and challenges as the operations see them. They follow the wall clock. */

export type AccessPort = {
  /** A signed token whose subject is `address` (its `q` form), bound to the network. `expiresAt` in unix seconds. */
  readonly issue: (address: string) => Promise<{ readonly accessToken: string; readonly expiresAt: number }>;
  /** The address a token speaks for. @throws invalid_token, token_expired */
  readonly verify: (accessToken: string) => Promise<string>;
  /** A text to be signed by the wallet of `address`, good until `expiresAt` (unix seconds). */
  readonly challenge: (
    address: string,
  ) => Promise<{ readonly challenge: string; readonly expiresAt: number }>;
  /**
   * Checks that a challenge is one of ours, for that address, and not expired. Using it once is the caller's part.
   * @returns its nonce
   * @throws invalid_challenge, challenge_expired
   */
  readonly checkChallenge: (
    challenge: string,
    address: string,
  ) => Promise<{ readonly nonce: string; readonly expiresAt: number }>;
  /** Rotates the secret: every token and challenge given so far is void. */
  readonly revokeAll: () => Promise<void>;
};
