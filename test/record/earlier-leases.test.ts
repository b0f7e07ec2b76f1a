/** A home of before leases were one: what it has of a keeper's lease and of webhooks' turns is read over. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { processes } from '../../src/adapters/machine.js';
import { openJsonStore } from '../../src/adapters/store/json-store.js';
import { collections } from '../../src/collections.js';
import { defineCollection } from '../../src/operation/ports/store.js';
import { keeperAtWork, takeKeeperLease } from '../../src/record/keeper.js';
import { openLeases } from '../../src/record/leases.js';
import { stateOf, webhookStateCollection } from '../../src/record/webhooks/webhook.js';

const AnyRecord = z.looseObject({ id: z.string() });
const earlier = ['keeper_leases', 'webhook_states'].map((name) =>
  defineCollection({ name, schema: AnyRecord, indexes: {} }),
);
const holder = { pid: 1, startTicks: null, bootId: null };

for (const isFolded of [true, false])
  test(`a home of before › ${isFolded ? 'in its snapshot' : 'in its journal'} › it opens, its leases are nobody's, and places of webhooks stand`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'treasury-'));
    t.teardown(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const before = await openJsonStore({ folder, collections: earlier });
    await before.transaction((writer) => {
      const [keepers, states] = earlier;
      if (keepers === undefined || states === undefined) throw new Error('they are two');
      writer.put(keepers, { id: 'keeper', owner: 'somebody', holder, fence: 7, heard_at: 1_700_000_000 });
      const lease = { tag: 'somebody', holder, at: 1_700_000_000 };
      writer.put(states, { id: 'hook', cursor: 12, failing_since: null, lease });
    });
    if (isFolded) await before.fold();
    await before.close();

    for (const round of [1, 2]) {
      const store = await openJsonStore({ folder, collections, verifies: true });
      const context = { store, processes, uuid: () => `holder ${round}` };
      t.is((await stateOf(store, { id: 'hook' })).cursor, 11 + round);
      t.is(await keeperAtWork(context), null);
      const leases = openLeases(context, { isDaemon: false });
      t.is((await takeKeeperLease(leases)).fence, round);
      await store.transaction(async (writer) => {
        writer.put(webhookStateCollection, { ...(await stateOf(writer, { id: 'hook' })), cursor: 13 });
      });
      await leases.leave();
      await store.fold();
      await store.close();
    }
  });
