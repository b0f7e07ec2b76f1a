/** What has to hold when nothing goes wrong any more. */
import { parseAddress } from '../../src/bch/address.js';
import { jsonOf, runCommand, runTask, timesPaid } from './commands.js';
import { NETWORK, type Json } from './processes.js';
import { readWith } from './readers.js';
import { decodeTransaction } from '../../src/bch/transaction.js';
import { collections } from '../../src/collections.js';
import { checkEvents, countEvents, lookThroughLog } from './event-checks.js';
import { checkKeepers, keepLast } from './keepers.js';
import { mendWebhooks, readToTheEnd } from './listeners.js';
import { checkKeys } from './scripts.js';
import { checkSums } from './sums.js';
import { TROUBLES } from './servers.js';
import { runAs } from './timeline.js';
import { launchDaemon, takeUncaught, type OpenedWorld } from './world.js';

/** Ends every fault. */
export const endFaults = (world: OpenedWorld): void => {
  for (const server of world.servers) for (const trouble of TROUBLES) server.end(trouble);
  world.host.disk.room = Infinity;
  world.host.isReadOnly = false;
  world.lossy = 0;
  for (const receiver of world.receivers.all) receiver.mood = 'well';
  world.armNext = null;
  world.database?.mend();
  for (const process of world.host.living()) {
    process.fate = null;
    process.skew = 0;
  }
  world.tell('nothing goes wrong any more');
};

/** What the store holds, read in a process of its own. */
export const readStore = async (world: OpenedWorld): Promise<ReadonlyMap<string, readonly Json[]>> => {
  return readWith(world, 'a reader', async ({ context: { store } }) => {
    const all = new Map<string, readonly Json[]>();
    for (const collection of collections)
      all.set(collection.name, (await store.find(collection)).items as Json[]);
    return all;
  });
};

/** Where the records of a noun are. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  budgets: 'budget_plans',
  governance: 'proposals',
};

const asText = (record: Json): string =>
  JSON.stringify(record, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** Everything that was answered is there, once; what was never answered is there once at most. */
const checkMade = (world: OpenedWorld, store: ReadonlyMap<string, readonly Json[]>): void => {
  const recordsOf = (noun: string): readonly Json[] => store.get(COLLECTIONS[noun] ?? noun) ?? [];
  for (const { noun, id, tag } of world.known)
    if (!recordsOf(noun).some((record) => record['id'] === id))
      world.find('lost', `${noun} ${id} (${tag}) was answered, and is not in the store`);
  for (const [tag, noun] of world.tried) {
    const times = recordsOf(noun).filter((record) => asText(record).includes(`"${tag}"`)).length;
    if (times > 1) world.find('once', `${noun} ${tag} was made ${times} times`);
    world.count(`checked: ${times === 0 ? 'not made' : 'made once'}`);
  }
};

/** What holds at any time: nothing that was answered is lost, and nothing is there twice. */
export const lookThrough = async (world: OpenedWorld): Promise<void> => {
  const isTrouble = world.timeline.now() < world.diskTroubleUntil;
  if (isTrouble) return;
  checkMade(world, await world.timeline.runOut(readStore(world), 60_000));
  await world.timeline.runOut(lookThroughLog(world), 60_000);
};

/** A record is funded once at most by who made it. */
const checkFundings = async (world: OpenedWorld): Promise<void> => {
  for (const { address, tag, creator, noun } of world.known) {
    if (address === null || noun === 'vaults') continue;
    const { lockingBytecode } = parseAddress(address, NETWORK);
    const own = creator.address(NETWORK).lockingBytecode;
    const history = await runAs(null, () => world.node.history(lockingBytecode));
    const fundings: string[] = [];
    for (const { txid } of history) {
      const raw = await runAs(null, () => world.node.rawTransaction(txid));
      if (raw === null) continue;
      const { inputs, outputs } = decodeTransaction(raw);
      const sources = await Promise.all(
        inputs.map(async (input) => {
          const source = await runAs(null, () => world.node.transaction(input.txid));
          return source?.transaction.outputs[input.vout]?.lockingBytecode;
        }),
      );
      // A thread begins where a coin at index 0 gives its category its name.
      const mints = outputs.some(
        ({ lockingBytecode: to, token }) =>
          to === lockingBytecode &&
          token?.nft !== undefined &&
          inputs.some((input) => input.txid === token.category && input.vout === 0),
      );
      if (mints && sources.includes(own)) fundings.push(txid);
    }
    if (fundings.length > 1)
      world.find(
        'once',
        `${noun} ${tag} was funded ${fundings.length} times by ${creator.name}: ${fundings.join(', ')}`,
      );
  }
};

/** No person has paid twice what they wanted to pay once. */
const checkPayments = async (world: OpenedWorld): Promise<void> => {
  for (const task of world.tasks) {
    if (task.pays === null) continue;
    const times = await timesPaid(world, task);
    if (times > 1) world.find('once', `treasury ${task.words.join(' ')} has paid ${times} times`);
  }
};

