/** The health of the service: the report for people, and its operations. */
import { showDate } from '../../bch/show-date.js';
import { z } from 'zod';
import { column } from '../../operation/columns.js';
import { defineOperation, type Offer, type View } from '../../operation/define.js';
import type { ComponentStatus, Overall } from './component.js';
import type { Context } from '../../operation/context.js';
import { readLeaseTable } from '../../record/leases.js';
import { SHARDS, sumOf } from '../../record/works.js';
import { webhookBacklog, type WebhookBacklog } from '../../record/webhooks/backlog.js';
import { Snapshot, SNAPSHOT_SECONDS, takeSnapshot } from './snapshot.js';

const OVERALL_TEXTS: Readonly<Record<Overall, string>> = {
  operational: '',
  degraded: 'Something is not well: ',
  partial_outage: 'One component does not work: ',
  major_outage: 'Several components do not work: ',
  maintenance: 'There is planned maintenance: ',
  unknown: '',
};

const PHRASES: readonly (readonly [ComponentStatus, (count: number) => string])[] = [
  ['outage', (count) => `${count} ${count === 1 ? 'does' : 'do'} not work`],
  ['degraded', (count) => `${count} ${count === 1 ? 'is' : 'are'} not well`],
  ['maintenance', (count) => `${count} ${count === 1 ? 'is' : 'are'} being looked after`],
  ['operational', (count) => `${count} ${count === 1 ? 'works' : 'work'}`],
  ['unknown', (count) => `${count} ${count === 1 ? 'is' : 'are'} not probed`],
];

/** `3 work, 9 are not probed.` What is not probed is no alarm. */
const sumUp = ({ overall, summary }: Pick<Snapshot, 'overall' | 'summary'>): string => {
  const parts = PHRASES.flatMap(([status, phrase]) =>
    summary[status] === 0 ? [] : [phrase(summary[status])],
  );
  return `${OVERALL_TEXTS[overall]}${parts.join(', ')}.`;
};

/** Stands before a status, so that it is told apart without colours too. */
const SIGNS: Readonly<Record<Exclude<ComponentStatus, 'unknown'>, string>> = {
  operational: '+',
  degraded: '!',
  outage: 'x',
  maintenance: '~',
};

const milliseconds = (latency: number | null): string => (latency === null ? '' : `${latency} ms`);

/** How far webhooks are: for the operator alone, since a report for everybody tells no queues. */
const Backlog = z
  .object({
    active: z.number(),
    failing: z.number(),
    disabled: z.number(),
    behind: z.number().describe('Events of the log before which the furthest behind stands'),
    waiting: z.number().describe('Deliveries that are tried again'),
    setAside: z.number().describe('Deliveries that failed too often'),
  })
  .describe('Webhooks of this home; at the terminal only, and where there are any');

/** `2 active, 1 of them failing; 12 events behind, 3 deliveries wait` */
const backlogText = ({ active, failing, disabled, behind, waiting, setAside }: WebhookBacklog): string => {
  const some = (count: number, text: string): readonly string[] => (count === 0 ? [] : [`${count} ${text}`]);
  const state = [`${active} active`, ...some(failing, 'of them failing'), ...some(disabled, 'disabled')];
  const due = [
    `${behind} events behind`,
    ...some(waiting, 'deliveries wait'),
    ...some(setAside, 'set aside'),
  ];
  return `${state.join(', ')}; ${due.join(', ')}`;
};

/** Who works on the store, and on what: for the operator alone. */
const DaemonShare = z.object({
  id: z.string().describe('Drawn at its start'),
  pid: z.number().describe('Number of its process, on its own machine'),
  shards: z.number().describe(`Shards of records that it follows, of ${SHARDS}`),
  webhooks: z.number().describe('Webhooks that it delivers to'),
  workers: z.array(z.string()).describe('Workers of which one runs for all daemons, and that run in it'),
});
const Daemons = z.array(DaemonShare).describe('Daemons that are at work; at the terminal only');

const daemonsOf = async (
  context: Pick<Context, 'store' | 'processes'>,
): Promise<z.output<typeof Daemons>> => {
  const { alive, leases } = await readLeaseTable(context);
  return alive
    .map(({ id, process: { pid } }) => {
      const works = leases.filter(({ holder }) => holder === id).map((lease) => lease.id);
      return { id, pid, ...sumOf(works) };
    })
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
};

/** `32 of 64 shards, 1 webhook; blocks, times` */
const shareText = ({ shards, webhooks, workers }: z.output<typeof DaemonShare>): string => {
  const parts = [
    ...(shards === 0 ? [] : [`${shards} of ${SHARDS} shards`]),
    ...(webhooks === 0 ? [] : [`${webhooks} ${webhooks === 1 ? 'webhook' : 'webhooks'}`]),
    ...workers,
  ];
  return parts.length === 0 ? 'nothing yet' : parts.join(', ');
};

const StatusReply = z.object({
  ...Snapshot.shape,
  webhooks: Backlog.optional(),
  daemons: Daemons.optional(),
});
type StatusReply = z.output<typeof StatusReply>;

/** How `status` reads: what was probed, and in a line what was not. */
export const viewSnapshot = ({
  network,
  chain,
  components,
  updatedAt,
  webhooks,
  daemons = [],
  ...sums
}: StatusReply): View => {
  const silent = components.filter(({ status }) => status === 'unknown').map(({ name }) => name);
  return [
    { kind: 'text', text: sumUp(sums) },
    {
      kind: 'facts',
      rows: [
        ['Network', network.displayName],
        ['Chain tip', chain.height === null ? (chain.error ?? 'not known') : String(chain.height)],
        ['As of', showDate(Date.parse(updatedAt) / 1000)],
        ...(webhooks === undefined ? [] : [['Webhooks', backlogText(webhooks)] as const]),
        ...daemons.map((one) => [`Process ${one.pid}`, shareText(one)] as const),
      ],
    },
    {
      kind: 'table',
      head: [
        column.key('Component'),
        column.state('Status', 0),
        column.amount('Answers in', 2),
        column.prose('What it does'),
      ],
      rows: components.flatMap(({ name, status, latencyMs, description }) =>
        status === 'unknown'
          ? []
          : [[name, `${SIGNS[status]} ${status}`, milliseconds(latencyMs), description]],
      ),
      empty: '',
    },
    ...(silent.length === 0 ? [] : [{ kind: 'text' as const, text: `Not probed: ${silent.join(', ')}.` }]),
  ];
};

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
  forKeys: 'open',
  input: z.object({}),
  output: StatusReply,
  errors: [],
  run: async (_, context) => {
    const snapshot = await takeSnapshot(context);
    if (context.isOperator !== true) return snapshot;
    const [webhooks, daemons] = await Promise.all([webhookBacklog(context.store), daemonsOf(context)]);
    return {
      ...snapshot,
      ...(webhooks.active + webhooks.disabled === 0 ? {} : { webhooks }),
      ...(daemons.length === 0 ? {} : { daemons }),
    };
  },
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
  forKeys: 'open',
  input: z.object({}),
  output: z.object({ incidents: z.array(z.unknown()), total: z.number() }),
  errors: [],
  run: () => Promise.resolve({ incidents: [], total: 0 }),
});

export const operations: readonly Offer[] = [show, incidents];
