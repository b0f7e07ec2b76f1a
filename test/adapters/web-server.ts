/** A real web server on a free port of this machine, that answers as a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

export type WebServer = {
  readonly url: string;
  /** `METHOD path` of every request, in order. */
  readonly asked: string[];
  /** What the next requests are answered with. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
};

/** Answers with a status and JSON. */
export const json =
  (body: unknown, status = 200) =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

/** Never answers. */
export const silence = (): void => undefined;

/** Closes the connection without a word. */
export const hangUp = (request: IncomingMessage): void => {
  request.socket.destroy();
};

/** Starts a server; it stops when the test ends. */
export const startWebServer = async (
  t: ExecutionContext,
  answer: WebServer['answer'] = json({}),
): Promise<WebServer> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    handle.answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const handle: WebServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer,
  };
  return handle;
};

/** The URL of a port on which nothing listens. */
export const deadUrl = async (): Promise<string> => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
};
