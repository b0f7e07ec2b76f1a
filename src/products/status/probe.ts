/** Probing every component at once, each within its own limit. No probe fails the report. */
import type { Context } from '../../operation/context.js';
import { eventCollection } from '../../record/events.js';
import type { WebProbe } from '../../operation/ports/probes.js';
import type { ComponentId, ComponentStatus, Health } from './component.js';
import { pageStatus, upstreamStatus, workerHealth } from './rules.js';

/** What probing may touch. */
export type ProbeContext = Pick<Context, 'chain' | 'store' | 'probes'>;

/** What was found of the chain's tip. */
export type ChainFinding = Health & { readonly height: number | null };

export type Findings = {
  readonly components: Readonly<Record<ComponentId, Health>>;
  readonly chain: ChainFinding;
};

/** What `work` gives, or null when it fails or takes longer than its limit; and how long it took. */
const within = async <T>(
  limitMilliseconds: number,
  elapsed: () => number,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly latencyMs: number } | null> => {
  const from = elapsed();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, limitMilliseconds, null);
  });
  const timed = async () => {
    const value = await work();
    return { value, latencyMs: Math.round(elapsed() - from) };
  };
  try {
    return await Promise.race([timed(), late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
};

const OUTAGE: Health = { status: 'outage', latencyMs: null };
const UNKNOWN: Health = { status: 'unknown', latencyMs: null };

type Answered = Extract<WebProbe, { readonly kind: 'answered' }>;

/** Not configured is unknown, unreachable an outage; of an answer `statusOf` judges. */
const webHealth = (probe: WebProbe, statusOf: (answer: Answered) => ComponentStatus): Health => {
  if (probe === null) return UNKNOWN;
  if (probe.kind === 'unreachable') return OUTAGE;
  return { status: statusOf(probe), latencyMs: probe.latencyMs };
};

/** The health of a page. */
export const pageHealth = (probe: WebProbe): Health =>
  webHealth(probe, ({ httpStatus }) => pageStatus(httpStatus));

/** The health of a worker that reports of itself. */
export const upstreamHealth = (probe: WebProbe): Health =>
  webHealth(probe, ({ httpStatus, reported }) => upstreamStatus(httpStatus, reported));

const probeChain = async ({ chain, probes }: ProbeContext): Promise<ChainFinding> => {
  const found = await within(probes.limits.chain, probes.elapsed, () => chain.tip());
  if (found === null) return { ...OUTAGE, height: null };
  return { status: 'operational', latencyMs: found.latencyMs, height: found.value.height };
};

const probeDatabase = async ({ store, probes }: ProbeContext): Promise<Health> => {
  const found = await within(probes.limits.database, probes.elapsed, async () => {
    await store.refresh();
    return (await store.find(eventCollection, { limit: 1 })).total;
  });
  return found === null ? OUTAGE : { status: 'operational', latencyMs: found.latencyMs };
};

/** The health of every component. It takes no longer than the slowest limit. */
export const probeAll = async (context: ProbeContext): Promise<Findings> => {
  const { probes } = context;
  const [frontend, docs, explorer, indexer, chain, database] = await Promise.all([
    probes.page('frontend'),
    probes.page('docs'),
    probes.page('explorer'),
    probes.indexer(),
    probeChain(context),
    probeDatabase(context),
  ]);
  return {
    chain,
    components: {
      // Whoever reads the report was answered.
      api: { status: 'operational', latencyMs: 0 },
      frontend_app: pageHealth(frontend),
      docs: pageHealth(docs),
      explorer: pageHealth(explorer),
      bch_network: { status: chain.status, latencyMs: chain.latencyMs },
      database,
      hosted_vault: UNKNOWN,
      indexer: upstreamHealth(indexer),
      executor: UNKNOWN,
      blockchain_monitor: workerHealth(probes.sinceBeat('blockchain_monitor')),
      transaction_monitor: workerHealth(probes.sinceBeat('transaction_monitor')),
      cycle_unlock_scheduler: workerHealth(probes.sinceBeat('cycle_unlock_scheduler')),
    },
  };
};
