/**
 * The composition root: reads settings, builds adapters, returns what the faces need.
 *
 * This module is light: the table of nouns loads no product, and everything heavy is imported when a home is opened.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openAccess } from './adapters/late-access.js';
import type { Database } from './adapters/postgres/database.js';
import { latePort } from './adapters/late-port.js';
import type { Outgoing } from './adapters/messenger/messenger.js';
import type { Connect } from './adapters/electrum/connection.js';
import { makeHomeFolder } from './adapters/home-folder.js';
import {
  openChainOf,
  type ChainServeOptions,
  type OpenedChain,
  type ServedChain,
} from './adapters/open-chain.js';
import { openStoreOf } from './adapters/store/open-store.js';
import { ringing } from './adapters/store/ringing.js';
import { onMachine } from './adapters/machine.js';
import type { Remote } from './wallet-protocols/remote-wallet.js';
import { openOutside, type OutsideSettings } from './adapters/outside.js';
import { servedPageOf } from './adapters/served-page.js';
import { NETWORKS, type Network } from './bch/network.js';
import { TreasuryError } from './errors.js';
import { homeNouns, service } from './home/index.js';
import type { Context, Log } from './operation/context.js';
import { operationsOf, type AnyOperation, type Noun } from './operation/define.js';
import { ownPackage } from './operation/own-package.js';
import type { Deployable } from './record/deployable.js';
import { CHAIN_METHODS, type ChainPort } from './operation/ports/chain.js';
import { noMeters, type MetersPort } from './operation/ports/meters.js';
import type { ServedPage } from './operation/ports/served-page.js';
import type { StorePort } from './operation/ports/store.js';
import type { Surroundings, UnknownSetting } from './operation/ports/surroundings.js';
import { loadDeployables, products } from './products/index.js';
import type { DatabaseSettings } from './settings/database.js';

export type { ChainServeOptions, ServedChain } from './adapters/open-chain.js';
export type { OutsideSettings } from './adapters/outside.js';
export type { Database } from './adapters/postgres/database.js';
export { loadDeployables } from './products/index.js';

/** Everything that a home needs to be opened. */
export type AppSettings = {
  /** The data folder; each network keeps its data in a folder of its name below it. */
  readonly home: string;
  readonly network: Network;
  /** The database that holds the records. Default: they are files of the data folder. */
  readonly database?: DatabaseSettings | null;
  /** The domain that challenges name. Default `treasury`. */
  readonly domain?: string;
  /** Asks for a passphrase; null when there is nobody to ask. */
  readonly askPassphrase?: (walletName: string, purpose: 'unlock' | 'new') => Promise<string | null>;
  /** How apps on phones are reached, and whoever holds the phone. Without it there are none. */
  readonly remote?: Remote;
  readonly log?: Log;
  /** Electrum servers, price sources, and what the status report probes; without it, those known for the network. */
  readonly outside?: OutsideSettings;
  /** True: the app counts and measures, and the HTTP face shows it. Default false. */
  readonly metrics?: boolean;
  /** True: the store runs each change twice; for tests. */
  readonly runsTwice?: boolean;
  /** Wall clock in unix seconds; for tests. */
  readonly wall?: () => number;
  /** How messages to webhooks leave; for simulations. */
  readonly outgoing?: Outgoing;
  /** How Electrum servers are reached; for simulations. */
  readonly connect?: Connect;
  /** What of it is opened. Default: all. */
  readonly part?: AppPart;
  /** Given: the home is opened as it is. Nothing of it is made, and what cannot be opened answers with why. */
  readonly inspectOnly?: Inspection;
};

/**
 * `all`: as a service needs it. `command`: as one operation does, without the list of all of them, and the store reads
 * what it is asked for. `read`: the same where nobody is paid, without the covenants that nobody may pay. `home`: the
 * files of the home alone, without its chain.
 */
export type AppPart = 'all' | 'command' | 'read' | 'home';

/** What only the caller knows of a home that is opened as it is. */
export type Inspection = {
  readonly unknownSettings: readonly UnknownSetting[];
  readonly passphraseFile: string | null;
  /** Paths of files with secrets that settings name. Default: none. */
  readonly secretFiles?: readonly string[];
};

