/** A receiver of webhooks: a real server on loopback that answers as it is told, and keeps what it got. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';

export type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
};

/** A status, or whatever else is done with a request. */
export type Answer = number | ((response: ServerResponse, request: Received) => void);

export type Receiver = {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** What is answered from now on. */
  answer: Answer;
  /** Requests that were open at the same time. */
  readonly mostAtOnce: () => number;
  readonly close: () => Promise<void>;
};

const reply = (response: ServerResponse, answer: Answer, request: Received): void => {
  if (typeof answer === 'function') answer(response, request);
  else response.writeHead(answer).end(answer < 300 ? 'thanks' : 'no');
};

/** Begins to listen; closed when the test ends. */
export const openReceiver = async (
  t: ExecutionContext,
  answer: Answer = 200,
  port = 0,
): Promise<Receiver> => {
  const received: Received[] = [];
  let [open, most] = [0, 0];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    most = Math.max(most, (open += 1));
    response.once('close', () => (open -= 1));
    const got = { headers: request.headers, body: await text(request), path: request.url ?? '' };
    received.push(got);
    reply(response, receiver.answer, got);
  };
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  t.teardown(close);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${bound}/hooks`,
    port: bound,
    received,
    answer,
    mostAtOnce: () => most,
    close,
  };
  return receiver;
};
