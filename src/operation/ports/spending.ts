/** The maximum of a key for scripts, as whatever hands out a transaction sees it. */
import type { SigningRequest } from '../../bch/signing-request.js';

/** A transaction with what its inputs spend. */
export type Measurable = Pick<SigningRequest, 'transaction' | 'sourceOutputs'>;

/** What keeps a request under the maximum of its key. */
export type Spending = {
  /**
   * Measures what is about to be handed out or kept, and takes it down. To be called before anything of it is stored.
   *
   * @throws key_not_allowed, amount_exceeds_key_maximum, key_revoked, key_expired, and what chain and store throw
   */
  readonly take: (handed: Measurable) => Promise<void>;
  /** Takes down what a reply hands out and was not built for it. @throws as `take` */
  readonly takeReply: (reply: unknown) => Promise<void>;
};
