/**
 * Commits of the store against bare appends of the same bytes with the same fdatasync, by turns in one run. The
 * bare append that counts waits as the store does, without blocking; the blocking one, which no server can afford on
 * a slow disk, is shown beside it.
 *
 * A commit changes the status of one record, so that its indexes move too. Aims: at least a third of the bare
 * append's rate, and no slower at 100,000 records than at 100.
 */
import { closeSync, fdatasync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { openJsonStore, type JsonStore } from '../src/adapters/store/json-store.js';
import { defineCollection } from '../src/operation/ports/store.js';

/** One line of the result: rate and `ratio` (the rate over the bare append's) of the median round, p99 over all. */
export type StoreBenchRow = {
  readonly what: string;
  readonly records: number;
  readonly committers: number;
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly ratio: number;
};

const SIZES = [100, 10_000, 100_000];
const COMMITTERS = [1, 16];
/** The bare append and the store take turns, so that both meet the same disk; the median round of each is reported. */
const ROUNDS = 17;
const COMMITS_PER_ROUND = 96;
const WARM_UP_COMMITS = 960;

const syncData = promisify(fdatasync);

const Satoshis = z.codec(z.string().regex(/^\d+$/), z.bigint(), { decode: BigInt, encode: String });
const campaigns = defineCollection({
  name: 'campaigns',
  schema: z.object({
    id: z.string(),
    status: z.enum(['ACTIVE', 'PAUSED']),
    creator: z.string(),
    vaultId: z.string(),
    amount: Satoshis,
    title: z.string(),
  }),
  indexes: {
    status: ({ status }) => status,
    creator: ({ creator }) => creator,
    vault: ({ vaultId }) => vaultId,
  },
});
type Campaign = z.output<(typeof campaigns)['schema']>;

const campaign = (index: number, status: Campaign['status']): Campaign => ({
  id: `campaign-${index}`,
  status,
  creator: `bchtest:q${String(index % 1_000).padStart(41, '0')}`,
  vaultId: `vault-${index % 100}`,
  amount: 100_000_000n + BigInt(index),
  title: 'A reward for every contribution that was merged',
});

/** The line that a commit writes, as long as the store's own. */
const line = `${'0'.repeat(8)} ${JSON.stringify(
  {
    sequence: 100_000,
    changes: [{ put: 'campaigns', record: campaign(1, 'ACTIVE') }],
  },
  (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
)}\n`;

const fill = async (store: JsonStore, count: number): Promise<void> => {
  for (let from = 0; from < count; from += 5_000) {
    await store.transaction((writer) => {
      for (let index = from; index < Math.min(count, from + 5_000); index += 1)
        writer.put(campaigns, campaign(index, 'ACTIVE'));
    });
  }
};

/** Milliseconds of each commit, seconds of each round. */
type Series = { readonly times: number[]; readonly rounds: number[] };
const newSeries = (): Series => ({ times: [], rounds: [] });

/** Runs `commit` over and over from several sides at once. */
const measure = async (
  series: Series,
  count: number,
  committers: number,
  commit: () => unknown,
): Promise<void> => {
  const startedAt = performance.now();
  const side = async (): Promise<void> => {
    for (let index = 0; index < count / committers; index += 1) {
      const from = performance.now();
      await commit();
      series.times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: committers }, side));
  series.rounds.push((performance.now() - startedAt) / 1_000);
};

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;

/** One committer of the store: the next record in a fixed scattered order changes its status. */
const committing = (store: JsonStore, records: number): (() => Promise<void>) => {
  let turn = 0;
  return () => {
    turn += 1;
    const id = `campaign-${(turn * 7_919) % records}`;
    return store.transaction(async (writer) => {
      const found = await writer.get(campaigns, id);
      if (found === null) throw new Error(`${id} is missing`);
      writer.put(campaigns, { ...found, status: found.status === 'ACTIVE' ? 'PAUSED' : 'ACTIVE' });
    });
  };
};

const benchSize = async (folder: string, records: number, committers: number): Promise<StoreBenchRow[]> => {
  const store = await openJsonStore({ folder, collections: [campaigns] });
  await fill(store, records);
  await store.fold();
  const fd = openSync(join(folder, 'bare'), 'a');
  const append = (): Promise<void> => {
    writeSync(fd, line);
    return syncData(fd);
  };
  const appendBlocking = (): void => {
    writeSync(fd, line);
    fdatasyncSync(fd);
  };
  const commit = committing(store, records);
  const [bare, blocking, ours] = [newSeries(), newSeries(), newSeries()];
  await measure(newSeries(), WARM_UP_COMMITS, committers, commit);
  for (let round = 0; round < ROUNDS; round += 1) {
    await measure(bare, COMMITS_PER_ROUND, 1, append);
    await measure(blocking, COMMITS_PER_ROUND, 1, appendBlocking);
    await measure(ours, COMMITS_PER_ROUND, committers, commit);
  }
  closeSync(fd);
  await store.close();
  const row = (what: string, sides: number, { times, rounds }: Series): StoreBenchRow => ({
    what,
    records,
    committers: sides,
    perSecond: Math.round(COMMITS_PER_ROUND / percentile(rounds, 0.5)),
    p99Ms: Number(percentile(times, 0.99).toFixed(2)),
    ratio: Number((percentile(bare.rounds, 0.5) / percentile(rounds, 0.5)).toFixed(2)),
  });
  return [
    row('bare append', 1, bare),
    row('bare append, blocking', 1, blocking),
    row('store commit', committers, ours),
  ];
};

/** Measures commits at every size, from one side and from sixteen. */
export const benchStore = async (): Promise<{
  readonly name: string;
  readonly rows: readonly StoreBenchRow[];
}> => {
  const rows: StoreBenchRow[] = [];
  for (const committers of COMMITTERS) {
    for (const records of SIZES) {
      const folder = mkdtempSync(join(tmpdir(), 'treasury-bench-'));
      rows.push(...(await benchSize(folder, records, committers)));
      rmSync(folder, { recursive: true });
    }
  }
  return { name: 'store', rows };
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { rows } = await benchStore();
  console.table(rows);
}
