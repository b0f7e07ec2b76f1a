/** The health of the service: the report for people, and its operations. */
import { z } from 'zod';
import { defineOperation, type Offer, type Tone, type View } from '../../operation/define.js';
import { COMPONENT_STATUSES, type ComponentStatus, type Overall } from './component.js';
import { Snapshot, SNAPSHOT_SECONDS, takeSnapshot } from './snapshot.js';

const OVERALL_TEXTS: Readonly<Record<Overall, string>> = {
  operational: 'Everything works.',
  degraded: 'Something is not well.',
  partial_outage: 'One component does not work.',
  major_outage: 'Several components do not work.',
  maintenance: 'There is planned maintenance.',
  unknown: 'Nothing is known.',
};

/** Stands before a status, so that it is told apart without colours too. */
const SIGNS: Readonly<Record<ComponentStatus, string>> = {
  operational: '+',
  degraded: '!',
  outage: 'x',
  maintenance: '~',
  unknown: '?',
};

const TONES: Readonly<Record<ComponentStatus, Tone>> = {
  operational: 'green',
  degraded: 'yellow',
  outage: 'red',
  maintenance: 'cyan',
  unknown: 'dim',
};

const textOf = (status: ComponentStatus): string => `${SIGNS[status]} ${status}`;

const milliseconds = (latency: number | null): string => (latency === null ? '' : `${latency} ms`);

/** How `status` reads. */
export const viewSnapshot = ({ overall, network, chain, components, updatedAt }: Snapshot): View => [
  { kind: 'text', text: OVERALL_TEXTS[overall] },
  {
    kind: 'facts',
    rows: [
      ['Network', network.displayName],
      ['Chain tip', chain.height === null ? (chain.error ?? 'not known') : String(chain.height)],
      ['As of', updatedAt],
    ],
  },
  {
    kind: 'table',
    tones: Object.fromEntries(COMPONENT_STATUSES.map((status) => [textOf(status), TONES[status]])),
    head: ['Component', 'Status', 'Answers in', 'What it does'],
    rows: components.map(({ name, status, latencyMs, description }) => [
      name,
      textOf(status),
      milliseconds(latencyMs),
      description,
    ]),
  },
];

export const show = defineOperation({
  id: 'status.show',
  summary: 'Show the health of the service, component by component',
  description: 'A report is at most ten seconds old. It says nothing of hosts, keys or queues.',
  http: {
    method: 'GET',
    path: '/api/status',
    headers: { 'cache-control': `public, max-age=${SNAPSHOT_SECONDS}` },
  },
  cli: { verb: 'status' },
  auth: 'none',
  input: z.object({}),
  output: Snapshot,
  errors: [],
  run: (_, context) => takeSnapshot(context),
  view: viewSnapshot,
});

const MAXIMUM_AGE_SECONDS = 60;

export const incidents = defineOperation({
  id: 'status.incidents',
  summary: 'List recent incidents; none are kept yet',
  http: {
    method: 'GET',
    path: '/api/status/incidents',
    headers: { 'cache-control': `public, max-age=${MAXIMUM_AGE_SECONDS}` },
  },
  auth: 'none',
  input: z.object({}),
  output: z.object({ incidents: z.array(z.unknown()), total: z.number() }),
  errors: [],
  run: () => Promise.resolve({ incidents: [], total: 0 }),
});

export const operations: readonly Offer[] = [show, incidents];
