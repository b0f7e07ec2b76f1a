/** Requests as the bench makes them: with Node's own client, over kept connections. */
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';

/** A request of the bench; with a body it is a POST. */
export type BenchRequest = { readonly path: string; readonly body?: object; readonly caller?: string };
export type Answer = { readonly status: number; readonly text: string };

export type Client = {
  readonly ask: (asked: BenchRequest) => Promise<Answer>;
  readonly close: () => void;
};

/** A client of a server of this machine that holds at most so many connections, and keeps them. */
export const openClient = (port: number, connections: number): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    ask: ({ path, body, caller }) =>
      new Promise((resolve, reject) => {
        const request = httpRequest(
          {
            agent,
            port,
            host: '127.0.0.1',
            path,
            method: body === undefined ? 'GET' : 'POST',
            headers: {
              ...(caller === undefined ? {} : { 'x-user-address': caller }),
              ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            },
          },
          (response) => {
            let text = '';
            response.setEncoding('utf8');
            response.on('data', (chunk: string) => (text += chunk));
            response.on('error', reject);
            response.on('end', () => {
              resolve({ status: response.statusCode ?? 0, text });
            });
          },
        );
        request.on('error', reject);
        request.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    close: () => {
      agent.destroy();
    },
  };
};

/** {@link Client.ask}. @throws Error when it is not answered with 200 or 201 */
export const askWell = async ({ ask }: Client, asked: BenchRequest): Promise<string> => {
  const { status, text } = await ask(asked);
  if (status !== 200 && status !== 201) throw new Error(`answered ${status}: ${text.slice(0, 300)}`);
  return text;
};

/** What some connections got that asked again as soon as they were answered. */
export type Load = {
  readonly perSecond: number;
  /** Milliseconds of each request. */
  readonly times: readonly number[];
};

/** Asks for the paths in turn over so many connections, for so long. @throws Error when one is not answered with 200 */
export const load = async (
  port: number,
  paths: readonly string[],
  { connections, milliseconds }: { readonly connections: number; readonly milliseconds: number },
): Promise<Load> => {
  const client = openClient(port, connections);
  const times: number[] = [];
  const from = performance.now();
  const side = async (_: unknown, first: number): Promise<void> => {
    for (let turn = first; performance.now() - from < milliseconds; turn += 1) {
      const asked = performance.now();
      await askWell(client, { path: paths[turn % paths.length] ?? '' });
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: connections }, side));
  const perSecond = times.length / ((performance.now() - from) / 1_000);
  client.close();
  return { perSecond, times };
};

/** Sends bytes, whatever they are, and waits until the connection is over, or for so long at most. */
export const sendBytes = (
  port: number,
  { bytes, isCut }: { readonly bytes: Buffer; readonly isCut: boolean },
  milliseconds = 30_000,
): Promise<void> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes, () => (isCut ? socket.destroy() : socket.end()));
    });
    socket.setTimeout(milliseconds, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('close', () => {
      done();
    });
    socket.resume();
  });
