/** A server that is ready to be asked: its version agreed, its network checked, its tip known. */
import { networkNames, type Network } from '../../bch/network.js';
import { hashHeader } from '../../bch/block-header.js';
import { openConnection, type Connect, type Connection, type ConnectionOptions } from './connection.js';
import { readHeader, readHeaderAt, timeOf, type HeaderAt } from './replies.js';
import type { ServerUrl } from './server-url.js';

/** Oldest first that shows tokens. Each costs a connection, since electrum-cash takes only what it asked for. */
const VERSIONS = ['1.5.1', '1.5.2', '1.5.3', '1.6'] as const;

/** Hashes of genesis blocks. A regtest chain may be anybody's. Source: chain parameters of Bitcoin Cash Node. */
const GENESIS: Readonly<Partial<Record<Network, string>>> = {
  mainnet: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  testnet3: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
  testnet4: '000000001dd410c49a788668ce26751718cc797474d3152a5fc073dd44fd9f7b',
  chipnet: '000000001dd410c49a788668ce26751718cc797474d3152a5fc073dd44fd9f7b',
};

type Tip = HeaderAt & { /** Unix seconds. */ readonly time: number };

const withTime = (header: HeaderAt): Tip => ({ ...header, time: timeOf(header.hex) });

export type ServerSession = Connection & {
  readonly server: ServerUrl;
  /** The protocol version that was agreed on. */
  readonly version: string;
  /** The newest tip that the server has told. */
  readonly tip: () => Tip;
};

/** How a session is opened. */
export type SessionOptions = {
  /** Null takes whatever the server serves. */
  readonly network: Network | null;
  readonly limitMs: number;
  /** Default: over a socket. */
  readonly connect?: Connect;
  /** Ends it, or the attempt. */
  readonly signal: AbortSignal;
  readonly onNotification: (session: ServerSession, method: string, params: readonly unknown[]) => void;
  readonly onLost: (session: ServerSession, reason: string) => void;
  readonly onWarning: (message: string) => void;
};

/** @throws Error when none of the versions is spoken, or the server cannot be reached in time */
const connectWithVersion = async (
  server: ServerUrl,
  limitMs: number,
  connect: Connect,
  events: Pick<ConnectionOptions, 'onNotification' | 'onLost' | 'onWarning' | 'signal'>,
): Promise<Connection & { readonly version: string }> => {
  const deadline = Date.now() + limitMs;
  for (const version of VERSIONS) {
    const left = Math.max(1, deadline - Date.now());
    const connection = await connect({ server, version, limitMs: left, ...events });
    if (connection !== null) return { ...connection, version };
  }
  throw new Error(`speaks none of the protocol versions ${VERSIONS.join(', ')}`);
};

/** Hash of the genesis block that a server shows. @throws Error when it shows none in time */
export const askGenesis = async ({ request }: Connection, limitMs: number): Promise<string> =>
  hashHeader(readHeader(await request('blockchain.block.header', [0], limitMs)));

/** The networks that begin with a genesis block. */
export const networksOf = (genesis: string): readonly Network[] =>
  networkNames.filter((name) => GENESIS[name] === genesis);

/** True when a chain that begins with a genesis block may be that of the network. */
export const isGenesisOf = (genesis: string, network: Network): boolean =>
  GENESIS[network] === undefined || GENESIS[network] === genesis;

const checkNetwork = async (
  connection: Connection,
  network: Network | null,
  limitMs: number,
): Promise<void> => {
  if (network === null || GENESIS[network] === undefined) return;
  if (isGenesisOf(await askGenesis(connection, limitMs), network)) return;
  throw new Error(`serves another network than ${network}`);
};

/**
 * Opens a session, subscribed to headers.
 *
 * @throws Error when the server cannot be reached in time, speaks another version, or serves another network
 */
export const openSession = async (
  server: ServerUrl,
  { network, limitMs, connect = openConnection, signal, onNotification, onLost, onWarning }: SessionOptions,
): Promise<ServerSession> => {
  // Notifications may come before the session is made: they are for nobody yet, but the tip counts.
  const heard: { session: ServerSession | null; tip: Tip | null } = { session: null, tip: null };
  const connection = await connectWithVersion(server, limitMs, connect, {
    onNotification: (method, params) => {
      if (method === 'blockchain.headers.subscribe')
        heard.tip = withTime(readHeaderAt({ result: params[0] }));
      if (heard.session !== null) onNotification(heard.session, method, params);
    },
    onLost: (reason) => {
      if (heard.session !== null) onLost(heard.session, reason);
    },
    onWarning,
    signal,
  });
  try {
    const [reply] = await Promise.all([
      connection.request('blockchain.headers.subscribe', [], limitMs),
      checkNetwork(connection, network, limitMs),
    ]);
    const first = withTime(readHeaderAt(reply));
    heard.session = { ...connection, server, tip: () => heard.tip ?? first };
    return heard.session;
  } catch (error) {
    connection.close();
    throw error;
  }
};
