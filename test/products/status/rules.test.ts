import test from 'ava';
import { networkNames } from '../../../src/bch/network.js';
import { COMPONENTS, type ComponentStatus } from '../../../src/products/status/component.js';
import {
  BEAT_MILLISECONDS,
  describeNetwork,
  normaliseUpstream,
  recentHeights,
  rollUp,
  summarise,
  workerHealth,
} from '../../../src/products/status/rules.js';

test('components › they are the twelve of the specification, in its order and groups', (t) => {
  t.deepEqual(
    Object.entries(COMPONENTS).map(([id, { group }]) => [id, group]),
    [
      ['api', 'API'],
      ['frontend_app', 'Frontend'],
      ['docs', 'Docs'],
      ['explorer', 'Explorer'],
      ['bch_network', 'BCH Network'],
      ['database', 'Database'],
      ['hosted_vault', 'Database'],
      ['indexer', 'Workers'],
      ['executor', 'Workers'],
      ['blockchain_monitor', 'Workers'],
      ['transaction_monitor', 'Workers'],
      ['cycle_unlock_scheduler', 'Workers'],
    ],
  );
});

const overall: readonly (readonly [string, readonly ComponentStatus[], string])[] = [
  ['all operational', ['operational', 'operational'], 'operational'],
  ['one degraded', ['operational', 'degraded'], 'degraded'],
  ['more degraded', ['degraded', 'degraded', 'degraded'], 'degraded'],
  ['one outage', ['operational', 'outage', 'degraded'], 'partial_outage'],
  ['two outages', ['operational', 'outage', 'outage'], 'major_outage'],
  ['three outages', ['outage', 'outage', 'outage'], 'major_outage'],
  ['maintenance and nothing worse', ['operational', 'maintenance'], 'maintenance'],
  ['maintenance and a degraded one', ['maintenance', 'degraded'], 'degraded'],
  ['maintenance and an outage', ['maintenance', 'outage'], 'partial_outage'],
  ['no component', [], 'unknown'],
  ['only unknown ones', ['unknown', 'unknown'], 'unknown'],
  ['an unknown one beside operational ones', ['operational', 'unknown'], 'operational'],
  ['an unknown one beside a degraded one', ['degraded', 'unknown'], 'degraded'],
];
for (const [name, statuses, expected] of overall) {
  test(`overall › given ${name} › it is ${expected}`, (t) => {
    t.is(rollUp(statuses), expected as never);
  });
}

const upstream: readonly (readonly [string, ComponentStatus])[] = [
  ['operational', 'operational'],
  ['ok', 'operational'],
  ['healthy', 'operational'],
  ['up', 'operational'],
  ['degraded', 'degraded'],
  ['manual', 'degraded'],
  ['unknown', 'degraded'],
  ['critical', 'outage'],
  ['unreachable', 'outage'],
  ['outage', 'outage'],
  ['down', 'outage'],
  ['maintenance', 'maintenance'],
  ['not_configured', 'unknown'],
  ['Not Configured', 'unknown'],
  ['not-configured', 'unknown'],
  [' CRITICAL ', 'outage'],
  ['a word nobody knows', 'degraded'],
  ['constructor', 'degraded'],
  ['', 'degraded'],
];
for (const [reported, expected] of upstream) {
  test(`upstream › given "${reported}" › it is ${expected}`, (t) => {
    t.is(normaliseUpstream(reported), expected);
  });
}

const beats: readonly (readonly [string, number | null, ComponentStatus])[] = [
  ['no beat ever', null, 'unknown'],
  ['a beat just now', 0, 'operational'],
  ['a beat within the minute', BEAT_MILLISECONDS, 'operational'],
  ['a beat of a minute ago', BEAT_MILLISECONDS + 1, 'degraded'],
  ['a beat of five minutes ago', 5 * BEAT_MILLISECONDS, 'degraded'],
  ['a beat of longer ago', 5 * BEAT_MILLISECONDS + 1, 'outage'],
];
for (const [name, sinceBeat, status] of beats) {
  test(`worker › given ${name} › it is ${status}`, (t) => {
    t.is(workerHealth(sinceBeat).status, status);
  });
}

test('summary › every status is counted, and their sum is the total', (t) => {
  t.deepEqual(summarise(['operational', 'outage', 'unknown', 'unknown', 'degraded', 'maintenance']), {
    total: 6,
    operational: 1,
    degraded: 1,
    outage: 1,
    maintenance: 1,
    unknown: 2,
  });
});

test('sparkline › given a tip › it is its last twelve heights, newest last', (t) => {
  t.deepEqual(recentHeights(100), [89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100]);
  t.deepEqual(recentHeights(2), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
});

test('sparkline › given no tip › it is twelve zeros', (t) => {
  t.deepEqual(recentHeights(null), new Array<number>(12).fill(0));
});

test('network › given mainnet › it is mainnet, without a warning', (t) => {
  t.deepEqual(describeNetwork('mainnet'), {
    name: 'mainnet',
    isMainnet: true,
    displayName: 'Mainnet',
    testnetWarning: false,
  });
});

test('network › given any other › it is chipnet with a warning, and the display name says which', (t) => {
  for (const network of networkNames.filter((name) => name !== 'mainnet')) {
    t.like(describeNetwork(network), { name: 'chipnet', isMainnet: false, testnetWarning: true });
  }
  t.is(describeNetwork('local').displayName, 'Local');
  t.is(describeNetwork('chipnet').displayName, 'Chipnet');
});
