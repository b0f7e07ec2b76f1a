/** A balancer: each request goes to the next daemon that says it is alive. It repeats nothing, and hides nothing. */
import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Place } from './place.js';

const LOOK_MS = 500;
/** A daemon that has not answered within it is left out. */
const HEALTH_MS = 1_500;
/** How long an answer may take to begin. */
const ANSWER_MS = 15_000;

export type Balancer = {
  readonly url: string;
  /** Requests that were handed on, by daemon. */
  readonly handed: readonly number[];
  /** Which daemons are asked now. */
  readonly alive: () => readonly boolean[];
};

const answers = async (port: number): Promise<boolean> => {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/health`, {
      signal: AbortSignal.timeout(HEALTH_MS),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
};

/** Hands one request to a daemon; whatever goes wrong there ends the connection. */
const hand = (incoming: IncomingMessage, response: ServerResponse, port: number): void => {
  const { method, url: path, headers } = incoming;
  const onward = ask({ host: '127.0.0.1', port, method, path, headers, agent: false });
  const tooLate = setTimeout(() => onward.destroy(), ANSWER_MS);
  onward.once('response', (answer) => {
    clearTimeout(tooLate);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    answer.pipe(response);
    answer.once('error', () => response.destroy());
    answer.once('close', () => {
      if (!answer.complete) response.destroy();
    });
  });
  onward.once('error', () => response.destroy());
  onward.once('close', () => {
    clearTimeout(tooLate);
  });
  response.once('close', () => onward.destroy());
  incoming.once('error', () => onward.destroy());
  incoming.pipe(onward);
};

export const startBalancer = async (
  ports: readonly number[],
  { teardown }: Pick<Place, 'teardown'>,
): Promise<Balancer> => {
  const alive = ports.map(() => false);
  const handed = ports.map(() => 0);
  let turn = 0;
  const look = (): void => {
    for (const [index, port] of ports.entries())
      void answers(port).then((isAlive) => {
        alive[index] = isAlive;
      });
  };
  const server = createServer((incoming, response) => {
    for (let tried = 0; tried < ports.length; tried += 1) {
      turn = (turn + 1) % ports.length;
      if (alive[turn] !== true) continue;
      handed[turn] = (handed[turn] ?? 0) + 1;
      hand(incoming, response, ports[turn] ?? 0);
      return;
    }
    response
      .writeHead(503, { 'content-type': 'application/json' })
      .end('{"code":"no_daemon","retryable":true}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  look();
  const timer = setInterval(look, LOOK_MS);
  teardown(() => {
    clearInterval(timer);
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, handed, alive: () => alive };
};
