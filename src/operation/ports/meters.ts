/**
 * What the program counts and measures of itself, each thing declared once.
 *
 * No name, label or value holds an address, a token or a transaction: whoever reads metrics learns how the service is,
 * and nothing of its users. What is treasury's own begins with `treasury_`; what every HTTP service has is called as
 * everywhere else. Source: prometheus.io, Metric and label naming.
 */

type Declared = { readonly metric: string; readonly help: string };

const declare = <Name extends string>(table: Record<Name, Declared>): Readonly<Record<Name, Declared>> =>
  table;

/** What only ever grows. */
export const COUNTERS = declare({
  chain_reorgs: { metric: 'treasury_chain_reorgs_total', help: 'Reorganisations of the chain noticed' },
  chain_follow_failures: {
    metric: 'treasury_chain_follow_failures_total',
    help: 'Attempts to follow a record on chain that failed',
  },
  records_followed: {
    metric: 'treasury_records_followed_total',
    help: 'Times that a record was followed on chain',
  },
  records_changed: {
    metric: 'treasury_records_changed_total',
    help: 'Times that following a record on chain changed it',
  },
  unexpected_fundings: {
    metric: 'treasury_unexpected_fundings_total',
    help: 'Coins found at addresses of records that do not follow them',
  },
  webhook_deliveries: {
    metric: 'treasury_webhook_deliveries_total',
    help: 'Events that a webhook has taken',
  },
  webhook_failures: {
    metric: 'treasury_webhook_failures_total',
    help: 'Tries to deliver an event to a webhook that failed',
  },
  webhooks_disabled: {
    metric: 'treasury_webhooks_disabled_total',
    help: 'Webhooks that were disabled since they took nothing for days, or asked for it',
  },
  keeper_acts: { metric: 'treasury_keeper_acts_total', help: 'Things that the keeper has done' },
  keeper_faults: {
    metric: 'treasury_keeper_faults_total',
    help: 'Attempts of the keeper that failed',
  },
  http_requests_limited: {
    metric: 'http_requests_limited_total',
    help: 'HTTP requests refused because their caller sent too many',
  },
  http_requests_replayed: {
    metric: 'http_requests_replayed_total',
    help: 'HTTP requests answered with the kept answer of their Idempotency-Key',
  },
});

/** What is as it is now. One that was never set is not shown: nothing is known of it. */
export const GAUGES = declare({
  chain_height: { metric: 'treasury_chain_height', help: 'Height of the chain as last seen' },
  records_watched: {
    metric: 'treasury_records_watched',
    help: 'Records whose place on chain is being watched',
  },
  daemons: { metric: 'treasury_daemons', help: 'Daemons that work on the same store, this one among them' },
  shards_held: { metric: 'treasury_shards_held', help: 'Shards of records that this daemon follows, of 64' },
  workers_held: {
    metric: 'treasury_workers_held',
    help: 'Workers of which one runs for all daemons, and that run in this one',
  },
  webhooks_held: { metric: 'treasury_webhooks_held', help: 'Webhooks that this daemon delivers to' },
  event_streams: { metric: 'treasury_event_streams', help: 'Event streams that are open' },
  webhook_events_behind: {
    metric: 'treasury_webhook_events_behind',
    help: 'Events between the end of the log and the webhook that is furthest behind',
  },
  webhook_deliveries_waiting: {
    metric: 'treasury_webhook_deliveries_waiting',
    help: 'Deliveries to webhooks that failed and wait to be tried again',
  },
  records_waiting: { metric: 'treasury_records_waiting', help: 'Records that wait to be followed on chain' },
  keeper_faults_open: {
    metric: 'treasury_keeper_faults_open',
    help: 'What the keeper could not do, and tries again later',
  },
  keeper_fees_day: {
    metric: 'treasury_keeper_fees_day_satoshis',
    help: 'Fees that the keeper has paid in the last 24 hours, satoshis',
  },
});

/** What the HTTP face measures of every request but those for the metrics themselves. */
export const HTTP_METRICS = {
  requests: {
    metric: 'http_requests_total',
    kind: 'counter',
    labels: ['method', 'route', 'status'],
    help: 'HTTP requests answered',
  },
  duration: {
    metric: 'http_request_duration_seconds',
    kind: 'histogram',
    labels: ['method', 'route'],
    help: 'Time from the arrival of an HTTP request to the end of its answer, seconds',
  },
  inFlight: {
    metric: 'http_requests_in_flight',
    kind: 'gauge',
    labels: [],
    help: 'HTTP requests that are being answered',
  },
} as const;

/** A constant 1 whose labels say what is running. */
export const BUILD_INFO = {
  metric: 'treasury_build_info',
  kind: 'gauge',
  labels: ['version', 'network'],
  help: 'Version and network of this program',
} as const;

/** The rows of the README's table of metrics. */
export const metricRows: readonly {
  readonly metric: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
}[] = [
  BUILD_INFO,
  ...Object.values(GAUGES).map((gauge) => ({ ...gauge, kind: 'gauge' as const, labels: [] })),
  ...Object.values(COUNTERS).map((counter) => ({ ...counter, kind: 'counter' as const, labels: [] })),
  ...Object.values(HTTP_METRICS),
];

export type CounterName = keyof typeof COUNTERS;
export type GaugeName = keyof typeof GAUGES;

/** A request in words of which there are few, so that the number of series is bounded. */
export type MeteredRequest = {
  readonly method: string;
  /** The pattern of the path, never the path itself. */
  readonly route: string;
  readonly status: string;
  readonly seconds: number;
};

/** What the HTTP face measures, and what it shows to whoever collects. */
export type HttpMeters = {
  /** Counts a request as being answered; returns what says that it is. */
  readonly begin: () => (request: MeteredRequest) => void;
  /** Everything counted and measured so far, in the text format of Prometheus. */
  readonly report: () => Promise<{ readonly contentType: string; readonly text: string }>;
};

export type MetersPort = {
  /** Adds `by`, default 1, which is never below 0. */
  readonly count: (name: CounterName, by?: number) => void;
  readonly set: (name: GaugeName, value: number) => void;
  /** Null where metrics are off: nothing is kept then, and the HTTP face measures nothing. */
  readonly http: HttpMeters | null;
};

/** Keeps nothing and shows nothing. */
export const noMeters: MetersPort = { count: () => undefined, set: () => undefined, http: null };
