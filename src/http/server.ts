/** The HTTP face: a Polka app whose every route is an operation; and what it measures of its requests, at `/metrics`. */
import cors from 'cors';
import type { IncomingMessage, ServerResponse } from 'node:http';
import polka from 'polka';
import { TreasuryError } from '../errors.js';
import type { Credentials } from '../operation/auth.js';
import type { Context, Log } from '../operation/context.js';
import type { AnyOperation, HttpRoute, StreamFace } from '../operation/define.js';
import type { HttpMeters, MeteredRequest } from '../operation/ports/meters.js';
import {
  checkHost,
  checkOrigin,
  checkRequestLine,
  createByteLimiter,
  createLimiter,
  limitKey,
} from './admission.js';
import {
  allowHeader,
  chooseRequestId,
  countInFlight,
  logExchange,
  sendError,
  sendText,
  verifyOnce,
  type FaceMiddleware,
  type FaceRequest,
  type FaceResponse,
} from './exchange.js';
import { describeApi, OPENAPI_PATH } from './openapi.js';
import type { PhonePlaces } from '../settings/phone-places.js';
import { createStreams, type Streams } from './event-stream.js';
import { streamHandler } from './stream-handler.js';
import type { StreamSettings } from './stream-settings.js';
import { operationHandler, type FaceHandler } from './operation-handler.js';
import { allowedMethods, defineRoute, orderRoutes, routeFinder, type Route } from './routes.js';
import { VIEW_HEADER } from './view-blocks.js';

/** The `route` of every request for a path that is not there. */
export const UNMATCHED = 'unmatched';

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);

/** The route that shows the metrics. It stands outside `/api`, where collectors look for it, and asks nobody who they are. */
const metricsRoute = ({ report }: HttpMeters): Route<FaceHandler> =>
  defineRoute('GET', '/metrics', async (_request, response) => {
    const { contentType, text } = await report();
    sendText(response, 200, text, { 'content-type': contentType });
  });

/** A request and its answer once it is over. Nothing of it that a client may choose freely becomes a label. */
const meteredRequest = (
  { method, path, exchange }: FaceRequest,
  response: FaceResponse,
  routes: readonly Route[],
): MeteredRequest => ({
  method: knownMethods.has(method) ? method : 'other',
  // What was answered before a route was reached (refused, or a method that is not there) is known by its path.
  route: exchange.route ?? routes.find(({ pattern }) => pattern.test(path))?.path ?? UNMATCHED,
  // A stream is always ended by somebody, and answered when it begins.
  status:
    response.writableFinished || exchange.streamedFrom !== null ? String(response.statusCode) : 'aborted',
  seconds: ((exchange.streamedFrom ?? performance.now()) - exchange.startedAt) / 1000,
});

/** Measures every request but those for the metrics: a daemon that only they ask is idle. */
const meterRequests =
  ({ begin }: HttpMeters, scrape: Route, routes: readonly Route[]): FaceMiddleware =>
  (request, response, next) => {
    if (scrape.pattern.test(request.path)) return next();
    const end = begin();
    response.once('close', () => {
      end(meteredRequest(request, response, routes));
    });
    return next();
  };

export type FaceSettings = {
  readonly app: { readonly context: Context; readonly operations: readonly AnyOperation[] };
  readonly version: string;
  readonly log: Log;
  /** True when only this machine reaches the daemon: the Host header is then checked. */
  readonly loopback: boolean;
  /** Where a gateway on this machine hands requests of others on; null: none does. */
  readonly publicOrigin?: string | null;
  /** True where `x-user-address` is taken without a token. */
  readonly trustAddressHeader: boolean;
  /** True where keys for scripts are taken and nothing else. */
  readonly requireKeys: boolean;
  /** Origins that browsers may call from; `*` is any. Empty: CORS is off. */
  readonly corsOrigins: readonly string[];
  /** Requests a minute of one caller; 0 is no limit. */
  readonly ratePerMinute: number;
  /** How streams are kept open; default what a service needs. */
  readonly streams?: StreamSettings;
  /** The page, where it is served. */
  readonly page?: readonly Route<FaceHandler>[];
  /** Where it reaches phones. */
  readonly phones?: PhonePlaces;
};

export type HttpFace = {
  /** Answers one request. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** From now on new requests are answered `shutting_down`. Resolves when those under way are answered. */
  readonly drain: () => Promise<void>;
};

type Trust = Pick<FaceSettings, 'trustAddressHeader' | 'requireKeys'>;

/** What `x-user-address` and `authorization` of a request say, and where it comes from. */
const credentialsOf = (
  { headers, socket }: IncomingMessage,
  { trustAddressHeader, requireKeys }: Trust,
): Credentials => {
  const address = headers['x-user-address'];
  return {
    kind: 'http',
    authorization: headers.authorization,
    userAddress: typeof address === 'string' ? address : undefined,
    trustAddressHeader,
    requireKeys,
    remoteAddress: socket.remoteAddress,
  };
};

const corsMiddleware = (origins: readonly string[]): FaceMiddleware => {
  const allow = cors<FaceRequest>({
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: [
      'authorization',
      'x-user-address',
      'idempotency-key',
      'content-type',
      'last-event-id',
      VIEW_HEADER,
    ],
    exposedHeaders: ['x-request-id', 'x-treasury-version', 'retry-after', 'idempotent-replayed'],
    maxAge: 600,
    // A preflight goes on to the table of routes, so that a path which is not there says so.
    preflightContinue: true,
  });
  return (request, response, next) => {
    allow(request, response, () => void next());
  };
};

