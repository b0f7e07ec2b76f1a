/** Leases, shares and limits on a real database, where everything happens at the same time. */
import type { ExecutionContext } from 'ava';
import { createSharing, type Sharing } from '../../../src/daemon/sharing/share.js';
import { createSharedLimit, rateCountCollection } from '../../../src/http/shared-limit.js';
import { openPostgresStore } from '../../../src/adapters/postgres/postgres-store.js';
import type { StorePort } from '../../../src/operation/ports/store.js';
import { contactCollection } from '../../../src/record/contacts.js';
import {
  fenced,
  isLeaseLost,
  leaseCollection,
  leaseHolderCollection,
  openLeases,
} from '../../../src/record/leases.js';
import { shards, WORKERS } from '../../../src/record/works.js';
import { webhookCollection } from '../../../src/record/webhooks/webhook.js';
import { fakeContext } from '../../operation/fake-context.js';
import { makeSchema, onPostgres } from '../../adapters/store/each-store.js';

const collections = [
  leaseCollection,
  leaseHolderCollection,
  rateCountCollection,
  webhookCollection,
  contactCollection,
];

/** Opens the same database again and again, as each daemon does. */
const openDatabase = async (t: ExecutionContext): Promise<() => Promise<StorePort>> => {
  const { url, schema } = await makeSchema(collections);
  return async () => {
    const store = await openPostgresStore({ url, schema, connections: 3 });
    t.teardown(() => store.close());
    return store;
  };
};

const works = [...shards, ...Object.values(WORKERS)];
const countOf = ({ has }: Sharing): number => shards.filter(has).length;

onPostgres(
  'sharing › given daemons that join and leave at the same moment › each work is done by one, and all have their part',
  async (t) => {
    const open = await openDatabase(t);
    let drawn = 0;
    const daemon = async (): Promise<Sharing> =>
      createSharing({ context: fakeContext({ store: await open(), uuid: () => `daemon ${(drawn += 1)}` }) });
    let daemons: readonly Sharing[] = await Promise.all([daemon(), daemon(), daemon(), daemon()]);
    const looks = async (): Promise<void> => {
      for (let time = 0; time < 5; time += 1) await Promise.all(daemons.map((one) => one.look()));
    };
    for (let round = 0; round < 3; round += 1) {
      await looks();
      for (const work of works) t.is(daemons.filter(({ has }) => has(work)).length, 1, work);
      const counts = daemons.map(countOf);
      t.true(Math.max(...counts) - Math.min(...counts) <= 1, counts.join());
      const [leaving, ...staying] = daemons;
      await leaving?.stop();
      daemons = round === 0 ? staying : [...staying, await daemon(), await daemon()];
    }
  },
);

onPostgres(
  'leases › given one that writes while others take its lease › nothing is written after the lease is another’s',
  async (t) => {
    const open = await openDatabase(t);
    const world = { ahead: 0 };
    const holderOn = async (id: string) => {
      const own = await open();
      const store = { ...own, time: async () => (await own.time()) + world.ahead };
      let drawn = 0;
      const processes = { self: () => ({ pid: 1, startTicks: null, bootId: null }), isGone: () => false };
      const leases = openLeases(
        { store, processes, uuid: () => `${id} ${(drawn += 1)}` },
        { isDaemon: true },
      );
      return { ...leases, store, ask: async () => leases.change(await leases.look(), { take: ['a'] }) };
    };
    for (let round = 0; round < 10; round += 1) {
      const [still, other] = [await holderOn(`still ${round}`), await holderOn(`other ${round}`)];
      world.ahead += 16_000;
      await still.ask();
      const held = still.held('a');
      if (held === null) throw new Error('it has no lease');
      const own = fenced(still.store, held);
      world.ahead += 16_000;
      const written: number[] = [];
      const write = async (number: number): Promise<void> => {
        try {
          // What is written says which fence stood when it was: both in one transaction.
          const fence = await own.transaction(async (writer) => {
            const lease = await writer.get(leaseCollection, 'a');
            writer.put(leaseCollection, {
              id: `round ${round} ${number}`,
              holder: null,
              fence: lease?.fence ?? 0,
            });
            return lease?.fence ?? 0;
          });
          written.push(fence);
        } catch (error) {
          if (!isLeaseLost(error)) throw error;
        }
      };
      await Promise.all([other.ask(), ...Array.from({ length: 12 }, (_, number) => write(number))]);
      t.true(
        written.every((fence) => fence === held.fence),
        written.join(),
      );
      t.is(other.held('a')?.fence, held.fence + 1);
      await write(99);
      t.is(await other.store.get(leaseCollection, `round ${round} 99`), null);
      await other.leave();
    }
  },
);

onPostgres(
  'limits › given three daemons that are asked at once › a caller has no more than the limit, and hardly less',
  async (t) => {
    const open = await openDatabase(t);
    const limits = await Promise.all([1, 2, 3].map(async () => createSharedLimit(300, await open())));
    let granted = 0;
    await Promise.all(
      limits.map(async (limit) => {
        for (let one = 0; one < 300; one += 1)
          await limit('alice', 1).then(
            () => (granted += 1),
            () => undefined,
          );
      }),
    );
    t.true(granted <= 300 && granted >= 270, String(granted));
  },
);
