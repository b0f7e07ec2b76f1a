/**
 * The trial by fire: three daemons and a balancer on one PostgreSQL and one chain, clients, followers, and faults from a
 * seed. What is found is said in words; nothing found is the result that is wanted.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { peopleOf } from '../../fixtures/people.js';
import { parseAddress } from '../../src/bch/address.js';
import { KEEPS_ANSWERS, makeDatabase, ownServer, runSql, type OwnServer } from '../postgres/server.js';
import { randomOf } from '../simulate/random.js';
import { startBalancer, type Balancer } from './balancer.js';
import { startChain } from './chain.js';
import { checkEvents, checkMade, checkRecords, readLog, type Checked } from './checks.js';
import { clientOf } from './client.js';
import { startCluster, untilAllAnswer, type Cluster } from './daemons.js';
import { openDiary, type Diary } from './diary.js';
import { befall, playBlocks, playFaults, type FaultName, type Stage } from './faults.js';
import { follow, openReceiver, type Follower, type Receiver } from './followers.js';
import { playPair, type Pair } from './journeys.js';
import { inPlace, type Place } from './place.js';

export type PlayOptions = {
  readonly seed: string;
  readonly seconds: number;
  /** Who makes records, and as many who are paid. */
  readonly pairs: number;
  /** In the place of faults by chance: these, one after the other. */
  readonly faults?: readonly FaultName[];
  /** A database that forgets, when it is killed, what it has answered: the checker has to find that. */
  readonly isForgetful?: boolean;
  readonly say?: (what: string) => void;
  /** A folder that the logs of the daemons are left in. */
  readonly keep?: string | undefined;
};

export type Report = { readonly findings: readonly string[]; readonly text: string };

const FORGETS = ['fsync=off', 'synchronous_commit=off', 'wal_writer_delay=10s'];

/** The database of the play: of a server of its own, or on the one that the environment names. */
const openDatabase = async (
  place: Place,
  { isForgetful = false }: PlayOptions,
): Promise<{ readonly url: string; readonly postgres: OwnServer | null }> => {
  const given = process.env['TREASURY_TEST_DATABASE_URL'];
  if (given !== undefined && given !== '' && !isForgetful)
    return { url: await makeDatabase(place, given), postgres: null };
  const postgres = await ownServer(place, isForgetful ? FORGETS : KEEPS_ANSWERS);
  return { url: postgres.url, postgres };
};

