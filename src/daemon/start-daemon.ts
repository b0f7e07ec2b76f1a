/** The daemon: binds the HTTP face to a socket, runs the workers beside it, and stops them in good order. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from '../app.js';
import { TreasuryError } from '../errors.js';
import { DEFAULT_RATE_PER_MINUTE } from '../http/admission.js';
import { isLoopback } from '../settings/loopback.js';
import { relayOrigins, type PhonePlaces } from '../settings/phone-places.js';
import { pageRoutes } from '../http/page.js';
import { createFace, type HttpFace } from '../http/server.js';
import type { StreamSettings } from '../http/stream-settings.js';
import type { Log } from '../operation/context.js';
import type { ServedPage } from '../operation/ports/served-page.js';
import { createLog } from './log.js';
import { listenForSignals, type SignalSource } from './signals.js';

type CheckedSettings = {
  readonly port?: number;
  readonly ratePerMinute?: number;
  readonly corsOrigins?: readonly string[];
};

const refuse = (setting: string, value: unknown, expected: string): TreasuryError =>
  new TreasuryError('invalid_setting', { setting, value: String(value), expected });

/** True for an origin as browsers send it: scheme, host and port, nothing after them. */
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;

/** @throws invalid_setting for a port, a rate or an origin that is none */
const checkSettings = ({ port = 0, ratePerMinute = 0, corsOrigins = [] }: CheckedSettings): void => {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw refuse('port', port, 'a whole number from 0 to 65535');
  }
  if (!Number.isInteger(ratePerMinute) || ratePerMinute < 0) {
    throw refuse('rate per minute', ratePerMinute, 'a whole number, 0 for no limit');
  }
  const wrong = corsOrigins.find((origin) => origin !== '*' && !isOrigin(origin));
  if (wrong !== undefined) {
    throw refuse('CORS origin', wrong, '* or an origin such as https://app.example, without a path');
  }
};

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 4280;
/** How long requests under way may take once the daemon is to stop. */
export const DRAIN_MILLISECONDS = 10_000;

/** Something that runs beside the HTTP face. */
export type Worker = {
  readonly name: string;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type DaemonSettings = {
  /** Closed when the daemon stops. */
  readonly app: App;
  readonly host?: string;
  /** 0 takes any free one. */
  readonly port?: number;
  /** Origins that browsers may call from; default none. */
  readonly corsOrigins?: readonly string[];
  /**
   * Where others reach this daemon, through a gateway; null: nobody does. On loopback it answers to that name too, and takes
   * no `x-user-address` without a token then: what comes from this machine may come from anywhere.
   */
  readonly publicOrigin?: string | null;
  /** Takes `x-user-address` without a token; default on loopback only, and not behind a gateway. */
  readonly trustAddressHeader?: boolean;
  /** Takes keys for scripts and nothing else; default false. */
  readonly requireKeys?: boolean;
  /** 0 is no limit; default 300, and none on loopback. */
  readonly ratePerMinute?: number;
  readonly log?: Log;
  /** Default: the version of the app. */
  readonly version?: string;
  /** Started in order once the port is bound, stopped in reverse after the last request. */
  readonly workers?: readonly Worker[];
  readonly drainMilliseconds?: number;
  /** How event streams are kept open; default what a service needs. */
  readonly streams?: StreamSettings;
  /** Where the page reaches phones; absent: no page is served. */
  readonly page?: PhonePlaces;
  /** Keeps where the page is for the commands of this home, where only this machine reaches it. */
  readonly servedPage?: ServedPage;
  /** Where signals come from; null for none. */
  readonly signals?: SignalSource | null;
};

export type Daemon = {
  readonly url: string;
  readonly port: number;
  /** Stops in good order; the same promise however often it is called. */
  readonly stop: () => Promise<void>;
  /** Resolves when the daemon has stopped, by `stop` or by a signal; rejects when it could not stop cleanly. */
  readonly stopped: Promise<void>;
};

/** Slow senders hold a connection no longer than this. */
const timeouts = { headersTimeout: 15_000, requestTimeout: 60_000, keepAliveTimeout: 65_000 };

const listenError = (error: NodeJS.ErrnoException, host: string, port: number): Error => {
  const refuse = (setting: string, value: unknown, expected: string) =>
    new TreasuryError('invalid_setting', { setting, value, expected }, { cause: error });
  if (error.code === 'EADDRINUSE') {
    return refuse('port', port, 'a free port (this one is in use: another daemon may be running)');
  }
  if (error.code === 'EACCES') return refuse('port', port, 'a port that this user may open');
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return refuse('host', host, 'an address of this machine');
  }
  return error;
};

/** The port that was bound. */
const listen = async (server: Server, host: string, port: number): Promise<number> => {
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, host, port);
  }
  return (server.address() as AddressInfo).port;
};

