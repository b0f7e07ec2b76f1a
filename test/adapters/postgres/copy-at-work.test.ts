/** A copy of what a daemon works on: leases of the real store say so. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openApp, openDatabase } from '../../../src/app.js';
import type { DatabaseSettings } from '../../../src/settings/database.js';
import { openLeases } from '../../../src/record/leases.js';
import { whyNoPostgres } from '../../acceptance/postgres-world.js';
import { makeTreasuryDatabase } from '../../postgres/database.js';

const onPostgres = whyNoPostgres === null ? test : test.skip;

/** A home on a store, with a daemon's lease in it. */
const openDaemon = async (t: ExecutionContext, database: DatabaseSettings | null) => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const app = await openApp({ home, network: 'local', database, part: 'command' });
  t.teardown(app.close);
  const leases = openLeases(app.context, { isDaemon: true });
  await leases.change(await leases.look(), { take: ['witnesses'] });
  return { folder: join(home, 'local'), leases };
};

for (const direction of ['from', 'to'] as const)
  onPostgres(
    `copy ${direction} a home › given a daemon at work on what is copied › it is refused until it has ended`,
    async (t) => {
      const database = { url: await makeTreasuryDatabase(t), connections: 3 };
      const { leases, folder: own } = await openDaemon(t, direction === 'to' ? database : null);
      const folder = direction === 'from' ? own : join(own, 'copied');
      const tools = await openDatabase(database, 'local');
      t.teardown(tools.close);
      const message = new RegExp(`a daemon \\(process ${process.pid}\\)`);
      await t.throwsAsync(tools.copy(direction, folder), { code: 'store_in_use', message });
      await leases.leave();
      await t.notThrowsAsync(tools.copy(direction, folder));
    },
  );
