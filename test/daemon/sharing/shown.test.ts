/** Who has what, as the operator sees it, and nobody else. */
import test from 'ava';
import { show, viewSnapshot } from '../../../src/products/status/index.js';
import { createSharing } from '../../../src/daemon/sharing/share.js';
import { execute } from '../../../src/operation/execute.js';
import { takeKeeperLease } from '../../../src/record/keeper.js';
import { openTestHome } from '../../home.js';

test('status › given two daemons, one of which keeps › the operator sees what each has, everybody else nothing of it', async (t) => {
  const home = await openTestHome(t);
  const daemons = [createSharing({ context: home }), createSharing({ context: home })];
  for (const daemon of daemons) await daemon.start();
  for (const daemon of [...daemons, ...daemons]) await daemon.look();
  const [first] = daemons;
  if (first !== undefined) await takeKeeperLease(first.leases);

  type Shown = Parameters<typeof viewSnapshot>[0];
  const shown = (await execute(show, {}, home, { kind: 'operator', address: null })) as unknown as Shown;
  const found = shown.daemons ?? [];
  t.deepEqual(
    found.map(({ shards, webhooks, pid }) => [shards, webhooks, pid]),
    [
      [32, 0, process.pid],
      [32, 0, process.pid],
    ],
  );
  t.deepEqual(found.flatMap(({ workers }) => workers).toSorted(), [
    'blocks',
    'health',
    'keeper',
    'times',
    'witnesses',
  ]);
  const facts = viewSnapshot(shown).flatMap((part) => (part.kind === 'facts' ? part.rows : []));
  const rows = facts.filter(([name]) => name === `Process ${process.pid}`).map(([, value]) => value);
  t.is(rows.length, 2);
  t.true(
    rows.some((row) => /^32 of 64 shards, .*keeper/.test(row)),
    rows.join('; '),
  );

  const told = await execute(show, {}, home, { kind: 'http', trustAddressHeader: false });
  t.false('daemons' in told);
  for (const daemon of daemons) await daemon.stop();
  const after = await execute(show, {}, home, { kind: 'operator', address: null });
  t.false('daemons' in after);
});
