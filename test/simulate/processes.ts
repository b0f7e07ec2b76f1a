/** Daemons and commands: the real program, each in a simulated process of its own. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { nouns, openApp, type App, type AppSettings } from '../../src/app.js';
import type { Connect } from '../../src/adapters/electrum/connection.js';
import { createCall } from '../../src/cli/call.js';
import type { Environment } from '../../src/cli/environment.js';
import { keeperWorker } from '../../src/cli/keeper.js';
import { run } from '../../src/cli/run.js';
import { openSession } from '../../src/cli/session.js';
import type { Outgoing } from '../../src/adapters/messenger/messenger.js';
import type { ChainMonitor } from '../../src/daemon/monitor/chain-monitor.js';
import type { Worker } from '../../src/daemon/start-daemon.js';
import { createSharing } from '../../src/daemon/sharing/share.js';
import { workersOf } from '../../src/daemon/workers.js';
import { createFace, type HttpFace } from '../../src/http/server.js';
import type { Log } from '../../src/operation/context.js';
import type { DatabaseSettings } from '../../src/settings/database.js';
import { throughServers } from '../chain-world.js';
import { Killed, type Host, type SimProcess } from './host.js';
import { runAs, type Timeline } from './timeline.js';

export const HOME = '/home/treasury';
export const NETWORK = 'regtest';

export type Json = Record<string, unknown>;

/** What a client got: an answer, or nothing. */
export type Answer = { readonly status: number; readonly body: Json };

export type Asked = {
  readonly method: string;
  readonly url: string;
  readonly body?: Json;
  readonly headers: Readonly<Record<string, string>>;
};

export type SimDaemon = {
  readonly process: SimProcess;
  /** Null until it is open. */
  readonly face: () => HttpFace | null;
  readonly monitor: () => ChainMonitor | null;
  readonly app: () => App | null;
  /** Settles when it is open; rejects when it could not be opened. Never, when it is killed before. */
  readonly opened: Promise<void>;
  /** Stops in good order. */
  readonly stop: () => Promise<void>;
};

/** What the processes of one host share. */
export type Site = {
  readonly host: Host;
  readonly timeline: Timeline;
  readonly connect: Connect;
  readonly servers: readonly string[];
  /** Where the records are; null: in files of the home. */
  readonly database: DatabaseSettings | null;
  /** How messages to webhooks leave. */
  readonly outgoing: Outgoing;
  readonly onLog: (process: SimProcess, level: keyof Log, fields: Json, message: string) => void;
};

const logOf = (process: SimProcess, { onLog }: Site): Log => {
  const of =
    (level: keyof Log) =>
    (fields: Json, message: string): void => {
      if (process.isAlive()) onLog(process, level, fields, message);
    };
  return { info: of('info'), warn: of('warn'), error: of('error') };
};

/** Where what a process says goes. */
type Voices = { readonly stdout: (text: string) => unknown; readonly stderr: (text: string) => unknown };

const nobodyAnswers = (): Promise<never> => Promise.reject(new Error('nobody answers'));

/** What a process of the program stands in, whose home is that of the host. */
const environmentOf = (process: SimProcess, site: Site, { stdout, stderr }: Voices): Environment => {
  const log = logOf(process, site);
  return {
    stdin: {
      isTTY: false,
      [Symbol.asyncIterator]: async function* () {
        yield await Promise.resolve('');
      },
    },
    stdout: { write: stdout },
    stderr: { write: stderr },
    env: {
      TREASURY_HOME: HOME,
      TREASURY_NETWORK: NETWORK,
      TREASURY_ELECTRUM: site.servers.join(','),
      ...(site.database === null
        ? {}
        : {
            TREASURY_DATABASE_URL: site.database.url,
            TREASURY_DATABASE_CONNECTIONS: String(site.database.connections),
          }),
      NO_COLOR: '1',
    },
    cwd: HOME,
    folders: () => Promise.resolve({ data: HOME, config: HOME }),
    nouns,
    // Nothing outside of the world is asked: no price, no page.
    openApp: (settings: AppSettings) =>
      openApp({
        log,
        ...settings,
        outside: throughServers(site.servers),
        connect: site.connect,
        outgoing: site.outgoing,
      }),
    prompts: {
      confirm: nobodyAnswers,
      text: nobodyAnswers,
      choose: nobodyAnswers,
      secret: nobodyAnswers,
    },
    startSpinner: () => Promise.resolve(() => undefined),
    sleep: site.timeline.sleep,
  };
};

