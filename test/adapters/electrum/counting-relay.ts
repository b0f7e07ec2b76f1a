/** A relay before an Electrum server that counts what clients ask: each line is a request, be it one call or a batch. */
import { connect } from 'node:net';
import type { ExecutionContext } from 'ava';
import { serveStrangely, type WireCall } from './electrum-fixture.js';

/** What was asked since the last count. */
export type Asked = {
  /** Lines: a batch is one. */
  readonly requests: number;
  /** Calls: each member of a batch is one. */
  readonly calls: number;
  /** Calls by method. */
  readonly methods: Readonly<Record<string, number>>;
};

export type CountingRelay = {
  readonly url: string;
  /** What was asked since the last time. */
  readonly count: () => Asked;
};

/** Relays to a TCP URL; ends with the test. */
export const countingRelay = async (t: ExecutionContext, tcpUrl: string): Promise<CountingRelay> => {
  const { hostname, port } = new URL(tcpUrl);
  let lines: string[] = [];
  const { url } = await serveStrangely(t, (socket) => {
    const upstream = connect(Number(port), hostname);
    upstream.on('error', () => undefined);
    upstream.pipe(socket);
    let unread = '';
    socket.on('data', (chunk: Buffer) => {
      upstream.write(chunk);
      const whole = `${unread}${chunk.toString()}`.split('\n');
      unread = whole.pop() ?? '';
      lines.push(...whole);
    });
    socket.on('close', () => upstream.destroy());
  });
  return {
    url,
    count: () => {
      const calls = lines.flatMap((line) => JSON.parse(line) as WireCall | WireCall[]);
      const methods: Record<string, number> = {};
      for (const { method } of calls) methods[method] = (methods[method] ?? 0) + 1;
      const asked = { requests: lines.length, calls: calls.length, methods };
      lines = [];
      return asked;
    },
  };
};
