/** Stands between a daemon and the database, and can cut its connections, or lead nowhere for a while. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Place } from './place.js';

export type Relay = {
  readonly port: number;
  /** Ends every connection. @returns how many */
  readonly cut: () => number;
  /** True: nothing that is said arrives on either side, and nobody is told. */
  readonly swallow: (isSwallowing: boolean) => void;
};

export const startRelay = async (to: number, { teardown }: Pick<Place, 'teardown'>): Promise<Relay> => {
  const open = new Set<Socket>();
  let isSwallowing = false;
  const join = (from: Socket, other: Socket): void => {
    open.add(from);
    from.on('data', (chunk) => {
      // What is lost of a connection breaks it: it is ended when the way is open again.
      if (!isSwallowing) other.write(chunk);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      open.delete(from);
      other.destroy();
    });
  };
  const cut = (): number => {
    const { size } = open;
    for (const socket of open) socket.destroy();
    return Math.ceil(size / 2);
  };
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    join(near, far);
    join(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  teardown(() => {
    cut();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    swallow: (now) => {
      if (isSwallowing && !now) cut();
      isSwallowing = now;
    },
  };
};
