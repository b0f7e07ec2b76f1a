/** An emptied store, the file of an export and the chain give every record back. */
import { isDeepStrictEqual } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import type { App } from '../../src/app.js';
import type { Stage } from '../../src/demo/stage.js';
import type { CovenantRecord } from '../../src/record/deployable.js';
import { parseAddress } from '../../src/bch/address.js';
import { faultsOfLog } from '../../src/record/check-log.js';
import { eventCollection, eventsOf } from '../../src/record/events.js';
import type { DeploymentsFile } from '../../src/products/deployments/index.js';
import { loadDeployables } from '../../src/products/index.js';
import { vaultCollection } from '../../src/products/vaults/index.js';
import { ask, openElsewhere, playStory, tell, type Told } from './story.js';

type Row = Readonly<Record<string, unknown>>;

const OPEN = ['PENDING', 'READY'];

/**
 * What the chain and the file cannot give back, by collection:
 * the price of BCH when a move was seen (the chain knows none); the signatures of a spend, which no file for anybody
 * carries, and so whether an open one has enough of them.
 */
const FORGOTTEN: Readonly<Record<string, (row: Row) => Row>> = {
  // What the log was told of it is another home's.
  events: (row) => ({ ...row, told: [], details: { ...(row['details'] as Row), price: null } }),
  vault_spends: (row) => ({
    ...row,
    signatures: [],
    status: OPEN.includes(String(row['status'])) ? 'PENDING' : row['status'],
  }),
};

/** Records by id, without what is forgotten. */
const comparable = (told: Told): Record<string, Record<string, Row>> =>
  Object.fromEntries(
    Object.entries(told).map(([name, rows]) => [
      name,
      Object.fromEntries(rows.map((row) => [String(row['id']), FORGOTTEN[name]?.(row) ?? row])),
    ]),
  );

/** When a row says that it happened; the activity of streams has the time of its event. */
const timeOf = (row: Row, told: Told): number => {
  const own = [
    row['created_at'],
    row['distributed_at'],
    row['released_at'],
    row['claimed_at'],
    row['paid_at'],
  ];
  const event = told['events']?.find(({ id }) => id === row['id']);
  return Number([...own, event?.['created_at']].find((time) => time !== undefined));
};

/** Everything that is told newest first is in the order of time. */
const disorder = (told: Told): readonly string[] =>
  Object.entries(told).flatMap(([name, rows]) => {
    const times = rows.map((row) => timeOf(row, told));
    return times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0)) ? [] : [name];
  });

const everything = { limit: Number.MAX_SAFE_INTEGER };

/** Takes in what happened to each record, as reading it would. */
const followAll = async ({ context }: App): Promise<void> => {
  for (const { collection, follow } of await loadDeployables())
    for (const { id } of (await context.store.find(collection, everything)).items as readonly {
      id: string;
    }[])
      await follow(id, context);
};

const exportFile = async (app: App): Promise<DeploymentsFile> =>
  JSON.parse(JSON.stringify(await ask(app, 'deployments.export'))) as DeploymentsFile;

/** Every record is as it was; what differs is named by its collection. */
const expectSame = (t: ExecutionContext, after: Told, before: Told): void => {
  for (const name of Object.keys(before)) {
    t.true((before[name]?.length ?? 0) > 0, `the story has no ${name}`);
    t.deepEqual(comparable(after)[name], comparable(before)[name], name);
  }
  t.deepEqual(disorder(after), []);
};

/** Numbers that look random and are the same in every run. */
const dice = (seed: number) => {
  let state = seed;
  return (sides: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * sides);
  };
};

/** Gives every covenant record other chain fields: those of another record of its kind, which are as good as true. */
const damageRecords = async ({ context }: App, roll: (sides: number) => number): Promise<number> => {
  let damaged = 0;
  for (const { collection, reset } of await loadDeployables()) {
    const records = (await context.store.find(collection, everything)).items as CovenantRecord[];
    const fields = new Set(
      records.flatMap((record) => {
        const [whole, bare] = [record, reset(record, context)] as unknown as readonly Row[];
        return Object.keys(whole ?? {}).filter((name) => !isDeepStrictEqual(whole?.[name], bare?.[name]));
      }),
    );
    await context.store.transaction((writer) => {
      for (const record of records) {
        const other = (records[roll(records.length)] ?? record) as unknown as Row;
        const taken = [...fields].filter(() => roll(3) > 0).map((name) => [name, other[name]]);
        writer.put(collection, { ...record, ...Object.fromEntries(taken) });
        damaged += taken.length;
      }
    });
  }
  return damaged;
};

