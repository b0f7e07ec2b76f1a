/** When a delivery that failed is tried again, and when a webhook is given up. Pure. Source: Standard Webhooks 1.0, Deliverability. */

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** Rules of a worker. Those of the program are {@link RULES}. */
export type DeliveryRules = {
  /** Seconds from each failed try to the next. After the last of them a delivery is set aside. */
  readonly retrySeconds: readonly number[];
  /** Failed tries of an event for which those behind it wait, where a webhook gets one at a time. */
  readonly heldTries: number;
  /** Deliveries of a webhook that may wait at once: at so many it is down, and the rest waits in the log. */
  readonly mostWaiting: number;
  /** After so many seconds without success, the first success lets all that waits be tried at once. */
  readonly outageSeconds: number;
  /** A webhook that took nothing for so long is disabled. */
  readonly disabledAfterSeconds: number;
  /** Deliveries that succeeded, of each webhook, that are remembered. */
  readonly history: number;
};

export const RULES: DeliveryRules = {
  retrySeconds: [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR],
  heldTries: 2,
  mostWaiting: 20,
  outageSeconds: MINUTE,
  disabledAfterSeconds: 5 * DAY,
  history: 100,
};

/** When a delivery is tried again after that many tries at `now` (unix seconds); null: it is set aside. */
export const nextTryAt = (
  attempts: number,
  now: number,
  { retrySeconds }: Pick<DeliveryRules, 'retrySeconds'>,
): number | null => {
  const wait = retrySeconds[attempts - 1];
  return wait === undefined ? null : now + wait;
};

/** True when the next events of a webhook have to wait: for one before them, in order, or since it is down. */
export const mustWait = (
  { at_once: atOnce }: { readonly at_once: number },
  waiting: readonly { readonly attempts: number }[],
  { heldTries, mostWaiting }: Pick<DeliveryRules, 'heldTries' | 'mostWaiting'>,
): boolean =>
  waiting.length >= mostWaiting || (atOnce === 1 && waiting.some(({ attempts }) => attempts <= heldTries));
