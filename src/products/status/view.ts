/** The report for people. */
import type { Tone, View } from '../../operation/define.js';
import { COMPONENT_STATUSES, type ComponentStatus, type Overall } from './component.js';
import type { Snapshot } from './snapshot.js';

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
