/**
 * The embedded chain over the Electrum Cash protocol, for development and tests: no proof of work stands behind it, so
 * it listens on loopback unless it is told otherwise.
 */
import type { LocalChain } from '../local-chain/local-chain.js';
import { headerMethods, serverMethods } from './server-methods.js';
import { answerMessage, notificationText, refusal, RPC_CODE } from './json-rpc.js';
import { startNotifier, type Notifier } from './notifier.js';
import { createScriptIndex, readScripts } from './script-index.js';
import { scriptMethods } from './script-methods.js';
import { createSession, type MethodTable, type Site } from './session.js';
import { transactionMethods } from './transaction-methods.js';
import { listenTcp, listenWebSocket, type Accept, type Listener } from './transports.js';

export type ElectrumServerOptions = {
  readonly chain: LocalChain;
  /** Milliseconds after which the index shows what the node has taken. Default 0: at once. */
  readonly indexDelayMs?: number;
  /** Scripts that one client may be subscribed to. Default: any number. */
  readonly maxSubscriptions?: number;
  /** 0 takes a free one. Without it, there is no TCP. */
  readonly tcpPort?: number;
  /** 0 takes a free one. Without it, there is no WebSocket. */
  readonly wsPort?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
};

export type ElectrumServer = {
  /** `tcp://host:port`, or null. */
  readonly tcpUrl: string | null;
  /** `ws://host:port`, or null. */
  readonly wsUrl: string | null;
  /** Ends every connection. The chain stays open. */
  readonly stop: () => Promise<void>;
};

const METHODS: MethodTable = {
  ...serverMethods,
  ...headerMethods,
  ...scriptMethods,
  ...transactionMethods,
};

const runMethod = (name: string, params: readonly unknown[], site: Site): unknown => {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (method === undefined) throw refusal(`Unsupported method: ${name}`, RPC_CODE.unknownMethod);
  const [least, most] = method.parameters;
  if (params.length < least || params.length > most) {
    const expected = least === most ? String(least) : `${least} to ${most}`;
    throw refusal(
      `Expected ${expected} parameters for ${name}, got ${params.length} instead`,
      RPC_CODE.invalidParams,
    );
  }
  return method.run(params, site);
};

const acceptWith =
  (notifier: Notifier, site: Omit<Site, 'session'>): Accept =>
  ({ send, end }) => {
    const session = createSession((method, params) => {
      send(notificationText(method, params));
    });
    notifier.sessions.add(session);
    return {
      receive: (message) => {
        void answerMessage(message, (method, params) => runMethod(method, params, { ...site, session })).then(
          ({ text, closes }) => {
            if (text !== null) send(text);
            if (closes) end();
          },
        );
      },
      closed: () => {
        notifier.sessions.delete(session);
      },
    };
  };

const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The protocol over a chain, for whatever brings its messages. */
export type ElectrumService = {
  readonly accept: Accept;
  /** Learns the scripts that the chain has. Before it, nobody is to be accepted. */
  readonly begin: () => Promise<void>;
  /** Tells nobody anything more. The chain stays open. */
  readonly stop: () => Promise<void>;
};

/** Serves a chain to whoever is accepted. `ports` is told to clients that ask how else it can be reached. */
export const createElectrumService = (
  node: LocalChain,
  {
    host,
    indexDelayMs,
    maxSubscriptions = Infinity,
    ports,
  }: Pick<Site, 'host' | 'ports'> & {
    readonly indexDelayMs: number;
    readonly maxSubscriptions?: number;
  },
): ElectrumService => {
  const chain = indexDelayMs > 0 ? node.behind(indexDelayMs) : node;
  const index = createScriptIndex(chain);
  // Listens first and reads then, so that what comes in between is not missed.
  const notifier = startNotifier(chain, index);
  return {
    accept: acceptWith(notifier, { chain, node, index, host, ports, maxSubscriptions }),
    begin: async () => {
      index.add(await readScripts(chain));
    },
    stop: async () => {
      await notifier.stop();
      if (chain !== node) await chain.close();
    },
  };
};

/**
 * Serves a chain. It has to stay open for as long as the server runs.
 *
 * @throws invalid_setting when a port is taken
 */
export const startElectrumServer = async ({
  chain,
  indexDelayMs = 0,
  maxSubscriptions = Infinity,
  tcpPort,
  wsPort,
  host = '127.0.0.1',
}: ElectrumServerOptions): Promise<ElectrumServer> => {
  const ports: Record<string, number> = {};
  const service = createElectrumService(chain, { host, indexDelayMs, maxSubscriptions, ports });
  const listeners: Listener[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(listeners.map((listener) => listener.stop()));
    await service.stop();
  };
  const open = async (
    listen: typeof listenTcp,
    port: number | undefined,
    name: string,
  ): Promise<number | null> => {
    if (port === undefined) return null;
    const listener = await listen({ host, port, accept: service.accept });
    listeners.push(listener);
    ports[name] = listener.port;
    return listener.port;
  };
  try {
    await service.begin();
    const tcp = await open(listenTcp, tcpPort, 'tcp_port');
    const ws = await open(listenWebSocket, wsPort, 'ws_port');
    return {
      tcpUrl: tcp === null ? null : `tcp://${urlHost(host)}:${tcp}`,
      wsUrl: ws === null ? null : `ws://${urlHost(host)}:${ws}`,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
