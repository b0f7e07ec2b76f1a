/** The outside as the status report sees it: web pages, an upstream's own status, and workers of this process. */

/** Pages that are asked with a HEAD request. */
export type WebTarget = 'frontend' | 'docs' | 'explorer';

/** Workers that run beside the HTTP face. */
export type WorkerName = 'blockchain_monitor' | 'transaction_monitor' | 'cycle_unlock_scheduler';

/** What one request found; null where no address is configured. */
export type WebProbe =
  | null
  | { readonly kind: 'unreachable' }
  | {
      readonly kind: 'answered';
      readonly httpStatus: number;
      readonly latencyMs: number;
      /** The status that an upstream says of itself, in its own words; null where it says none. */
      readonly reported: string | null;
    };

/** A limit of time, in milliseconds, for each probe that the service makes itself. */
export type ProbeLimits = { readonly chain: number; readonly database: number };

export type ProbesPort = {
  /** Asks a page. Never throws, and never takes longer than its own limit. */
  readonly page: (target: WebTarget) => Promise<WebProbe>;
  /** Asks the indexer's upstream status address. Never throws, and never takes longer than its own limit. */
  readonly indexer: () => Promise<WebProbe>;
  readonly limits: ProbeLimits;
  /** The page of an address on the explorer; null where none is configured. */
  readonly explorerLink: (address: string) => string | null;
  /** Says that a worker of this process is alive. */
  readonly beat: (worker: WorkerName) => void;
  /** Milliseconds since a worker's last beat; null when it never gave one. */
  readonly sinceBeat: (worker: WorkerName) => number | null;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
};
