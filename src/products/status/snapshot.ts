/** The report: built once, and given to everybody for ten seconds. */
import { z } from 'zod';
import type { Context } from '../../operation/context.js';
import type { ProbesPort } from '../../operation/ports/probes.js';
import { COMPONENTS, componentIds, OVERALL_STATUSES, PublicComponent } from './component.js';
import { probeAll, type ChainFinding, type Findings } from './probe.js';
import { describeNetwork, recentHeights, rollUp, summarise } from './rules.js';

/** How long a report is given again, seconds. Source: specification, Limits. */
export const SNAPSHOT_SECONDS = 10;

/** The report. Source: specification, Status. */
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

type SnapshotContext = Pick<Context, 'chain' | 'store' | 'probes' | 'clock' | 'network'>;

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
