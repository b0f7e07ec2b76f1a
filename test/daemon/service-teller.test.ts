import { setTimeout as wait } from 'node:timers/promises';
import test from 'ava';
import { serviceTeller, type Health } from '../../src/daemon/service-teller.js';
import { createSharing } from '../../src/daemon/sharing/share.js';
import { TreasuryError } from '../../src/errors.js';
import { eventLog, type LoggedEvent } from '../../src/record/event-log.js';
import { WORKERS } from '../../src/record/works.js';
import { recordLog } from '../http/fake-app.js';
import { openTreasury, type Treasury } from '../treasury.js';

const told = async ({ app }: Treasury): Promise<readonly LoggedEvent[]> =>
  (await app.context.store.readLog(eventLog, { after: 0, limit: 100 })).entries;

test('the service › given a start, a component that fails and works again, and a stop › each is told once', async (t) => {
  const treasury = await openTreasury(t);
  let report: Health = { overall: 'operational', components: [{ id: 'api', status: 'operational' }] };
  let looks = 0;
  const health = (): Promise<Health> => {
    looks += 1;
    return Promise.resolve(report);
  };
  const teller = serviceTeller({ context: treasury.app.context, health, tickMs: 1 });
  const look = async (): Promise<void> => {
    const from = looks;
    while (looks <= from + 2) await wait(1);
  };
  await teller.start();
  await look();
  report = {
    overall: 'partial_outage',
    components: [
      { id: 'api', status: 'operational' },
      { id: 'docs', status: 'unknown' },
      { id: 'bch_network', status: 'outage' },
    ],
  };
  await look();
  report = { overall: 'unknown', components: [] };
  await look();
  await teller.stop();
  const events = await told(treasury);
  t.deepEqual(
    events.map(({ type }) => type),
    ['service.started', 'service.degraded', 'service.recovered', 'service.stopped'],
  );
  t.deepEqual(events[1]?.data, {
    overall: 'partial_outage',
    components: [{ id: 'bch_network', status: 'outage' }],
  });
  // Nothing of where it runs: everybody may read this.
  t.false(JSON.stringify(events).includes(treasury.home));
});

test('the service › given a disk that takes nothing › it starts and stops all the same', async (t) => {
  const { app } = await openTreasury(t);
  const log = recordLog();
  const transaction = () =>
    Promise.reject(new TreasuryError('storage_full', { file: '/x', reason: 'ENOSPC' }));
  const context = { ...app.context, log, store: { ...app.context.store, transaction } };
  const teller = serviceTeller({ context, health: () => Promise.reject(new Error('no')), tickMs: 3_600_000 });
  await teller.start();
  await teller.stop();
  t.deepEqual(
    log.lines.map(({ message }) => message),
    ['how the service is could not be told', 'how the service is could not be told'],
  );
});

test('the service › given several daemons, and one that takes over while it is degraded › each change is told once', async (t) => {
  const treasury = await openTreasury(t);
  const { context } = treasury.app;
  let report: Health = { overall: 'operational', components: [] };
  let looks = 0;
  const health = (): Promise<Health> => {
    looks += 1;
    return Promise.resolve(report);
  };
  const daemons = [1, 2].map(() => createSharing({ context, tickMs: 5 }));
  const tellers = daemons.map((share) => serviceTeller({ context, health, share, tickMs: 1 }));
  for (const [index, share] of daemons.entries()) {
    await share.start();
    await tellers[index]?.start();
  }
  const look = async (): Promise<void> => {
    const from = looks;
    while (looks <= from + 4) await wait(1);
  };
  await look();
  report = { overall: 'major_outage', components: [{ id: 'bch_network', status: 'outage' }] };
  await look();
  // Whichever has the work leaves.
  const leaving = daemons.findIndex((share) => share.has(WORKERS.health));
  await tellers[leaving]?.stop();
  await daemons[leaving]?.stop();
  await look();
  report = { overall: 'operational', components: [] };
  await look();
  for (const share of daemons) await share.stop();
  for (const teller of tellers) await teller.stop();
  const types = (await told(treasury)).map(({ type }) => type);
  t.is(types.filter((type) => type === 'service.degraded').length, 1, types.join());
  t.is(types.filter((type) => type === 'service.recovered').length, 1, types.join());
});
