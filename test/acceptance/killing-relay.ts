/** A relay before an Electrum server that has the server killed in the middle of a broadcast. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

/** When the server is killed: what of a broadcast has come through until then. */
export type Moment = 'nothing' | 'the transaction' | 'the transaction and the answer';

export type KillingRelay = {
  readonly url: string;
  /** The next broadcast is the server's last; returns once the server is dead. */
  readonly killAt: (moment: Moment) => Promise<void>;
};

type Plan = { readonly moment: Moment; readonly strike: () => void; id: unknown };
type Message = { readonly id?: unknown; readonly method?: string };

/** Hands on whole messages, of batches too, each unless `isHeld` says so. */
const forwardLines = (from: Socket, to: Socket, isHeld: (message: Message) => boolean): void => {
  let unread = '';
  from.on('data', (chunk: Buffer) => {
    const lines = `${unread}${chunk.toString()}`.split('\n');
    unread = lines.pop() ?? '';
    for (const message of lines.flatMap((line) => JSON.parse(line) as Message | Message[]))
      if (!isHeld(message)) to.write(`${JSON.stringify(message)}\n`);
  });
};

/** Relays to the server on a port of loopback; ends with the test. */
export const startKillingRelay = async (
  t: ExecutionContext,
  port: number,
  kill: () => Promise<void>,
): Promise<KillingRelay> => {
  let plan: Plan | null = null;
  const sockets = new Set<Socket>();
  const strike = ({ strike: done }: Plan): void => {
    plan = null;
    void kill().then(() => {
      for (const socket of sockets) socket.destroy();
      done();
    });
  };
  /** Of what the client says. */
  const holdsQuestion = ({ id, method }: Message): boolean => {
    if (plan === null || method !== 'blockchain.transaction.broadcast') return false;
    plan.id = id;
    if (plan.moment !== 'nothing') return false;
    strike(plan);
    return true;
  };
  /** Of what the server says. */
  const holdsAnswer = ({ id }: Message): boolean => {
    if (plan === null || id === undefined || id !== plan.id) return false;
    const isHeld = plan.moment === 'the transaction';
    strike(plan);
    return isHeld;
  };

  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    forwardLines(client, upstream, holdsQuestion);
    forwardLines(upstream, client, holdsAnswer);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    killAt: (moment) =>
      new Promise((resolve) => {
        plan = { moment, strike: resolve, id: undefined };
      }),
  };
};