/** Takes events of moves away, and tells others wrongly. */
const damageEvents = async ({ context }: App, roll: (sides: number) => number): Promise<number> => {
  const moves = (await context.store.find(eventCollection, everything)).items.filter(
    ({ tx_hash }) => tx_hash !== null,
  );
  const chosen = moves.map((event) => ({ event, what: roll(4) })).filter(({ what }) => what < 2);
  await context.store.transaction((writer) => {
    for (const { event, what } of chosen) {
      if (what === 0) writer.remove(eventCollection, event.id);
      else
        writer.put(eventCollection, {
          ...event,
          amount: event.amount + 1n,
          actor: '',
          certainty: 'safe',
          height: 1,
          created_at: event.created_at + 1_000_000,
        });
    }
  });
  return chosen.length;
};

/** The story is played once; no test changes its home. */
let stage: Stage;
let before: Told;
test.before(async () => {
  stage = await playStory();
  await followAll(stage.app);
  before = await tell(stage.app);
});
test.after.always(() => stage.close());

test('recovery › given an emptied store › the exported file and the chain give every record back', async (t) => {
  const file = await exportFile(stage.app);

  const elsewhere = await openElsewhere(t, stage.app);
  const reply = await ask(elsewhere, 'deployments.import', { file });
  t.like(reply, { success: true, summary: { known: 0, leftOut: 0, notRebuilt: 0 } });
  expectSame(t, await tell(elsewhere), before);

  // Doing it again changes nothing.
  const imported = await tell(elsewhere);
  const again = await ask(elsewhere, 'deployments.import', { file });
  t.like(again, {
    success: true,
    imported: {},
    records: [],
    summary: { imported: 0, leftOut: 0, rebuilt: 0 },
  });
  t.deepEqual(await tell(elsewhere), imported);
  t.deepEqual(await faultsOfLog(elsewhere.context.store), []);

  // Nor does reading the chain once more.
  const synced = await ask(elsewhere, 'sync', { all: true });
  t.like(synced, { success: true, summary: { changed: 0, failed: 0 } });
  t.deepEqual(await tell(elsewhere), imported);
});

test('recovery › given chain fields and events that are damaged › `sync --all` mends every one', async (t) => {
  const home = await openElsewhere(t, stage.app);
  await ask(home, 'deployments.import', { file: await exportFile(stage.app) });
  const roll = dice(20_261_121);
  t.true((await damageRecords(home, roll)) > 100);
  t.true((await damageEvents(home, roll)) > 25);
  t.notDeepEqual(comparable(await tell(home)), comparable(before));

  const synced = await ask(home, 'sync', { all: true });
  t.like(synced, { success: true, failures: [] });
  t.true(Number((synced['summary'] as Row)['changed']) > 20);
  expectSame(t, await tell(home), before);
  t.deepEqual(await faultsOfLog(home.context.store), []);
  t.like(await ask(home, 'sync', { all: true }), { summary: { changed: 0, failed: 0 } });
});

test('recovery › given a chain that goes on after the export › what happened since is there too', async (t) => {
  const file = await exportFile(stage.app);
  const home = await openElsewhere(t, stage.app);
  // A gift to the vault, which the file knows nothing of.
  const vaults = (await stage.app.context.store.find(vaultCollection, everything)).items;
  const vault = vaults.find(({ name }) => name === 'Common funds');
  const { lockingBytecode } = parseAddress(vault?.contract_address ?? '');
  await home.context.localChain?.faucet(lockingBytecode, 12_345n);
  await ask(home, 'deployments.import', { file });
  const taken = await home.context.store.get(vaultCollection, vault?.id ?? '');
  t.is(taken?.balance, (vault?.balance ?? 0n) + 12_345n);
  t.is(
    (await eventsOf(home.context.store, vault?.id ?? '')).filter(({ amount }) => amount === 12_345n).length,
    1,
  );
});
