/**
 * The composition root: reads settings, builds adapters, returns what the faces need.
 *
 * This module is light: the table of nouns loads no product, and everything heavy is imported when a home is opened.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { NETWORKS, type Network } from './bch/network.js';
import { desk, service } from './desk/index.js';
import type { Context, Log } from './operation/context.js';
import { operationsOf, type AnyOperation, type Noun } from './operation/define.js';
import type { Settings } from './settings.js';
import { products } from './products/index.js';

/** The settings that name something outside. */
export type OutsideSettings = Pick<
  Settings,
  | 'electrum'
  | 'priceOracleUrl'
  | 'priceOraclePubkey'
  | 'priceFallbackUrl'
  | 'priceLimitMs'
  | 'frontendUrl'
  | 'docsUrl'
  | 'explorerUrl'
  | 'indexerStatusUrl'
  | 'probeLimitMs'
>;

/** Everything that a home needs to be opened. */
export type AppSettings = {
  /** The data folder; each network keeps its data in a folder of its name below it. */
  readonly home: string;
  readonly network: Network;
  /** The domain that challenges name. Default `treasury`. */
  readonly domain?: string;
  /** Asks for a passphrase; null when there is nobody to ask. */
  readonly askPassphrase?: (walletName: string, purpose: 'unlock' | 'new') => Promise<string | null>;
  readonly log?: Log;
  /** Electrum servers, price sources, and what the status report probes; without it, those known for the network. */
  readonly outside?: OutsideSettings;
  /** Wall clock in unix seconds; for tests. */
  readonly wall?: () => number;
};

export type App = {
  readonly context: Context;
  /** All operations of all nouns, in README order. */
  readonly operations: readonly AnyOperation[];
  /** Serves the embedded chain over the Electrum Cash protocol; null where the chain is another's. */
  readonly serveChain?: ((options: ChainServeOptions) => Promise<ServedChain>) | null;
  readonly close: () => Promise<void>;
};

/** Where the chain is to be served. 0 takes a free port; without a port, that way is not served. */
export type ChainServeOptions = {
  readonly tcpPort?: number;
  readonly wsPort?: number;
  readonly host: string;
};

/** A chain that is served. */
export type ServedChain = {
  readonly tcpUrl: string | null;
  readonly wsUrl: string | null;
  readonly stop: () => Promise<void>;
};

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/** The version of this program. */
export const programVersion = version;

/** The nouns of the program, in README order. Loading none of them. */
export const nouns: readonly Noun[] = [...products, ...desk];

const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The ports to what lies outside. Without settings there is nothing to ask. */
const openOutside = async (network: Network, { outside, wall, log = silent }: AppSettings) => {
  const [{ openPriceSources }, { openProbes }] = await Promise.all([
    import('./adapters/price-sources/price-sources.js'),
    import('./adapters/probes/probes.js'),
  ]);
  const limit = outside?.probeLimitMs ?? 4_000;
  const oracleUrl = outside?.priceOracleUrl ?? null;
  return {
    price: openPriceSources({
      oracle:
        outside === undefined || oracleUrl === null
          ? null
          : { url: oracleUrl, publicKey: outside.priceOraclePubkey },
      fallbackUrl: outside?.priceFallbackUrl ?? null,
      limitMilliseconds: outside?.priceLimitMs ?? 5_000,
      // On the embedded chain no money is real: a price is fetched only when it is asked for.
      isEager: NETWORKS[network].servedBy !== 'embedded',
      now: wall === undefined ? Date.now : () => wall() * 1000,
      log,
    }),
    probes: openProbes({
      pages: {
        frontend: outside?.frontendUrl ?? null,
        docs: outside?.docsUrl ?? null,
        explorer: outside?.explorerUrl ?? null,
      },
      indexerUrl: outside?.indexerStatusUrl ?? null,
      limits: { page: limit, indexer: limit, chain: limit, database: limit },
    }),
  };
};

const systemClock = (): number => Math.floor(Date.now() / 1000);

/** The chain of a network, and its own controls where it is the embedded one. */
const openChain = async (
  { network, outside, log = silent }: AppSettings,
  folder: string,
  wall: () => number,
): Promise<Pick<Context, 'chain' | 'localChain'> & Required<Pick<App, 'serveChain'>>> => {
  if (NETWORKS[network].servedBy === 'embedded') {
    const { openLocalChain } = await import('./adapters/local-chain/local-chain.js');
    const localChain = await openLocalChain({ folder, now: wall });
    const serveChain = async (options: ChainServeOptions): Promise<ServedChain> => {
      const { startElectrumServer } = await import('./adapters/electrum-server/electrum-server.js');
      return startElectrumServer({ chain: localChain, ...options });
    };
    return { chain: localChain, localChain, serveChain };
  }
  const { openElectrumChain } = await import('./adapters/electrum/electrum-chain.js');
  const servers = outside?.electrum ?? [];
  const chain = await openElectrumChain({ network, servers, log, now: wall });
  return { chain, localChain: null, serveChain: null };
};

/**
 * Opens a home: its store, its chain, its keys.
 *
 * @throws store_damaged, store_too_new, store_locked, chain_unavailable
 */
export const openApp = async (settings: AppSettings): Promise<App> => {
  const { network, log = silent, wall = systemClock } = settings;
  const folder = join(settings.home, network);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [{ openJsonStore }, { openKeystore }, { openAccessTokens }, { collections }, loaded] =
    await Promise.all([
      import('./adapters/store/json-store.js'),
      import('./adapters/keystore/keystore.js'),
      import('./adapters/access-tokens.js'),
      import('./collections.js'),
      Promise.all([...nouns, service].map((noun) => noun.load())),
    ]);
  const random = (length: number) => new Uint8Array(randomBytes(length));
  const { chain, localChain, serveChain } = await openChain(settings, folder, wall);
  const store = await openJsonStore({
    folder,
    collections,
    onFoldFailure: (error) => {
      log.warn({ error: String(error) }, 'the journal could not be folded; nothing is lost');
    },
  });
  const { price, probes } = await openOutside(network, settings);
  const context: Context = {
    network,
    home: settings.home,
    program: { name: 'treasury', version },
    store,
    chain,
    localChain,
    keys: openKeystore({
      folder,
      network,
      askPassphrase: settings.askPassphrase ?? (() => Promise.resolve(null)),
      now: wall,
      random,
    }),
    access: openAccessTokens({ folder, network, domain: settings.domain ?? 'treasury', wall, random }),
    price,
    probes,
    clock: { now: localChain === null ? wall : () => localChain.now(), wall },
    random,
    uuid: randomUUID,
    log,
  };
  return {
    context,
    operations: operationsOf(loaded.flatMap(({ operations }) => operations)),
    serveChain,
    close: async () => {
      price.close();
      await chain.close();
      await store.close();
    },
  };
};