/** Starts a daemon on the home of a host, as `treasury serve` does; `keeps`: with `--keeper`. */
export const startSimDaemon = (name: string, site: Site, keeps = false): SimDaemon => {
  const process = site.host.start(name);
  const log = logOf(process, site);
  let face: HttpFace | null = null;
  let app: App | null = null;
  let monitor: ChainMonitor | null = null;
  const workers: Worker[] = [];

  const open = async (): Promise<void> => {
    const nobody = { stdout: () => undefined, stderr: () => undefined };
    const call = createCall(environmentOf(process, site, nobody), {}, 'serve');
    const session = await openSession(call, { part: 'all', log });
    ({ app } = session);
    face = createFace({
      app,
      version: 'simulated',
      log,
      loopback: true,
      trustAddressHeader: true,
      requireKeys: false,
      corsOrigins: [],
      ratePerMinute: 0,
    });
    const share = createSharing(app);
    const keeping = keeps ? [keeperWorker(session, share.leases)] : [];
    for (const worker of [...(await workersOf(app, share)), ...keeping]) {
      await worker.start();
      workers.unshift(worker);
      if (worker.name === 'chain monitor') monitor = worker as ChainMonitor;
    }
  };
  const opened = runAs(process, open);
  return {
    process,
    face: () => face,
    monitor: () => monitor,
    app: () => app,
    opened,
    stop: () =>
      runAs(process, async () => {
        const open = face;
        face = null;
        await open?.drain();
        for (const worker of workers) await worker.stop();
        await app?.close();
        process.kill();
      }),
  };
};

/** Puts a request to a daemon, in its process, and returns what it answers. */
export const answerOf = (daemon: SimDaemon, { method, url, body, headers }: Asked): Promise<Answer> =>
  runAs(
    daemon.process,
    () =>
      new Promise((resolve) => {
        const socket = new Duplex({
          read: () => undefined,
          write: (_chunk, _encoding, done) => {
            done();
          },
        });
        const request = new IncomingMessage(socket as never);
        const text = body === undefined ? '' : JSON.stringify(body);
        const all: Record<string, string> = { host: '127.0.0.1:4280', ...headers };
        if (text !== '') {
          all['content-type'] = 'application/json';
          all['content-length'] = String(Buffer.byteLength(text));
        }
        request.method = method;
        request.url = url;
        request.rawHeaders = Object.entries(all).flat();
        request.headers = all;
        if (text !== '') request.push(text);
        request.push(null);
        const response = new ServerResponse(request);
        response.assignSocket(socket as never);
        const end = response.end.bind(response);
        response.end = ((...given: unknown[]) => {
          const ended = end(...(given as []));
          const said = typeof given[0] === 'string' ? given[0] : '{}';
          resolve({ status: response.statusCode, body: JSON.parse(said) as Json });
          return ended;
        }) as typeof response.end;
        daemon.face()?.handle(request, response);
      }),
  );

/** What a command came to. */
export type Outcome = { readonly exit: number; readonly stdout: string; readonly stderr: string };

export type SimCommand = {
  readonly process: SimProcess;
  readonly ended: Promise<Outcome>;
  /** What it has written to stdout so far. */
  readonly said: () => string;
};

/** Runs a command line on the home of a host. */
export const startCommand = (words: readonly string[], site: Site): SimCommand => {
  const process = site.host.start(`treasury ${words.slice(0, 2).join(' ')}`);
  const [out, err]: [string[], string[]] = [[], []];
  const environment = environmentOf(process, site, {
    // Who was killed says nothing more.
    stdout: (text) => process.isAlive() && out.push(text),
    stderr: (text) => err.push(text),
  });
  const ended = runAs(process, async () => {
    const exit = await run(words, environment);
    if (!process.isAlive()) throw new Killed(process.name);
    process.kill();
    return { exit, stdout: out.join(''), stderr: err.join('') };
  });
  return { process, ended, said: () => out.join('') };
};
