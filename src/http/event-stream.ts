/**
 * Answers without end: Server-Sent Events. Source: WHATWG HTML, 9.2.
 *
 * A stream runs its operation again whenever there may be more, from its own cursor on, as a request of its own: who asks,
 * and what they may read, is looked at each time. Between two runs it keeps a cursor and nothing else.
 */
import { TreasuryError } from '../errors.js';
import { identify, type Credentials } from '../operation/auth.js';
import type { Context, Log } from '../operation/context.js';
import type { AnyOperation, StreamFace, StreamPage } from '../operation/define.js';
import { perform } from '../operation/execute.js';
import { limitKey } from './admission.js';
import { publicError, type FaceRequest, type FaceResponse } from './exchange.js';
import { createNews, type News } from './stream-news.js';
import { cursorText, sendPages } from './stream-pages.js';
import { createPlaces, STREAM_SETTINGS, type StreamSettings } from './stream-settings.js';

/** What a client is told to wait before it comes back, milliseconds. */
const RETRY_MS = 3_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Neither kept nor changed on the way: what compresses would hold events back.
  'cache-control': 'no-store, no-transform',
  // Source: nginx, ngx_http_proxy_module, proxy_buffering.
  'x-accel-buffering': 'no',
};

/** What a stream is asked for, by whom, and where it is answered. */
export type StreamRequest = {
  readonly operation: AnyOperation;
  readonly face: StreamFace;
  /** With the cursor that it begins behind, where one was named. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly credentials: Credentials;
  readonly request: FaceRequest;
  readonly response: FaceResponse;
  readonly log: Log;
};

/** Runs the operation from a cursor on: who asks is looked at each time, so that a token that has ended counts no more. */
const lookerOf =
  ({ operation, face, input, credentials, log }: StreamRequest, shared: Context) =>
  async (cursor: number | null): Promise<StreamPage> => {
    // The access is the shared one: that of the request verifies a token once.
    const context = { ...shared, log };
    await context.store.refresh();
    const identity = await identify(operation, credentials, context);
    const from = cursor === null ? {} : { [face.cursor]: cursor };
    return face.page(await perform(operation, { input: { ...input, ...from }, identity }, context));
  };

/** Ends a stream with what is to be said; one whose client does not read is cut off. */
const endWith = (response: FaceResponse, text: string): void => {
  if (response.writableNeedDrain) response.destroy();
  else response.end(text);
};

/** What ends a stream from within is told as its last message: whoever comes back is told the same. */
const tellClosed = ({ request, response, log }: StreamRequest, error: unknown): void => {
  const { body } = publicError(error, request.exchange.requestId, log);
  request.exchange.code = String(body['code']);
  endWith(response, `event: closed\ndata: ${JSON.stringify(body)}\n\n`);
};

/** The streams of a service. */
export const createStreams = (shared: Context, settings: StreamSettings = STREAM_SETTINGS) => {
  const places = createPlaces(settings);
  const open = new Map<FaceResponse, AbortController>();
  const newsOf = new Map<StreamFace, News>();
  let isClosed = false;

  const newsFor = (face: StreamFace): News => {
    const news = newsOf.get(face) ?? createNews(face, shared, settings);
    newsOf.set(face, news);
    return news;
  };

  /** Sends what there is and what comes, until somebody ends it. @throws what the first look throws */
  const send = async (asked: StreamRequest, news: News): Promise<void> => {
    const { request, response, log } = asked;
    const look = lookerOf(asked, shared);
    const seen = news.version();
    const first = await look(null);
    if (isClosed) throw new TreasuryError('shutting_down');
    const controller = new AbortController();
    open.set(response, controller);
    response.once('close', () => {
      controller.abort();
    });
    request.exchange.streamedFrom = performance.now();
    response.writeHead(200, HEADERS);
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    response.write(`retry: ${RETRY_MS}\n${first.messages.length > 0 ? '\n' : cursorText(first.cursor)}`);
    const stream = { response, look, news, settings, signal: controller.signal, log };
    await sendPages(first, seen, stream).catch((error: unknown) => {
      tellClosed(asked, error);
    });
  };

  return {
    /** Answers a request until it is closed, by whomever. @throws what is to be answered in place of a stream */
    answer: async (asked: StreamRequest): Promise<void> => {
      const { face, credentials, request, response } = asked;
      const leave = places.take(await limitKey(credentials, request.socket.remoteAddress, shared));
      const news = newsFor(face);
      const unfollow = news.follow();
      shared.meters.set('event_streams', places.size());
      try {
        await send(asked, news);
      } finally {
        unfollow();
        leave();
        open.delete(response);
        shared.meters.set('event_streams', places.size());
      }
    },
    /** Ends all of them: clients come back to whoever serves then. */
    close: (): void => {
      isClosed = true;
      for (const [response, controller] of [...open]) {
        controller.abort();
        endWith(response, ': the service stops\n\n');
      }
    },
  };
};
export type Streams = ReturnType<typeof createStreams>;