const terminateAll = async (url: string): Promise<number> => {
  const text = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'treasury' and datname = current_database()`;
  return (await runSql(url, text).catch(() => [])).length;
};

/** Waits until followers and the webhook have all of the log, and nothing more is told. */
const untilSettled = async (
  checked: Checked,
  {
    followers,
    receiver,
    stage,
  }: { readonly followers: readonly Follower[]; readonly receiver: Receiver; readonly stage: Stage },
): Promise<void> => {
  const deadline = Date.now() + 120_000;
  let before = -1;
  for (;;) {
    await stage.chain.mine(1);
    await wait(3_000);
    const log = await readLog(checked);
    const last = log.at(-1)?.sequence ?? 0;
    const isTold = followers.every(({ told }) => (told.at(-1)?.sequence ?? 0) >= last);
    const isSent = log.every(({ id }) => receiver.taken.has(id));
    if (last === before && isTold && isSent) return;
    if (Date.now() > deadline) {
      stage.say('it does not settle');
      return;
    }
    before = last;
  }
};

/** A copy of the database in files, read anew from the chain, must be what it was. */
const checkCopy = async (place: Place, cluster: Cluster, diary: Diary): Promise<void> => {
  const checked = (await cluster.run('database', 'check')) as { readonly faults: readonly string[] };
  for (const fault of checked.faults) diary.find(`database check: ${fault}`);
  const home = join(place.folder, 'restored');
  await cluster.run('--home', home, 'database', 'copy', '--to-home');
  const { summary, records } = (await cluster.runElsewhere(home, 'sync', '--all')) as {
    readonly summary: Readonly<Record<string, number>>;
    readonly records: readonly Readonly<Record<string, unknown>>[];
  };
  if (summary['same'] !== summary['total'])
    diary.find(
      `a copy that was read anew from the chain differs: ${JSON.stringify(summary)} ${JSON.stringify(records.filter(({ changed, events }) => (changed as unknown[]).length > 0 || Object.values(events as object).some(Boolean)).slice(0, 5))}`,
    );
  diary.count('checked: records of a copy against the chain', summary['total']);
};

const reportOf = ({
  diary,
  balancer,
  options,
}: {
  readonly diary: Diary;
  readonly balancer: Balancer;
  readonly options: PlayOptions;
}): Report => {
  const { counts, findings } = diary;
  const rows = [...counts].toSorted(([one], [other]) => one.localeCompare(other));
  const table = (title: string, of: readonly (readonly [string, number])[]): string[] => [
    `${title}:`,
    ...of.map(([what, count]) => `  ${String(count).padStart(7)}  ${what}`),
  ];
  const starting = (prefix: string) =>
    rows
      .filter(([what]) => what.startsWith(prefix))
      .map(([what, count]) => [what.slice(prefix.length), count] as const);
  const isOther = ([what]: readonly [string, number]) =>
    !['fault: ', 'answered: ', 'checked: '].some((prefix) => what.startsWith(prefix));
  const text = [
    `Seed ${options.seed}, ${options.seconds} seconds, three daemons, ${options.pairs} pairs of clients; requests by daemon: ${balancer.handed.join(', ')}.`,
    ...table('Played', rows.filter(isOther)),
    ...table('Faults', starting('fault: ')),
    ...table('Answers that asked to come again', starting('answered: ')),
    ...table('Checked', starting('checked: ')),
    findings.length === 0 ? 'Findings: none.' : `Findings: ${findings.length}.`,
    ...findings.slice(0, 40).map((finding) => `  - ${finding}`),
  ].join('\n');
  return { findings, text };
};

const openPairs = ({
  options,
  diary,
  stage,
  url,
}: {
  readonly options: PlayOptions;
  readonly diary: Diary;
  readonly stage: Stage;
  readonly url: string;
}): readonly Pair[] =>
  Array.from({ length: options.pairs }, (_, index) => {
    const { alice, bob } = peopleOf(1_000 + index);
    const [sender, recipient] = [alice, bob].map((person) => clientOf(url, person, diary));
    if (sender === undefined || recipient === undefined) throw new Error('a pair is two');
    return { sender, recipient, chain: stage.chain, diary, random: randomOf(options.seed, 'pair', index) };
  });

/** Everything at once, until the time is over; then all daemons run, and everything gets time to come right. */
const playAll = async (
  stage: Stage,
  pairs: readonly Pair[],
  { seconds, faults }: PlayOptions,
): Promise<void> => {
  const end = Date.now() + seconds * 1_000;
  const isOver = () => Date.now() > end;
  const inOrder = async (): Promise<void> => {
    for (const [index, name] of (faults ?? []).entries()) {
      await wait(1_500);
      const daemon = stage.daemons[index % stage.daemons.length];
      if (daemon !== undefined) await befall(name, stage, daemon);
    }
  };
  let isDone = false;
  const blocks = playBlocks(stage, () => isDone);
  await Promise.all([
    faults === undefined ? playFaults(stage, isOver) : inOrder(),
    ...pairs.map((pair) => playPair(pair, isOver)),
  ]);
  isDone = true;
  await blocks;
  stage.receiver.fail(false);
  for (const daemon of stage.daemons) if (!daemon.isRunning()) daemon.start();
};

const playIn = async (place: Place, options: PlayOptions): Promise<Report> => {
  const { seed, say = () => undefined } = options;
  const diary = openDiary();
  const { url: databaseUrl, postgres } = await openDatabase(place, options);
  const chain = await startChain(place);
  await chain.mine(12);
  const cluster = await startCluster(place, { chain, databaseUrl });
  await chain.pay(parseAddress(cluster.authority, 'regtest').lockingBytecode, 1_000_000n, 20);
  const { daemons } = cluster;
  const receiver = await openReceiver(place, diary);
  const added = await cluster.run(
    'webhooks',
    'add',
    receiver.url,
    '--allow-private',
    '--since',
    '0',
    '--at-once',
    '4',
  );
  receiver.setSecret(String(added['secret']));
  const balancer = await startBalancer(
    daemons.map(({ port }) => port),
    place,
  );
  await untilAllAnswer(daemons);
  say('three daemons answer');
  const terminate = () => terminateAll(databaseUrl);
  const stage: Stage = {
    daemons,
    chain,
    postgres,
    terminate,
    receiver,
    seed,
    random: randomOf(seed, 'faults'),
    diary,
    say,
  };
  const { url } = balancer;
  const followers = [0, 0, 1].map((from, index) =>
    follow({ url, name: `follower ${index + 1}`, from, random: randomOf(seed, 'follower', index) }, diary),
  );
  for (const follower of followers) place.teardown(follower.stop);
  const pairs = openPairs({ options, diary, stage, url });

  await playAll(stage, pairs, options);
  await untilAllAnswer(daemons);
  say('the faults are over');
  const [asker] = pairs.map(({ recipient }) => recipient);
  if (asker === undefined) throw new Error('somebody has to ask');
  const checked: Checked = { diary, chain, senders: pairs.map(({ sender }) => sender), asker };
  // Six blocks make everything safe.
  for (let block = 0; block < 7; block += 1) await chain.mine(1);
  await untilSettled(checked, { followers, receiver, stage });
  say('it has settled');
  await checkMade(checked);
  await checkRecords(checked);
  checkEvents(checked, await readLog(checked), { followers, receiver });
  for (const follower of followers) follower.stop();
  for (const { name, stop } of daemons) {
    const code = await stop();
    if (code !== 0) diary.find(`${name} was told to end, and ended with ${code}`);
  }
  await checkCopy(place, cluster, diary);
  return reportOf({ diary, balancer, options });
};

/** Plays once. @throws Error when the stage cannot be set */
export const playCluster = (options: PlayOptions): Promise<Report> =>
  inPlace(async (place) => {
    try {
      return await playIn(place, options);
    } finally {
      if (options.keep !== undefined)
        cpSync(place.folder, options.keep, { recursive: true, filter: (path) => !path.includes('/home-') });
    }
  });
