/** A client of raw lines, for tests of the wire itself: what a library would hide is seen. */
import { connect } from 'node:net';
import { once } from 'node:events';
import type { ExecutionContext } from 'ava';

export type LineClient = {
  /** Sends a call and returns the whole response. */
  readonly call: (method: string, ...params: unknown[]) => Promise<Record<string, unknown>>;
  /** Sends a call and returns its result. */
  readonly result: (method: string, ...params: unknown[]) => Promise<unknown>;
  /** Sends a call and returns its error. */
  readonly error: (method: string, ...params: unknown[]) => Promise<{ code: number; message: string }>;
  /** Sends text as it is and returns the next thing that comes. */
  readonly send: (text: string) => Promise<unknown>;
  /** The next notification. */
  readonly next: () => Promise<unknown>;
  /** Resolves when the server ends the connection. */
  readonly ended: Promise<unknown>;
};

/** Connects to a TCP URL; closed with the test. Says `server.version` unless `version` is null. */
export const openLineClient = async (
  t: ExecutionContext,
  url: string,
  version: string | readonly string[] | null = '1.5.1',
): Promise<LineClient> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  t.teardown(() => socket.destroy());
  const [heard, waiting]: [unknown[], ((value: unknown) => void)[]] = [[], []];
  const answers = new Map<unknown, (value: Record<string, unknown>) => void>();
  let unread = '';
  socket.on('data', (chunk: Buffer) => {
    const lines = `${unread}${chunk.toString()}`.split('\n');
    unread = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as Record<string, unknown>;
      const answer = answers.get(message['id']);
      if (answer !== undefined) answer(message);
      else (waiting.shift() ?? ((value: unknown) => heard.push(value)))(message);
    }
  });
  const ended = once(socket, 'close');
  await once(socket, 'connect');
  const next = (): Promise<unknown> =>
    new Promise((resolve) => {
      if (heard.length > 0) resolve(heard.shift());
      else waiting.push(resolve);
    });
  let calls = 0;
  const call: LineClient['call'] = (method, ...params) => {
    calls += 1;
    const id = `call ${calls}`;
    return new Promise((resolve) => {
      answers.set(id, resolve);
      socket.write(`${JSON.stringify({ id, method, params })}\n`);
    });
  };
  const client: LineClient = {
    call,
    result: async (method, ...params) => {
      const { result, error } = await call(method, ...params);
      t.is(error, undefined, `${method} is refused: ${JSON.stringify(error)}`);
      return result;
    },
    error: async (method, ...params) => {
      const { error } = await call(method, ...params);
      return error as { code: number; message: string };
    },
    send: (text) => {
      socket.write(`${text}\n`);
      return next();
    },
    next,
    ended,
  };
  if (version !== null) await client.call('server.version', 'line client', version);
  return client;
};
