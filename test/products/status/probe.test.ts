import test from 'ava';
import type { WebProbe } from '../../../src/operation/ports/probes.js';
import type { ComponentStatus } from '../../../src/products/status/component.js';
import { pageHealth, upstreamHealth } from '../../../src/products/status/snapshot.js';

const answered = (httpStatus: number, reported: string | null = null): WebProbe => ({
  kind: 'answered',
  httpStatus,
  latencyMs: 7,
  reported,
});

const pages: readonly (readonly [string, WebProbe, ComponentStatus, number | null])[] = [
  ['no address', null, 'unknown', null],
  ['no answer', { kind: 'unreachable' }, 'outage', null],
  ['200', answered(200), 'operational', 7],
  ['204', answered(204), 'operational', 7],
  ['304', answered(304), 'operational', 7],
  ['404', answered(404), 'degraded', 7],
  ['405', answered(405), 'degraded', 7],
  ['500', answered(500), 'outage', 7],
  ['503', answered(503), 'outage', 7],
];
for (const [name, probe, status, latencyMs] of pages) {
  test(`page › given ${name} › it is ${status}`, (t) => {
    t.deepEqual(pageHealth(probe), { status, latencyMs });
  });
}

const reports: readonly (readonly [string, WebProbe, ComponentStatus])[] = [
  ['no address', null, 'unknown'],
  ['no answer', { kind: 'unreachable' }, 'outage'],
  ['200 and healthy', answered(200, 'healthy'), 'operational'],
  ['200 and not_configured', answered(200, 'not_configured'), 'unknown'],
  ['200 and critical', answered(200, 'critical'), 'outage'],
  ['200 and no status', answered(200), 'degraded'],
  ['401 and healthy', answered(401, 'healthy'), 'degraded'],
  ['503 and healthy', answered(503, 'healthy'), 'outage'],
];
for (const [name, probe, status] of reports) {
  test(`indexer › given ${name} › it is ${status}`, (t) => {
    t.is(upstreamHealth(probe).status, status);
  });
}
