/** The report: every component probed at once, each within its own limit; built once, and given to everybody for ten seconds. */
import { z } from 'zod';
import type { Context } from '../../operation/context.js';
import type { ProbesPort, WebProbe } from '../../operation/ports/probes.js';
import { withTimeLimit } from '../../operation/time-limit.js';
import { eventCollection } from '../../record/events.js';
import { keeperAtWork, keeperFaultCollection } from '../../record/keeper.js';
import {
  componentIds,
  COMPONENTS,
  OVERALL_STATUSES,
  PublicComponent,
  type ComponentId,
  type ComponentStatus,
  type Health,
} from './component.js';
import {
  describeNetwork,
  pageStatus,
  recentHeights,
  rollUp,
  summarise,
  upstreamStatus,
  workerHealth,
} from './rules.js';

/** What probing may touch. */
export type ProbeContext = Pick<Context, 'chain' | 'store' | 'probes' | 'processes' | 'clock'>;

/** What was found of the chain's tip. */
type ChainFinding = Health & { readonly height: number | null };

type Findings = {
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
  const timed = async () => {
    const value = await work();
    return { value, latencyMs: Math.round(elapsed() - from) };
  };
  return withTimeLimit(timed(), limitMilliseconds, 'it took too long').catch(() => null);
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

/** The keeper of this home, in whatever process: unknown where none is at work, degraded while there is what it could not do. */
const probeKeeper = async (context: ProbeContext): Promise<Health> => {
  const { store, probes } = context;
  const found = await within(probes.limits.database, probes.elapsed, async () => {
    if ((await keeperAtWork(context)) === null) return UNKNOWN;
    const { total } = await store.find(keeperFaultCollection, { limit: 0 });
    return { status: total === 0 ? 'operational' : 'degraded', latencyMs: null } as const;
  });
  return found?.value ?? UNKNOWN;
};

/** The health of every component. It takes no longer than the slowest limit. */
const probeAll = async (context: ProbeContext): Promise<Findings> => {
  const { probes } = context;
  const [frontend, docs, explorer, indexer, chain, database, executor] = await Promise.all([
    probes.page('frontend'),
    probes.page('docs'),
    probes.page('explorer'),
    probes.indexer(),
    probeChain(context),
    probeDatabase(context),
    probeKeeper(context),
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
      executor,
      blockchain_monitor: workerHealth(probes.sinceBeat('blockchain_monitor')),
      transaction_monitor: workerHealth(probes.sinceBeat('transaction_monitor')),
      cycle_unlock_scheduler: workerHealth(probes.sinceBeat('cycle_unlock_scheduler')),
    },
  };
};

/** How long a report is given again, seconds. Source: docs/design/api.md. */
export const SNAPSHOT_SECONDS = 10;

/** The report. Source: docs/design/api.md. */
export const Snapshot = z.object({
  updatedAt: z.string().describe('ISO-8601, when it was built'),
  refreshIntervalSeconds: z.number().describe('How often it is worth asking'),
  overall: z.enum(OVERALL_STATUSES),
  network: z.object({
    name: z.enum(['mainnet', 'chipnet']),
    isMainnet: z.boolean(),
    displayName: z.string(),
    testnetWarning: z.boolean(),
  }),
  chain: z.object({
    height: z.number().nullable().describe('Null when the chain does not answer'),
    ageSeconds: z.number().nullable().describe('Reserved'),
    latencyMs: z.number().nullable(),
    recentHeights: z.array(z.number()).describe('Twelve heights, newest last'),
    error: z.string().nullable(),
  }),
  components: z.array(PublicComponent),
  summary: z.object({
    total: z.number(),
    operational: z.number(),
    degraded: z.number(),
    outage: z.number(),
    maintenance: z.number(),
    unknown: z.number(),
  }),
  incidents: z.array(z.unknown()).describe('Recent incidents; none are kept yet'),
});
export type Snapshot = z.output<typeof Snapshot>;

const showChain = ({ height, latencyMs }: ChainFinding): Snapshot['chain'] => ({
  height,
  ageSeconds: null,
  latencyMs,
  recentHeights: [...recentHeights(height)],
  error: height === null ? 'The chain tip cannot be read.' : null,
});

const showComponents = (health: Findings['components']): PublicComponent[] =>
  componentIds.map((id) => ({ id, ...COMPONENTS[id], ...health[id], uptime90d: null, lastIncidentAt: null }));

const buildSnapshot = async (context: SnapshotContext): Promise<Snapshot> => {
  const findings = await probeAll(context);
  const components = showComponents(findings.components);
  const statuses = components.map(({ status }) => status);
  return {
    updatedAt: new Date(context.clock.wall() * 1000).toISOString(),
    refreshIntervalSeconds: SNAPSHOT_SECONDS,
    overall: rollUp(statuses),
    network: describeNetwork(context.network),
    chain: showChain(findings.chain),
    components,
    summary: summarise(statuses),
    incidents: [],
  };
};

type SnapshotContext = ProbeContext & Pick<Context, 'network'>;

/** The last report of a service, and the one that is being built. */
type Shelf = {
  last: { readonly snapshot: Snapshot; readonly at: number } | null;
  underWay: Promise<Snapshot> | null;
};

/** One shelf for each service: its probes port stands for it, since a context is made anew for every request. */
const shelves = new WeakMap<ProbesPort, Shelf>();

const shelfOf = (probes: ProbesPort): Shelf => {
  const known = shelves.get(probes);
  if (known !== undefined) return known;
  const shelf: Shelf = { last: null, underWay: null };
  shelves.set(probes, shelf);
  return shelf;
};

/**
 * The report: the last one for ten seconds, then a new one. However many ask at once, one is built.
 *
 * @throws Error when it cannot be built at all; a component that fails does not make it fail
 */
export const takeSnapshot = (context: SnapshotContext): Promise<Snapshot> => {
  const { probes } = context;
  const shelf = shelfOf(probes);
  if (shelf.last !== null && probes.elapsed() - shelf.last.at < SNAPSHOT_SECONDS * 1000) {
    return Promise.resolve(shelf.last.snapshot);
  }
  shelf.underWay ??= buildSnapshot(context)
    .then((snapshot) => {
      shelf.last = { snapshot, at: probes.elapsed() };
      return snapshot;
    })
    .finally(() => {
      shelf.underWay = null;
    });
  return shelf.underWay;
};
