/** From one request to an answer without end. */
import { cut, invalidField } from '../errors.js';
import { identify } from '../operation/auth.js';
import type { Context, Log } from '../operation/context.js';
import type { AnyOperation, HttpRoute, StreamFace } from '../operation/define.js';
import type { Streams } from './event-stream.js';
import { bindLog, type FaceRequest } from './exchange.js';
import type { FaceHandler } from './operation-handler.js';
import { inputReader } from './read-request.js';
import { pathParameters } from './routes.js';

type Input = Readonly<Record<string, unknown>>;

/** Where a stream begins: who comes back says it in a header, of which the address that they came with first knows nothing. */
const resumed = (input: Input, { cursor }: StreamFace, { headers }: FaceRequest): Input => {
  const last = headers['last-event-id'];
  if (typeof last !== 'string' || last === '') return input;
  if (/^\d{1,15}$/.test(last)) return { ...input, [cursor]: Number(last) };
  throw invalidField('Last-Event-ID', `expected the id of an event, a whole number, not "${cut(last)}"`);
};

type StreamingFace = { readonly context: Context; readonly log: Log; readonly streams: Streams };

/** The handler of the route of an operation that is answered without end. */
export const streamHandler = (
  operation: AnyOperation,
  http: HttpRoute & { readonly stream: StreamFace },
  { context: shared, log: unbound, streams }: StreamingFace,
): FaceHandler => {
  const readInput = inputReader(operation);
  const { stream: face } = http;
  return async (request, response, { route, credentials }) => {
    const { requestId, access } = request.exchange;
    // Whoever may not ask is told so before anything is read of the request.
    const { caller } = await identify(operation, credentials, { ...shared, access });
    request.exchange.caller = caller?.text ?? null;
    const read = readInput({ path: pathParameters(route, request.path), query: request.query });
    const input = resumed(read, face, request);
    const log = bindLog(unbound, { requestId });
    await streams.answer({ operation, face, input, credentials, request, response, log });
  };
};
