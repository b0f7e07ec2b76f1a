/**
 * A backup is taken while clients work, with `pg_dump` where it is of the server's version and else by reading every table
 * in one snapshot as it does; put back into another database and read anew from the chain, it is what the first one is.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { peopleOf } from '../../fixtures/people.js';
import { parseAddress } from '../../src/bch/address.js';
import { whyNoPostgres } from '../acceptance/postgres-world.js';
import { makeDatabase, runSql, testServer } from '../postgres/server.js';
import { randomOf } from '../simulate/random.js';
import { startBalancer } from './balancer.js';
import { startChain } from './chain.js';
import { clientOf } from './client.js';
import { startCluster, untilAllAnswer, type Cluster } from './daemons.js';
import { openDiary } from './diary.js';
import { playPair } from './journeys.js';
import { inPlace } from './place.js';

const SCHEMA = 'treasury_regtest';
const PRODUCTS = ['streams', 'rewards', 'payments'];

type Rows = Readonly<Record<string, unknown>>[];
type Backup = { readonly how: string; readonly restore: (url: string) => Promise<void> };

const nameOf = ({ table_name }: Readonly<Record<string, unknown>>): string => String(table_name);

/** With `pg_dump` and `psql`; null where they are not there, or not of the server's version. */
const dumpWhole = (url: string, folder: string): Backup | null => {
  const file = join(folder, 'backup.sql');
  const { status } = spawnSync('pg_dump', ['--no-owner', '--file', file, url], { encoding: 'utf8' });
  if (status !== 0) return null;
  return {
    how: 'pg_dump and psql',
    restore: (to) => {
      const words = [
        '--no-psqlrc',
        '--quiet',
        '--set',
        'ON_ERROR_STOP=1',
        '--single-transaction',
        '--file',
        file,
        to,
      ];
      const { status: code, stderr } = spawnSync('psql', words, { encoding: 'utf8' });
      return code === 0 ? Promise.resolve() : Promise.reject(new Error(stderr));
    },
  };
};

/** Every table as of one moment. */
const readSnapshot = async (url: string, { run }: Cluster): Promise<Backup> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin isolation level repeatable read read only');
  const tables = await client.query<{ readonly table_name: string }>(
    `select table_name from information_schema.tables where table_schema = '${SCHEMA}'`,
  );
  const contents = new Map<string, string>();
  for (const name of tables.rows.map(nameOf)) {
    const found = await client.query<{ readonly all: string }>(
      `select coalesce(json_agg(t), '[]')::text as all from ${SCHEMA}."${name}" t`,
    );
    contents.set(name, found.rows[0]?.all ?? '[]');
  }
  await client.query('commit');
  await client.end();
  return {
    how: 'a snapshot of every table',
    restore: async (to) => {
      await run('--database-url', to, 'database', 'migrate');
      const target = new pg.Client({ connectionString: to });
      await target.connect();
      for (const [name, all] of contents) {
        const table = `${SCHEMA}."${name}"`;
        await target.query(`delete from ${table}`);
        await target.query(
          `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1)`,
          [all],
        );
      }
      await target.end();
    },
  };
};

const documentsOf = async (url: string): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  for (const product of PRODUCTS)
    for (const { id, doc } of (await runSql(url, `select id, doc from ${SCHEMA}."${product}"`)) as Rows)
      found.set(`${product} ${String(id)}`, JSON.stringify(doc));
  return found;
};

const play = async (t: ExecutionContext): Promise<void> => {
  const server = await testServer();
  if ('missing' in server) throw new Error(server.missing);
  const { url: serverUrl } = server;
  await inPlace(async (place) => {
    const [databaseUrl, other] = [await makeDatabase(t, serverUrl), await makeDatabase(t, serverUrl)];
    const diary = openDiary();
    const chain = await startChain(place);
    await chain.mine(12);
    const cluster = await startCluster(place, { chain, databaseUrl, count: 2 });
    await chain.pay(parseAddress(cluster.authority, 'regtest').lockingBytecode, 1_000_000n, 10);
    const balancer = await startBalancer(
      cluster.daemons.map(({ port }) => port),
      place,
    );
    await untilAllAnswer(cluster.daemons);
    const [sender, recipient] = Object.values(peopleOf(2_000)).map((person) =>
      clientOf(balancer.url, person, diary),
    );
    if (sender === undefined || recipient === undefined) throw new Error('nobody is there');
    let isOver = false;
    const work = playPair({ sender, recipient, chain, diary, random: randomOf('backup') }, () => isOver);
    while (diary.sent.length < 6) await wait(100);

    // Under load; what is made and moved after it is not in it.
    const backup = dumpWhole(databaseUrl, place.folder) ?? (await readSnapshot(databaseUrl, cluster));
    const before = diary.sent.length;
    while (diary.sent.length < before + 4) await wait(100);
    isOver = true;
    await work;
    await chain.mine(1);
    for (const daemon of cluster.daemons) await daemon.stop();
    t.log(`${backup.how}: ${diary.sent.length} transactions, ${before} of them before it`);

    await backup.restore(other);
    const restored = (await cluster.run('--database-url', other, 'database', 'check')) as {
      readonly faults: unknown;
    };
    t.deepEqual(restored.faults, []);
    t.notDeepEqual(await documentsOf(other), await documentsOf(databaseUrl));
    await cluster.run('--database-url', databaseUrl, 'sync', '--all');
    await cluster.run('--database-url', other, 'sync', '--all');
    const again = (await cluster.run('--database-url', other, 'sync', '--all')) as {
      readonly summary: Readonly<Record<string, number>>;
    };
    t.is(again.summary['same'], again.summary['total']);

    const [first, second] = [await documentsOf(databaseUrl), await documentsOf(other)];
    t.true(second.size >= 1);
    for (const [record, document] of second) t.is(first.get(record), document, record);
    t.deepEqual(diary.findings, []);
  });
};

const title =
  'backup › taken under load, put back, read anew from the chain › every record in it is what it is in the first database';

if (whyNoPostgres === null)
  test(title, async (t) => {
    t.timeout(300_000);
    await play(t);
  });
else test.skip(`${title}: ${whyNoPostgres}`, (t) => t.pass());
