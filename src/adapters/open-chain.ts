/** The chain of a home: the embedded one, or that behind servers. Each is loaded when it is used. */
import { NETWORKS, type Network } from '../bch/network.js';
import type { Context, Log } from '../operation/context.js';
import type { Surroundings } from '../operation/ports/surroundings.js';
import type { Connect } from './electrum/connection.js';
import type { OutsideSettings } from './outside.js';

/** Where the chain is to be served. 0 takes a free port; without a port, that way is not served. */
export type ChainServeOptions = {
  readonly tcpPort?: number;
  readonly wsPort?: number;
  readonly host: string;
  /** Milliseconds after which the index shows what was taken. */
  readonly indexDelayMs?: number;
};

/** A chain that is served. */
export type ServedChain = {
  readonly tcpUrl: string | null;
  readonly wsUrl: string | null;
  readonly stop: () => Promise<void>;
};

/** A chain with what goes with it; `servers` only where they are asked one by one. */
export type OpenedChain = Pick<Context, 'chain' | 'localChain'> &
  Partial<Pick<Surroundings, 'servers'>> & {
    /** Serves the embedded chain over the Electrum Cash protocol; null where the chain is another's. */
    readonly serveChain: ((options: ChainServeOptions) => Promise<ServedChain>) | null;
  };

export type ChainChoice = {
  readonly network: Network;
  /** Where the files are. */
  readonly folder: string;
  /** Left out: the servers known for the network. */
  readonly outside: Pick<OutsideSettings, 'electrum' | 'checkpoint'> | undefined;
  /** How servers are reached; for simulations. */
  readonly connect: Connect | undefined;
  readonly log: Log;
  /** Wall clock in unix seconds. */
  readonly wall: () => number;
  /** True: nothing is made, and each server is asked by itself. */
  readonly inspectsOnly: boolean;
};

/** The block that a setting names. */
const blockNamed = (text: string | null): { readonly height: number; readonly hash: string } | null => {
  const [height = '', hash = ''] = text?.split(':') ?? [];
  return text === null ? null : { height: Number(height), hash };
};

/** The chain of a network, and its own controls where it is the embedded one. @throws chain_unavailable, invalid_setting, store_damaged */
export const openChainOf = async ({
  network,
  folder,
  outside,
  connect,
  log,
  wall,
  inspectsOnly,
}: ChainChoice): Promise<OpenedChain> => {
  if (NETWORKS[network].servedBy === 'embedded') {
    const { openLocalChain } = await import('./local-chain/local-chain.js');
    const localChain = await openLocalChain({ folder, now: wall });
    const serveChain = async (options: ChainServeOptions): Promise<ServedChain> => {
      const { startElectrumServer } = await import('./electrum-server/electrum-server.js');
      return startElectrumServer({ chain: localChain, ...options });
    };
    return { chain: localChain, localChain, serveChain };
  }
  const options = {
    network,
    servers: outside?.electrum ?? [],
    checkpoint: blockNamed(outside?.checkpoint ?? null),
    folder,
    log,
    now: wall,
    ...(connect === undefined ? {} : { connect }),
  };
  if (inspectsOnly) {
    const { openProbedChain } = await import('./electrum/probed-chain.js');
    return { ...openProbedChain({ ...options, isReadOnly: true }), localChain: null, serveChain: null };
  }
  const { openElectrumChain } = await import('./electrum/electrum-chain.js');
  return { chain: await openElectrumChain(options), localChain: null, serveChain: null };
};
