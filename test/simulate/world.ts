/** One simulated world: a chain, servers before it, a host with a home, daemons, and people with wallets. */
import { people as everybody, type Person } from '../../fixtures/people.js';
import { chooseMachine, type Machine } from '../../src/adapters/machine.js';
import { openLocalChain, type LocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { encodeWif } from '../../src/bch/keys.js';
import { openOn } from './readers.js';
import type { Task } from './commands.js';
import { createHost, Killed, type Fate, type Host, type SimProcess } from './host.js';
import type { Finding, Known, Signed, Spend } from './known.js';
import { NETWORK, startSimDaemon, type SimDaemon, type Site } from './processes.js';
import { createFollowers, type Follower } from './listeners.js';
import { randomOf, type Random } from './random.js';
import { openSimDatabase, type SimDatabase } from './database.js';
import { takeSockets } from './sim-socket.js';
import { createReceivers, type Receivers } from './receivers.js';
import type { Script } from './scripts.js';
import { openServer, type SimServer } from './servers.js';
import { createTimeline, runAs, runningOwner, takeOver, type Timeline } from './timeline.js';

export type { Finding, Known, Signed, Spend } from './known.js';

export type World = {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly node: LocalChain;
  readonly servers: readonly SimServer[];
  readonly host: Host;
  /** Null: the records are files of the home. */
  readonly database: SimDatabase | null;
  readonly site: Site;
  readonly daemons: SimDaemon[];
  readonly people: readonly Person[];
  readonly tokens: string[];
  readonly known: Known[];
  /** By their tags: what kind of record was asked for. */
  readonly tried: Map<string, string>;
  readonly spends: Spend[];
  readonly drawer: Signed[];
  readonly tasks: Task[];
  readonly followers: readonly Follower[];
  readonly receivers: Receivers;
  readonly scripts: Script[];
  readonly findings: Finding[];
  readonly story: string[];
  readonly counts: Map<string, number>;
  /** Ids of all transactions that the network has ever taken. */
  readonly taken: ReadonlySet<string>;
  /** Ids of those that it was made to forget. */
  readonly forgotten: Set<string>;
  readonly tell: (line: string) => void;
  readonly find: (check: string, what: string) => void;
  readonly count: (what: string) => void;
  /** Set while the disk refuses: what fails then is no finding. */
  diskTroubleUntil: number;
  /** What ends the next command. */
  armNext: Fate | null;
  /** Whose wallets the rules of a keeper name; nobody: the home has no rules. */
  keepers: readonly Person[];
  /** Chance that a message between a person and a daemon is lost. */
  lossy: number;
};

const STARTS_AT = 1_780_272_000_000;
const SERVERS = 3;

let currentWorld: Pick<World, 'timeline' | 'random'> | null = null;
let currentDatabase: SimDatabase | null = null;
let worldMachine: Machine | null = null;
let isTakenOver = false;

const takeOverOnce = (): void => {
  if (isTakenOver) return;
  isTakenOver = true;
  chooseMachine(() => {
    const machine = runningOwner()?.machine ?? worldMachine;
    if (machine === null) throw new Error('there is no world');
    return machine;
  });
  takeOver(() => {
    if (currentWorld === null) throw new Error('there is no world');
    return currentWorld;
  });
  takeSockets(() => currentDatabase);
};

/** Errors that nobody has caught, since the last world began. */
const uncaught: unknown[] = [];
process.on('unhandledRejection', (error) => {
  if (!(error instanceof Killed)) uncaught.push(error);
});

export const takeUncaught = (): readonly unknown[] => uncaught.splice(0);

const clockOf = (timeline: Timeline): { now: () => number; catchUp: () => void } => {
  let seconds = Math.floor(timeline.wall() / 1_000);
  return {
    now: () => seconds,
    catchUp: () => {
      seconds = Math.max(seconds, Math.floor(timeline.wall() / 1_000));
    },
  };
};

/** Mines, at the time of the world. */
export type Mining = { readonly mine: (blocks: number) => Promise<void> };

const LOG_LINES = 400;

/** Lines of the log that are findings. */
const isDefect = (message: string): boolean =>
  /cannot be followed|monitor failed|request failed|a defect|does not declare|could not be sent|looked through/.test(
    message,
  );

/**
 * Opens a world: everybody has a wallet in the home, some coins, and one of them tokens.
 *
 * @param databaseServer - a PostgreSQL that it makes its database on; null: the records are files of the home
 */
export const openWorld = async (
  seed: string,
  databaseServer: string | null = null,
): Promise<World & Mining & { readonly chainClock: { catchUp: () => void }; readonly log: string[] }> => {
  const random = randomOf(seed, 'world');
  const timeline = createTimeline(STARTS_AT);
  currentWorld = { timeline, random };
  takeUncaught();
  const outer = createHost(timeline, random, { onKilled: () => undefined });
  const outside = outer.start('the world');
  worldMachine = outside.machine;
  takeOverOnce();

  const chainClock = clockOf(timeline);
  outer.disk.makeFolder('/chain');
  const opened = await timeline.runOut(
    openLocalChain({ folder: '/chain', now: chainClock.now, automine: false, random: random.bytes }),
    60_000,
  );
  const taken = new Set<string>();
  const node: LocalChain = {
    ...opened,
    broadcast: async (raw) => {
      const txid = await opened.broadcast(raw);
      taken.add(txid);
      return txid;
    },
  };
  const servers: SimServer[] = [];
  for (let index = 1; index <= SERVERS; index += 1)
    servers.push(await timeline.runOut(openServer(`server-${index}`, node, { timeline, random }), 60_000));

  const log: string[] = [];
  const story: string[] = [];
  const findings: Finding[] = [];
  const counts = new Map<string, number>();
  const count = (what: string): void => {
    counts.set(what, (counts.get(what) ?? 0) + 1);
  };
  const stamp = (): string => `${(timeline.now() / 1_000).toFixed(1).padStart(8)} s`;
  const tell = (line: string): void => {
    story.push(`${stamp()}  ${line}`);
  };
  const find = (check: string, what: string): void => {
    findings.push({ check, what });
    tell(`FOUND ${check}: ${what}`);
  };
  const host = createHost(timeline, random, {
    onKilled: (who: SimProcess, call, isPowerCut) => {
      count(isPowerCut ? 'fault: power cut' : 'fault: killed');
      tell(
        isPowerCut ? `the power is cut while ${who.name} is at ${call}` : `${who.name} is killed at ${call}`,
      );
    },
  });
  const receivers = createReceivers({ timeline, random, find, count });
  const choices = randomOf(seed, 'database');
  const database =
    databaseServer === null
      ? null
      : await openSimDatabase(databaseServer, { timeline, random: choices, count, tell });
  currentDatabase = database;
  const site: Site = {
    host,
    timeline,
    connect: (options) => {
      const server = servers.find(({ name }) => name === options.server.host);
      if (server === undefined) return Promise.reject(new Error(`there is no ${options.server.host}`));
      return server.connect(options);
    },
    servers: servers.map(({ url }) => url),
    database: database === null ? null : { url: database.url, connections: choices.pick([3, 6, 10]) },
    outgoing: receivers.outgoing,
    onLog: (who, level, fields, message) => {
      const error = fields['err'] ?? fields['error'] ?? '';
      const told =
        error instanceof Error
          ? `${error.name}: ${error.message} ${error.stack ?? ''}`
          : JSON.stringify(fields);
      log.push(`${stamp()}  ${who.name} ${level}: ${message} ${told}`);
      if (log.length > LOG_LINES) log.shift();
      if (error instanceof Killed || timeline.now() < world.diskTroubleUntil) return;
      if (level === 'error' || isDefect(message)) find('log', `${who.name}: ${message} ${told}`);
    },
  };
  const { authority, alice, bob, carol, dave, mallory } = everybody;
  const world = {
    timeline,
    random,
    node,
    servers,
    host,
    database,
    site,
    daemons: [] as SimDaemon[],
    people: [alice, bob, carol, dave, mallory],
    followers: createFollowers([alice, bob, carol, dave, mallory]),
    receivers,
    scripts: [] as Script[],
    tokens: [] as string[],
    known: [] as Known[],
    tried: new Map<string, string>(),
    spends: [] as Spend[],
    drawer: [] as Signed[],
    tasks: [] as Task[],
    findings,
    story,
    counts,
    taken,
    forgotten: new Set<string>(),
    tell,
    find,
    count,
    diskTroubleUntil: 0,
    lossy: 0,
    keepers: [] as readonly Person[],
    armNext: null as Fate | null,
    chainClock,
    log,
    mine: async (blocks: number) => {
      chainClock.catchUp();
      await runAs(null, () => node.mine(blocks));
    },
  };

  // Wallets and coins, before anything goes wrong.
  const first = host.start('the first set-up');
  const setUp = runAs(first, async () => {
    const app = await openOn(site);
    for (const { name, privateKey } of [authority, ...world.people])
      await app.context.keys.import({
        name,
        passphrase: null,
        wif: encodeWif(privateKey, NETWORK),
        ...(name === 'authority' ? { isAuthority: true } : {}),
      });
    await app.close();
  });
  await timeline.runOut(setUp, 60_000);
  first.kill();
  host.disk.syncFolder();
  await timeline.runOut(
    (async () => {
      for (const who of [authority, ...world.people])
        for (let coin = 0; coin < 4; coin += 1)
          await node.faucet(who.address(NETWORK).lockingBytecode, who === authority ? 20_000n : 50_000_000n);
      await world.mine(1);
    })(),
    600_000,
  );
  return world;
};

export type OpenedWorld = Awaited<ReturnType<typeof openWorld>>;

/** Starts a daemon, and says what becomes of it. */
export const launchDaemon = (world: OpenedWorld, name: string): SimDaemon => {
  const daemon = startSimDaemon(name, world.site, world.keepers.length > 0);
  world.daemons.push(daemon);
  world.tell(`${name} starts`);
  daemon.process.onEnd.add(() => {
    world.daemons.splice(world.daemons.indexOf(daemon), 1);
  });
  daemon.opened.catch((error: unknown) => {
    if (error instanceof Killed) return;
    daemon.process.kill();
    const isExpected = world.timeline.now() < world.diskTroubleUntil;
    if (!isExpected)
      world.find('opens', `${name} cannot be opened: ${String(error)} ${(error as Error).stack ?? ''}`);
  });
  return daemon;
};
