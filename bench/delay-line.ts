/** A relay before a TCP server that is far away: whatever passes takes its time, in both directions. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type DelayLine = {
  readonly url: string;
  /** Bytes that clients have sent since the last time, and what they have received. */
  readonly count: () => { readonly sent: number; readonly received: number };
  readonly close: () => void;
};

/** Passes on what comes, in its order, each part as many milliseconds after it came. */
const late = (from: Socket, to: Socket, delayMs: number, onBytes: (bytes: number) => void): void => {
  from.on('data', (chunk: Buffer) => {
    onBytes(chunk.length);
    setTimeout(() => to.writable && to.write(chunk), delayMs);
  });
  from.on('error', () => undefined);
  from.on('close', () => {
    setTimeout(() => to.end(), delayMs);
  });
};

/** Relays to a TCP URL. A question is answered twice the delay later. */
export const openDelayLine = async (tcpUrl: string, delayMs: number): Promise<DelayLine> => {
  const { hostname, port } = new URL(tcpUrl);
  let [sent, received] = [0, 0];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ port: Number(port), host: hostname, noDelay: true });
    client.setNoDelay(true);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    late(client, upstream, delayMs, (bytes) => (sent += bytes));
    late(upstream, client, delayMs, (bytes) => (received += bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => {
      const counted = { sent, received };
      [sent, received] = [0, 0];
      return counted;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};
