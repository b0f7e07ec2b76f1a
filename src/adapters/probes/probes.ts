/** The probes port: requests to the pages and the upstream that are configured, each with its own limit. */
import type {
  ProbeLimits,
  ProbesPort,
  WebProbe,
  WebTarget,
  WorkerName,
} from '../../operation/ports/probes.js';
import { fetchLimited } from '../fetch-limited.js';

export type ProbeSettings = {
  /** Null: not configured, so there is nothing to ask. */
  readonly pages: Readonly<Record<WebTarget, string | null>>;
  /** The indexer's own status address: JSON with a field `status`. */
  readonly indexerUrl: string | null;
  /** Milliseconds. */
  readonly limits: ProbeLimits & { readonly page: number; readonly indexer: number };
  /** Milliseconds of a clock that never goes back; for tests. */
  readonly elapsed?: () => number;
};

/** A tenth of a millisecond is noise. */
const rounded = (milliseconds: number): number => Math.round(milliseconds);

/** The `status` of an upstream's JSON, or null. */
const reportedStatus = (body: string): string | null => {
  try {
    const { status } = JSON.parse(body) as { status?: unknown };
    return typeof status === 'string' ? status : null;
  } catch {
    return null;
  }
};

/** Opens the probes port. Nothing is asked until somebody probes. */
export const openProbes = ({
  pages,
  indexerUrl,
  limits,
  elapsed = () => performance.now(),
}: ProbeSettings): ProbesPort => {
  const beats = new Map<WorkerName, number>();

  const ask = async (
    url: string | null,
    method: 'GET' | 'HEAD',
    limitMilliseconds: number,
  ): Promise<WebProbe> => {
    if (url === null) return null;
    const from = elapsed();
    try {
      const { status: httpStatus, body } = await fetchLimited(url, { method, limitMilliseconds });
      const latencyMs = rounded(elapsed() - from);
      return { kind: 'answered', httpStatus, latencyMs, reported: reportedStatus(body) };
    } catch {
      return { kind: 'unreachable' };
    }
  };

  return {
    page: (target) => ask(pages[target], 'HEAD', limits.page),
    indexer: () => ask(indexerUrl, 'GET', limits.indexer),
    limits,
    explorerLink: (address) =>
      pages.explorer === null ? null : `${pages.explorer.replace(/\/+$/, '')}/address/${address}`,
    beat: (worker) => {
      beats.set(worker, elapsed());
    },
    sinceBeat: (worker) => {
      const last = beats.get(worker);
      return last === undefined ? null : elapsed() - last;
    },
    elapsed,
  };
};