/** What the authority has witnessed is good for ten minutes: who has kept it longer is refused. */
const checkWitnesses = async (world: OpenedWorld): Promise<void> => {
  const kept = world.drawer.filter(
    ({ build, wasSent, at }) =>
      /\.(?:pause|cancel)$/.test(build) && !wasSent && world.timeline.now() - at > 2 * QUIET_MS,
  );
  for (const { raw, build, record, txid } of kept) {
    if ((await runAs(null, () => world.node.transaction(txid))) !== null) continue;
    const isTaken = await runAs(null, () => world.node.broadcast(raw)).then(
      () => true,
      () => false,
    );
    world.count('checked: a witness that was kept');
    if (isTaken && build !== 'rewards.pause')
      world.find(
        'witness',
        `${build} of ${record?.tag ?? ''} (${txid}) is taken long after it was witnessed`,
      );
  }
};

/** Every record is what a rebuild from the chain makes of it. */
const checkFold = async (world: OpenedWorld): Promise<void> => {
  const outcome = await runCommand(world, ['sync', '--all', '--json']);
  if (outcome === null) {
    world.find('fold', 'sync was killed by nobody');
    return;
  }
  const reply = jsonOf(outcome);
  const summary = reply['summary'] as Json | undefined;
  world.count('checked: folds');
  if (outcome.exit !== 0 || summary === undefined) {
    world.find('fold', `sync ends with ${outcome.exit}: ${outcome.stdout}${outcome.stderr}`);
    return;
  }
  const records = reply['records'] as Json[];
  for (const record of records) {
    const events = record['events'] as Json;
    const changed = record['changed'] as string[];
    if (changed.length > 0 || Object.values(events).some((times) => times !== 0))
      world.find(
        'fold',
        `${String(record['module'])} ${String(record['label'])} is not what the chain says: ${JSON.stringify(record)}`,
      );
  }
};

const QUIET_MS = 130_000;
const COINS_HELD_MS = 10 * 60_000;
const LONGEST_RETRY_MS = 15 * 3_600_000;
const MOST_TRIES = 6;
const TRIES_BEFORE_ANEW = 3;

/** Lets everything come right, and looks whether it has. */
export const settle = async (world: OpenedWorld): Promise<void> => {
  const { timeline } = world;
  endFaults(world);
  world.diskTroubleUntil = Math.min(world.diskTroubleUntil, timeline.now() + 1);
  await timeline.runUntil(timeline.now() + 2);
  for (let daemons = world.daemons.length; daemons < 2; daemons += 1)
    launchDaemon(world, `daemon-last-${daemons}`);
  await timeline.runUntil(timeline.now() + QUIET_MS);
  await timeline.runOut(world.mine(2), 60_000);
  // Of a database nobody sees who was killed: the coins that they held are free after ten minutes.
  if (world.database !== null) timeline.leap(COINS_HELD_MS);
  // Whoever was interrupted does it again.
  const finish = async (): Promise<void> => {
    for (const task of world.tasks)
      for (let tries = 0; !task.done && tries < MOST_TRIES; tries += 1) {
        // What it was built on may be gone for good: somebody has looked, and begins anew.
        const isGivenUp = task.wasRefused && tries >= TRIES_BEFORE_ANEW;
        await runTask(world, task, isGivenUp ? ['--start-over'] : []);
      }
  };
  await timeline.runOut(finish(), 3_600_000);
  for (const task of world.tasks)
    if (!task.done) world.find('liveness', `treasury ${task.words.join(' ')} is never done`);
  await timeline.runOut(keepLast(world), 3_600_000);
  for (let blocks = 0; blocks < 12; blocks += 1) {
    await timeline.runOut(world.mine(1), 60_000);
    await timeline.runUntil(timeline.now() + 5_000);
  }
  await timeline.runOut(mendWebhooks(world), 600_000);
  // What is on its way when hours pass comes too late, and would be tried again hours later.
  await timeline.runUntil(timeline.now() + 30_000);
  // What failed last waits longest to be delivered again.
  world.timeline.leap(LONGEST_RETRY_MS);
  await timeline.runOut(world.mine(11), 60_000);
  await timeline.runUntil(timeline.now() + QUIET_MS);
  for (const daemon of world.daemons) {
    const figures = daemon.monitor()?.figures();
    if (figures === undefined) world.find('liveness', `${daemon.process.name} does not open`);
    else if (figures.waiting > 0)
      world.find('liveness', `${daemon.process.name} has records that wait: ${JSON.stringify(figures)}`);
  }
  const check = async (): Promise<void> => {
    await checkFold(world);
    const store = await readStore(world);
    checkMade(world, store);
    await checkSums(world, store);
    await checkFundings(world);
    await checkPayments(world);
    await checkWitnesses(world);
    await checkKeys(world);
    await checkKeepers(world, store);
    await readToTheEnd(world);
    // A keeper goes on for as long as something becomes due: what it did while the others read is told and read too.
    for (let tries = 0, known = -1; tries < MOST_TRIES; tries += 1) {
      const told = await countEvents(world);
      if (told === known) break;
      known = told;
      await timeline.sleep(5_000);
      await readToTheEnd(world);
    }
    await checkEvents(world);
  };
  await timeline.runOut(check(), 3_600_000);
  for (const error of takeUncaught()) {
    if (world.findings.length < 20)
      world.find('uncaught', error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
};
