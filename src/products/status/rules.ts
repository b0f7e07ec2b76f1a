/** How answers become statuses, and statuses a report. Pure. Source: docs/design/api.md. */
import { NETWORKS, type Network } from '../../bch/network.js';
import { COMPONENT_STATUSES, type ComponentStatus, type Health, type Overall } from './component.js';

/** What upstreams say of themselves, in the words that are known. Any other word is no proof of health: degraded. */
const UPSTREAM: Readonly<Record<string, ComponentStatus>> = {
  operational: 'operational',
  ok: 'operational',
  healthy: 'operational',
  up: 'operational',
  degraded: 'degraded',
  manual: 'degraded',
  unknown: 'degraded',
  outage: 'outage',
  down: 'outage',
  critical: 'outage',
  unreachable: 'outage',
  maintenance: 'maintenance',
  not_configured: 'unknown',
};

/** The status that an upstream's own word stands for, in any case and with any separator. */
export const normaliseUpstream = (reported: string): ComponentStatus => {
  const word = reported
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return Object.hasOwn(UPSTREAM, word) ? (UPSTREAM[word] ?? 'degraded') : 'degraded';
};

const isWell = (httpStatus: number): boolean => httpStatus >= 200 && httpStatus < 400;

/** The status of a page that answered: 5xx is an outage, any other refusal degraded. */
export const pageStatus = (httpStatus: number): ComponentStatus => {
  if (httpStatus >= 500) return 'outage';
  return isWell(httpStatus) ? 'operational' : 'degraded';
};

/** The status of a worker that answered and reports of itself; null, a report without a status, is an unknown one. */
export const upstreamStatus = (httpStatus: number, reported: string | null): ComponentStatus =>
  isWell(httpStatus) ? normaliseUpstream(reported ?? 'unknown') : pageStatus(httpStatus);

/** A worker beats at least this often while it is well, milliseconds. */
export const BEAT_MILLISECONDS = 60_000;
const LOST_MILLISECONDS = 5 * BEAT_MILLISECONDS;

/** The health of a worker of this process by the age of its last beat; null: it never gave one. */
export const workerHealth = (sinceBeat: number | null): Health => {
  if (sinceBeat === null) return { status: 'unknown', latencyMs: null };
  if (sinceBeat <= BEAT_MILLISECONDS) return { status: 'operational', latencyMs: null };
  return { status: sinceBeat <= LOST_MILLISECONDS ? 'degraded' : 'outage', latencyMs: null };
};

/** How many components have each status, and how many there are. */
export const summarise = (statuses: readonly ComponentStatus[]) => {
  const count = (status: ComponentStatus): number => statuses.filter((one) => one === status).length;
  const counts = Object.fromEntries(COMPONENT_STATUSES.map((status) => [status, count(status)]));
  return { total: statuses.length, ...(counts as Record<ComponentStatus, number>) };
};

/** The health of the whole. What is unknown does not count, unless nothing else is known. */
export const rollUp = (statuses: readonly ComponentStatus[]): Overall => {
  const { outage, degraded, maintenance, operational } = summarise(statuses);
  if (outage >= 2) return 'major_outage';
  if (outage === 1) return 'partial_outage';
  if (degraded > 0) return 'degraded';
  if (maintenance > 0) return 'maintenance';
  return operational > 0 ? 'operational' : 'unknown';
};

const SPARKLINE = 12;

/** The last twelve heights up to the tip, newest last; twelve zeros when the tip is not known. */
export const recentHeights = (height: number | null): readonly number[] =>
  Array.from({ length: SPARKLINE }, (_, index) =>
    height === null ? 0 : Math.max(0, height - (SPARKLINE - 1 - index)),
  );

/** The network as the report names it: everything but mainnet is `chipnet`, and the display name says which it is. */
export const describeNetwork = (network: Network) => {
  const { isMainnet } = NETWORKS[network];
  return {
    name: isMainnet ? ('mainnet' as const) : ('chipnet' as const),
    isMainnet,
    displayName: `${network.charAt(0).toUpperCase()}${network.slice(1)}`,
    testnetWarning: !isMainnet,
  };
};