export type App = {
  readonly context: Context;
  /** All operations of all nouns, in README order; none where a part was opened. */
  readonly operations: readonly AnyOperation[];
  /** The covenant products, for what runs beside the service; none where a part was opened. */
  readonly deployables: readonly Deployable[];
  /** Serves the embedded chain over the Electrum Cash protocol; null where the chain is another's. */
  readonly serveChain?: ((options: ChainServeOptions) => Promise<ServedChain>) | null;
  /** Where its page is served. */
  readonly servedPage?: ServedPage;
  readonly close: () => Promise<void>;
};

const { version, engines } = ownPackage;

/** The nouns of the program, in README order. Loading none of them. */
export const nouns: readonly Noun[] = [...products, ...homeNouns];

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What counts and measures; where metrics are off, nothing is loaded for it. */
const openMeters = async ({ network, metrics = false }: AppSettings): Promise<MetersPort> => {
  if (!metrics) return noMeters;
  const { openPrometheusMeters } = await import('./adapters/meters/prometheus-meters.js');
  return openPrometheusMeters({ version, network });
};

const askNobody = (): Promise<null> => Promise.resolve(null);

const systemClock = (): number => Math.floor(Date.now() / 1000);

const openChain = (
  { network, outside, inspectOnly, connect, log = silent }: AppSettings,
  folder: string,
  wall: () => number,
): Promise<OpenedChain> =>
  openChainOf({ network, folder, outside, connect, log, wall, inspectsOnly: inspectOnly !== undefined });

/** The store and the chain of a home. */
type OpenedPorts = OpenedChain & Pick<Context, 'store' | 'surroundings'>;

const everyCollection = async () => (await import('./collections.js')).collections;

/** The database of a network, to be looked after. @throws invalid_setting */
export const openDatabase = async (settings: DatabaseSettings, network: Network): Promise<Database> => {
  const [{ openDatabase: open }, collections, { eventLog }, { holdersAlive }] = await Promise.all([
    import('./adapters/postgres/database.js'),
    everyCollection(),
    import('./record/event-log.js'),
    import('./record/leases.js'),
  ]);
  const atWork = (store: StorePort) => holdersAlive({ store, ...onMachine });
  return open({ ...settings, network, collections, logs: [eventLog], atWork });
};

const openStore = (settings: AppSettings, folder: string): Promise<StorePort> => {
  const { log = silent, part = 'all', runsTwice = false, database = null, network, wall } = settings;
  // Who looks at a home as it is wants to know of all that is damaged.
  const verifies = settings.inspectOnly !== undefined;
  const kinds = { everyCollection, isWhole: part === 'all' };
  return openStoreOf({ folder, network, database, ...kinds, runsTwice, verifies, log, wall });
};

/** Opens the store, whose records have to be of the chain. @throws other_chain, and as opening a store */
const openRecords = async (
  settings: AppSettings,
  folder: string,
  chain: ChainPort,
): Promise<Pick<OpenedPorts, 'store' | 'chain'>> => {
  const { network, database = null, part, inspectOnly } = settings;
  const store = await openStore(settings, folder);
  if (database === null || part === 'home') return { store, chain };
  try {
    const [{ ofOneChain }, { readDatabaseUrl }] = await Promise.all([
      import('./record/own-chain.js'),
      import('./adapters/postgres/database-url.js'),
    ]);
    const { shown } = readDatabaseUrl(database.url);
    const isReadOnly = inspectOnly !== undefined;
    return { store, chain: await ofOneChain({ store, chain, network, database: shown, isReadOnly }) };
  } catch (error) {
    await store.close();
    throw error;
  }
};

const openPorts = async (settings: AppSettings, folder: string, wall: () => number): Promise<OpenedPorts> => {
  makeHomeFolder(settings.home, folder);
  const opening = () => openChain(settings, folder, wall);
  const chain =
    settings.part === 'home'
      ? {
          chain: latePort(CHAIN_METHODS, async () => (await opening()).chain),
          localChain: null,
          serveChain: null,
        }
      : await opening();
  try {
    return { ...chain, ...(await openRecords(settings, folder, chain.chain)) };
  } catch (error) {
    await chain.chain.close();
    throw error;
  }
};

/** What is damaged in a database is made again of no file. */
const notInFiles = () =>
  new TreasuryError('store_damaged', {
    file: 'the database',
    where: 'some of its records',
    remedy: 'run `treasury database check`, and put the database back from a backup',
  });

