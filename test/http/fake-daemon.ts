/** A daemon of the fake app on a real socket, and a client that says exactly what it is told. */
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { ExecutionContext } from 'ava';
import { startDaemon, type Daemon, type DaemonSettings } from '../../src/daemon/start-daemon.js';
import type { AnyOperation } from '../../src/operation/define.js';
import type { MetersPort } from '../../src/operation/ports/meters.js';
import { fakeApp, recordLog, type FakeControls, type LogLine } from './fake-app.js';

export type Received = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; empty when it is none. */
  readonly body: Record<string, unknown>;
};

export type Asking = {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Buffer;
};

export type FakeDaemon = {
  readonly daemon: Daemon;
  readonly controls: FakeControls;
  readonly lines: readonly LogLine[];
  readonly ask: (path: string, asking?: Asking) => Promise<Received>;
};

/** One request on a connection of its own. */
export const ask = (url: string, { method, headers = {}, json, raw }: Asking = {}): Promise<Received> =>
  new Promise((resolve, reject) => {
    const body = json === undefined ? raw : JSON.stringify(json);
    const type = json === undefined ? {} : { 'content-type': 'application/json' };
    const sending = request(url, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...type, ...headers },
      agent: false,
    });
    sending.once('error', reject);
    sending.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = response.headers['content-type']?.startsWith('application/json') === true;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: (text !== '' && isJson ? JSON.parse(text) : {}) as Record<string, unknown>,
        });
      });
    });
    sending.end(body);
  });

/** Starts a daemon on a free port for one test. */
export const startFakeDaemon = async (
  t: ExecutionContext,
  settings: Partial<DaemonSettings> = {},
  moreOperations: readonly AnyOperation[] = [],
  meters?: MetersPort,
): Promise<FakeDaemon> => {
  const { app, controls } = fakeApp(moreOperations, meters);
  const log = recordLog();
  const daemon = await startDaemon({ app, port: 0, log, signals: null, ...settings });
  t.teardown(async () => {
    controls.gate.emit('proceed');
    await daemon.stop();
  });
  return {
    daemon,
    controls,
    lines: log.lines,
    ask: (path, asking) => ask(`http://127.0.0.1:${daemon.port}${path}`, asking),
  };
};
