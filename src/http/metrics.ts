/** `/metrics`: what the face measures of its requests, and where whoever collects metrics reads them. */
import type { HttpMeters, MeteredRequest } from '../operation/ports/meters.js';
import { sendText } from './answer.js';
import type { FaceMiddleware, FaceRequest, FaceResponse } from './exchange.js';
import type { FaceHandler } from './operation-handler.js';
import { defineRoute, type Route } from './routes.js';

/** The `route` of every request for a path that is not there. */
export const UNMATCHED = 'unmatched';

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);

/** The route that shows the metrics. It stands outside `/api`, where collectors look for it, and asks nobody who they are. */
export const metricsRoute = ({ report }: HttpMeters): Route<FaceHandler> =>
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
  status: response.writableFinished ? String(response.statusCode) : 'aborted',
  seconds: (performance.now() - exchange.startedAt) / 1000,
});

/** Measures every request but those for the metrics: a daemon that only they ask is idle. */
export const meterRequests =
  ({ begin }: HttpMeters, scrape: Route, routes: readonly Route[]): FaceMiddleware =>
  (request, response, next) => {
    if (scrape.pattern.test(request.path)) return next();
    const end = begin();
    response.once('close', () => {
      end(meteredRequest(request, response, routes));
    });
    return next();
  };