/** The same without making anything: stand-ins take the place of what is not there or cannot be opened. */
const openInspected = async (
  settings: AppSettings & { readonly inspectOnly: Inspection },
  folder: string,
  wall: () => number,
): Promise<OpenedPorts> => {
  const { lookAround, attempt, chainStandIn, storeStandIn } =
    await import('./adapters/surroundings/surroundings.js');
  const { home, network, inspectOnly } = settings;
  const { unknownSettings, passphraseFile, secretFiles = [] } = inspectOnly;
  const runtime = { node: process.versions.node, engines: engines.node };
  const looked = await lookAround({ home, folder, passphraseFile, secretFiles, ...runtime });
  const isEmbedded = NETWORKS[network].servedBy === 'embedded';
  const inFolder = async <T>(open: () => Promise<T>): Promise<T> => {
    if (looked.home.isFolderThere) return open();
    throw new Error(`there is no ${folder}`);
  };
  const chain = await attempt(
    () =>
      isEmbedded ? inFolder(() => openChain(settings, folder, wall)) : openChain(settings, folder, wall),
    (failure): OpenedChain => ({ chain: chainStandIn(failure), localChain: null, serveChain: null }),
  );
  const store = await attempt(
    () => inFolder(async () => (await openRecords(settings, folder, chain.opened.chain)).store),
    storeStandIn,
  );
  const failures = { store: store.failure, chain: chain.failure };
  const { servers = null, ...opened } = chain.opened;
  const restoreStore: Surroundings['restoreStore'] = async (damagedIn) => {
    if (settings.database != null) throw notInFiles();
    const [{ restoreStore: restore }, { collections }] = await Promise.all([
      import('./adapters/store/restore.js'),
      import('./collections.js'),
    ]);
    const restoration = await restore({ folder, collections, damagedIn, now: wall() });
    return { restoration, store: await openStore(settings, folder) };
  };
  const surroundings = { ...looked, unknownSettings, failures, servers, restoreStore };
  return { ...opened, store: store.opened, surroundings };
};

/** In the place of the covenants that nobody may pay, where nobody is paid. */
const refusePayment = (): never => {
  throw new Error('what only reads has asked whom it may pay');
};

/**
 * Opens a home: its store, its chain, its keys.
 *
 * @throws store_damaged, store_too_new, store_locked, store_unreachable, database_refused, store_not_migrated,
 *   other_chain, chain_unavailable; nothing of them when it is opened as it is
 */
export const openApp = async (settings: AppSettings): Promise<App> => {
  const { network, inspectOnly, log = silent, wall = systemClock, part = 'all' } = settings;
  const { askPassphrase = askNobody, remote = null } = settings;
  const folder = join(settings.home, network);
  const paysNobody = part === 'read' || part === 'home';
  const [{ openKeystore }, covenants, loaded, deployables] = await Promise.all([
    import('./adapters/keystore/keystore.js'),
    paysNobody ? { knownCovenants: () => ({ at: refusePayment }) } : import('./offer/payees.js'),
    part === 'all' ? Promise.all([...nouns, service].map((noun) => noun.load())) : [],
    paysNobody ? [] : loadDeployables(),
  ]);
  const random = (length: number) => new Uint8Array(randomBytes(length));
  const { chain, localChain, serveChain, store, surroundings } = await (inspectOnly === undefined
    ? openPorts(settings, folder, wall)
    : openInspected({ ...settings, inspectOnly }, folder, wall));
  const { price, probes, messenger } = await openOutside(network, {
    outside: settings.outside ?? null,
    wall: settings.wall,
    log,
    messages: { folder, agent: `treasury/${version}`, random, ...settings.outgoing },
  });
  const context: Context = {
    network,
    home: settings.home,
    program: { name: 'treasury', version },
    ...ringing(store),
    chain,
    localChain,
    keys: openKeystore({ folder, network, askPassphrase, now: wall, random, remote }),
    access: openAccess(settings, { folder, wall, random }),
    price,
    probes,
    meters: await openMeters(settings),
    messenger,
    covenants: covenants.knownCovenants(deployables, () => context),
    ...onMachine,
    ...(surroundings === undefined ? {} : { surroundings }),
    eventTeller: async () => (await import('./record/event-log.js')).tellEvent,
    clock: { now: localChain === null ? wall : () => localChain.now(), wall },
    random,
    uuid: randomUUID,
    log,
  };
  return {
    context,
    operations: operationsOf(loaded.flatMap(({ operations }) => operations)),
    deployables,
    serveChain,
    servedPage: servedPageOf(folder),
    close: async () => {
      await price.close();
      await chain.close();
      await store.close();
    },
  };
};