const startWorkers = async (workers: readonly Worker[]): Promise<() => Promise<void>> => {
  const started: Worker[] = [];
  const stopWorkers = async (): Promise<void> => {
    for (const worker of started.reverse()) await worker.stop();
  };
  try {
    for (const worker of workers) {
      await worker.start();
      started.push(worker);
    }
  } catch (error) {
    await stopWorkers();
    throw error;
  }
  return stopWorkers;
};

/** Lets requests under way finish, but no longer than that; then lets go of every connection. */
const closeServer = async (server: Server, face: HttpFace, milliseconds: number, log: Log): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, milliseconds, 'late');
  });
  const outcome = await Promise.race([face.drain(), timedOut]);
  clearTimeout(timer);
  if (outcome === 'late') log.warn({ milliseconds }, 'requests were still under way and are cut off');
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
};

/** Runs every step, whatever becomes of the ones before. @throws the first failure */
const runAll = async (steps: readonly (() => Promise<void>)[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
};

const faceOf = (settings: DaemonSettings, loopback: boolean, log: Log): HttpFace =>
  createFace({
    app: settings.app,
    log,
    loopback,
    version: settings.version ?? settings.app.context.program.version,
    publicOrigin: settings.publicOrigin ?? null,
    trustAddressHeader: settings.trustAddressHeader ?? (loopback && settings.publicOrigin == null),
    requireKeys: settings.requireKeys ?? false,
    corsOrigins: settings.corsOrigins ?? [],
    ...(settings.streams === undefined ? {} : { streams: settings.streams }),
    ...(settings.page === undefined
      ? {}
      : { phones: settings.page, page: pageRoutes(relayOrigins(settings.page)) }),
    ratePerMinute: settings.ratePerMinute ?? (loopback ? 0 : DEFAULT_RATE_PER_MINUTE),
  });

/** `http://host:port` of a bound address. */
const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** `work` that runs at the first call, and a promise of its end for those who only wait. */
const onceOnly = (work: () => Promise<void>) => {
  let settle: (result: Promise<void>) => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    settle = resolve;
  });
  // Whoever called hears of a failure; one that nobody waits for must not end the process.
  ended.catch(() => undefined);
  let isStarted = false;
  const run = (): Promise<void> => {
    if (!isStarted) settle(work());
    isStarted = true;
    return ended;
  };
  return { run, ended };
};

/** Keeps where the page is; returns what forgets it. A disk that takes no more does not keep a daemon from its work. */
const keepPage = ({ page, servedPage }: DaemonSettings, url: string, log: Log): (() => Promise<void>) => {
  if (page === undefined) return () => Promise.resolve();
  const quietly = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      log.warn({ err: error }, 'commands of this home are not told where the page is');
    }
  };
  quietly(() => servedPage?.keep(url));
  return () => {
    quietly(() => servedPage?.forget());
    return Promise.resolve();
  };
};

/**
 * Starts the daemon and returns once it answers requests. From then on the app is the daemon's to close;
 * when the start fails it is still the caller's.
 *
 * @throws invalid_setting when a setting is none, the port is taken or not allowed, or the host is not of this machine
 */
export const startDaemon = async (settings: DaemonSettings): Promise<Daemon> => {
  const { app, port = DEFAULT_PORT, log = createLog(), signals = process } = settings;
  // Check:
  checkSettings(settings);
  const host = (settings.host ?? DEFAULT_HOST).replace(/^\[(.*)\]$/, '$1');

  // Build: the port first, since it keeps a second daemon from starting workers.
  const face = faceOf(settings, isLoopback(host), log);
  const server = createServer(timeouts, face.handle);
  const bound = await listen(server, host, port);
  const close = () => closeServer(server, face, settings.drainMilliseconds ?? DRAIN_MILLISECONDS, log);
  const stopWorkers = await startWorkers(settings.workers ?? []).catch(async (error: unknown) => {
    await close();
    throw error;
  });

  // Stop: requests first, then what runs beside them, then the files.
  const ending = onceOnly(async () => {
    try {
      await runAll([close, stopWorkers, forgetPage, app.close]);
      log.info({}, 'stopped');
    } catch (error) {
      log.error({ err: error }, 'stopped, but not cleanly');
      throw error;
    } finally {
      ignoreSignals();
    }
  });
  const ignoreSignals = signals === null ? () => undefined : listenForSignals(signals, ending.run, log);
  const url = urlOf(host, bound);
  const forgetPage = isLoopback(host) ? keepPage(settings, url, log) : () => Promise.resolve();
  log.info({ url, network: app.context.network }, `listening on ${url}`);
  return { url, port: bound, stop: ending.run, stopped: ending.ended };
};
