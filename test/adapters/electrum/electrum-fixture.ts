/** Embedded chains behind Electrum servers on loopback, and chains opened through them, for tests of the wire. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';
import {
  openElectrumChain,
  type ElectrumChainOptions,
} from '../../../src/adapters/electrum/electrum-chain.js';
import {
  startElectrumServer,
  type ElectrumServer,
} from '../../../src/adapters/electrum-server/electrum-server.js';
import type { Log } from '../../../src/operation/context.js';
import type { ChainPort } from '../../../src/operation/ports/chain.js';
import { openTestChain, type TestChain } from '../local-chain/chain-fixture.js';

/** Limits that a test can wait for. */
export const SHORT = { connectMs: 3_000, requestMs: 4_000, totalMs: 10_000, restMs: 10_000 } as const;

export type RecordedLog = Log & { readonly warnings: string[] };

export const recordLog = (): RecordedLog => {
  const warnings: string[] = [];
  return {
    warnings,
    info: () => undefined,
    warn: (fields, message) => {
      warnings.push(`${message} ${JSON.stringify(fields)}`);
    },
    error: (fields, message) => {
      warnings.push(`${message} ${JSON.stringify(fields)}`);
    },
  };
};

export type Served = {
  readonly local: TestChain;
  readonly server: ElectrumServer;
  readonly tcpUrl: string;
  readonly wsUrl: string;
};

/** A chain behind a server; both end with the test. */
export const serveChain = async (
  t: ExecutionContext,
  { indexDelayMs = 0, ...options }: { readonly automine?: boolean; readonly indexDelayMs?: number } = {},
): Promise<Served> => {
  const local = await openTestChain(t, options);
  const server = await startElectrumServer({ chain: local, indexDelayMs, tcpPort: 0, wsPort: 0 });
  t.teardown(server.stop);
  return { local, server, tcpUrl: server.tcpUrl ?? '', wsUrl: server.wsUrl ?? '' };
};

/** A chain through servers, with short limits; closed with the test. */
export const openThrough = async (
  t: ExecutionContext,
  servers: readonly string[],
  options: Partial<ElectrumChainOptions> = {},
): Promise<ChainPort & { readonly log: RecordedLog }> => {
  const log = recordLog();
  const chain = await openElectrumChain({ network: 'regtest', servers, log, ...SHORT, ...options });
  t.teardown(chain.close);
  return { ...chain, log };
};

/** A server that somebody else wrote: what it does with a client is up to the test. */
export const serveStrangely = async (
  t: ExecutionContext,
  treat: (socket: Socket) => void,
): Promise<{ readonly url: string; readonly server: Server }> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    treat(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

/** One call as it stands on a line. */
export type WireCall = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] };

/** Hands each call to `answer`; what it returns is sent back, undefined is silence. */
export const answerLines =
  (answer: (call: WireCall) => Record<string, unknown> | string | undefined) =>
  (socket: Socket): void => {
    let unread = '';
    socket.on('data', (chunk: Buffer) => {
      const lines = `${unread}${chunk.toString()}`.split('\n');
      unread = lines.pop() ?? '';
      for (const line of lines) {
        const call = JSON.parse(line) as WireCall;
        const reply = answer(call);
        if (typeof reply === 'string') socket.write(`${reply}\n`);
        else if (reply !== undefined) socket.write(`${JSON.stringify({ id: call.id, ...reply })}\n`);
      }
    });
  };

/** A TCP port that nobody listens on. */
export const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
};

/** Waits for a condition, at most five seconds unless it is given longer. */
export const until = async (
  t: ExecutionContext,
  holds: () => boolean | Promise<boolean>,
  what: string,
  milliseconds = 5_000,
): Promise<void> => {
  const patience = Date.now() + milliseconds;
  while (!(await holds()) && Date.now() < patience) await new Promise((resolve) => setTimeout(resolve, 10));
  t.true(await holds(), what);
};