const isStreamed = (http: HttpRoute): http is HttpRoute & { readonly stream: StreamFace } =>
  http.stream !== undefined;

/** One route for each operation that has one, the document that describes them, and the metrics. */
const routesOf = (
  settings: FaceSettings,
  metrics: Route<FaceHandler> | null,
  streams: Streams,
): Route<FaceHandler>[] => {
  const { app, version, log, trustAddressHeader, requireKeys, phones = null } = settings;
  const serving = { trustsAddressHeader: trustAddressHeader, requiresKeys: requireKeys, phones };
  const context = { ...app.context, serving };
  const limitBytes = createByteLimiter(context.store, () => {
    app.context.meters.count('http_requests_limited');
  });
  const routes = app.operations.flatMap((operation) => {
    if (operation.http === undefined) return [];
    const shared = { context, log, limitBytes, streams };
    const { http } = operation;
    const handler = isStreamed(http)
      ? streamHandler(operation, http, shared)
      : operationHandler(operation, http, shared);
    return [defineRoute(http.method, http.path, handler)];
  });
  let document: string | undefined;
  const openapi = defineRoute<FaceHandler>('GET', OPENAPI_PATH, (_request, response) => {
    document ??= JSON.stringify(describeApi(app.operations, { version, trustAddressHeader, requireKeys }));
    sendText(response, 200, document);
    return Promise.resolve();
  });
  return orderRoutes([...routes, openapi, ...(metrics === null ? [] : [metrics]), ...(settings.page ?? [])]);
};

/** Counts each request of a caller; `free` is the route that nobody's requests are counted for. */
const limitRequests = (settings: FaceSettings, free: Route | null): FaceMiddleware => {
  const { meters, network, store, clock } = settings.app.context;
  const limit = createLimiter(settings.ratePerMinute, store, () => {
    meters.count('http_requests_limited');
  });
  return async (request, _response, next) => {
    if (free?.pattern.test(request.path) !== true) {
      const credentials = credentialsOf(request, settings);
      const { access } = request.exchange;
      const known = { access, network, store, clock };
      await limit(await limitKey(credentials, request.socket.remoteAddress, known));
    }
    await next();
  };
};

/** OPTIONS, a method that is not answered here, or a path that is not there. */
const answerNoMatch = (routes: readonly Route[], request: FaceRequest, response: FaceResponse): void => {
  const { method, path } = request;
  const allow = allowedMethods(routes, path);
  if (allow.length === 0) throw new TreasuryError('route_not_found', { method, path });
  if (method !== 'OPTIONS') throw new TreasuryError('method_not_allowed', { method, path, allow });
  response.writeHead(204, { allow: allowHeader(allow) }).end();
};

/** Gives a request its id, and the headers of every answer. */
const greet = (request: FaceRequest, response: FaceResponse, { app, version }: FaceSettings): void => {
  const requestId = chooseRequestId(request.headers['x-request-id'], app.context.uuid);
  request.exchange = {
    requestId,
    startedAt: performance.now(),
    route: null,
    caller: null,
    access: verifyOnce(app.context),
    code: null,
    streamedFrom: null,
  };
  response.setHeader('x-treasury-version', version);
  response.setHeader('x-request-id', requestId);
  response.setHeader('x-content-type-options', 'nosniff');
};

/** Builds the face. @throws Error when two operations match the same requests */
export const createFace = (settings: FaceSettings): HttpFace => {
  const { app, log, loopback, corsOrigins, ratePerMinute } = settings;
  const inFlight = countInFlight();
  let draining = false;

  const admit: FaceMiddleware = (request, response, next) => {
    if (loopback) checkHost(request.headers.host, settings.publicOrigin);
    checkOrigin(request, corsOrigins);
    if (!draining) return next();
    response.setHeader('connection', 'close');
    throw new TreasuryError('shutting_down');
  };

  const meters = app.context.meters.http;
  const metrics = meters === null ? null : metricsRoute(meters);
  const streams = createStreams(app.context, settings.streams);
  const routes = routesOf(settings, metrics, streams);
  const server = polka<FaceRequest>({
    onError: (error, request, response) => {
      sendError(request, response, error, log);
    },
    onNoMatch: (request, response) => {
      answerNoMatch(routes, request, response);
    },
  });
  if (meters !== null && metrics !== null) server.use(meterRequests(meters, metrics, routes));
  if (corsOrigins.length > 0) server.use(corsMiddleware(corsOrigins));
  server.use(admit);
  if (ratePerMinute > 0) server.use(limitRequests(settings, metrics));
  const findRoute = routeFinder(routes);
  server.use((request, response, next) => {
    const route = findRoute(request.method, request.path);
    if (route === null) return next();
    request.exchange.route = route.path;
    const credentials = credentialsOf(request, settings);
    // Tracked beside the answer: a client that has gone away does not end what it asked for.
    return inFlight.track(route.target(request, response, { route, credentials }));
  });
  // Polka's type asks for `next`, which is for an app inside another one.
  const answer = server.handler as HttpFace['handle'];
  return {
    handle: (incoming, response) => {
      const request = incoming as FaceRequest;
      try {
        greet(request, response, settings);
        const leave = inFlight.enter();
        // Whoever has gone away is nobody's error: the answer closes then too.
        response.once('error', () => undefined);
        response.once('close', () => {
          logExchange(request, response, log);
          leave();
        });
        checkRequestLine(request);
        answer(request, response);
      } catch (error) {
        sendError(request, response, error, log);
      }
    },
    drain: () => {
      draining = true;
      streams.close();
      return inFlight.idle();
    },
  };
};
