/** The components of the service, in the order in which the report gives them. Source: docs/design/api.md. */
import { z } from 'zod';

export const COMPONENT_STATUSES = ['operational', 'degraded', 'outage', 'maintenance', 'unknown'] as const;
export type ComponentStatus = (typeof COMPONENT_STATUSES)[number];

export const OVERALL_STATUSES = [
  'operational',
  'degraded',
  'partial_outage',
  'major_outage',
  'maintenance',
  'unknown',
] as const;
export type Overall = (typeof OVERALL_STATUSES)[number];

export const GROUPS = ['API', 'Frontend', 'Docs', 'Explorer', 'BCH Network', 'Workers', 'Database'] as const;

type ComponentEntry = {
  readonly name: string;
  readonly group: (typeof GROUPS)[number];
  readonly description: string;
};

/** What each component is, in words for everybody. */
export const COMPONENTS = {
  api: { name: 'API', group: 'API', description: 'Answers requests.' },
  frontend_app: { name: 'App', group: 'Frontend', description: 'The web application.' },
  docs: { name: 'Documentation', group: 'Docs', description: 'The documentation site.' },
  explorer: { name: 'Explorer', group: 'Explorer', description: 'The block explorer that links lead to.' },
  bch_network: {
    name: 'Bitcoin Cash network',
    group: 'BCH Network',
    description: 'Reads the chain tip and sends transactions.',
  },
  database: { name: 'Database', group: 'Database', description: 'Keeps the records.' },
  hosted_vault: {
    name: 'Hosted vault',
    group: 'Database',
    description: 'Managed storage. It is not probed yet.',
  },
  indexer: { name: 'Indexer', group: 'Workers', description: 'Indexes covenant addresses.' },
  executor: {
    name: 'Executor',
    group: 'Workers',
    description: 'The keeper: does what is due, where one is at work.',
  },
  blockchain_monitor: {
    name: 'Blockchain monitor',
    group: 'Workers',
    description: 'Keeps vault balances up to date.',
  },
  transaction_monitor: {
    name: 'Transaction monitor',
    group: 'Workers',
    description: 'Watches transactions until they are confirmed.',
  },
  cycle_unlock_scheduler: {
    name: 'Unlock scheduler',
    group: 'Workers',
    description: 'Schedules the unlocking of votes.',
  },
} as const satisfies Record<string, ComponentEntry>;

export type ComponentId = keyof typeof COMPONENTS;

/** Every id, in the order of the report. */
export const componentIds = Object.keys(COMPONENTS) as ComponentId[];

/** What a probe found of a component. */
export type Health = { readonly status: ComponentStatus; readonly latencyMs: number | null };

/** A component as everybody may see it. */
export const PublicComponent = z.object({
  id: z.enum(componentIds),
  name: z.string(),
  group: z.enum(GROUPS),
  status: z.enum(COMPONENT_STATUSES),
  description: z.string(),
  latencyMs: z.number().nullable(),
  uptime90d: z.number().nullable().describe('Null until samples are kept'),
  lastIncidentAt: z.string().nullable().describe('ISO-8601'),
});
export type PublicComponent = z.output<typeof PublicComponent>;
