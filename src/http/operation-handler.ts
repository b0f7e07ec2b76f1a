/** From one request to one operation and back. */
import { identify, type Credentials } from '../operation/auth.js';
import type { Context, Log } from '../operation/context.js';
import type { AnyOperation, HttpRoute } from '../operation/define.js';
import { perform, type Reply } from '../operation/execute.js';
import { fieldNames } from '../operation/read-input.js';
import {
  answerOf,
  sendAnswer,
  sendText,
  bindLog,
  type Answer,
  type FaceRequest,
  type FaceResponse,
} from './exchange.js';
import { answerOnce, checkKey } from './idempotency.js';
import type { ByteLimiter } from './admission.js';
import { bodyLimitOf, inputReader, readBody, type RequestParts } from './read-request.js';
import { defineRoute, pathParameters, type Route } from './routes.js';
import { wantsBlocks, withView } from './view-blocks.js';

/** What the server knows of a request beside the request itself. */
export type Asked = { readonly route: Route; readonly credentials: Credentials };

/** Answers a request, or throws what is to be answered. */
export type FaceHandler = (request: FaceRequest, response: FaceResponse, asked: Asked) => Promise<void>;

const IGNORED_QUERY = 'the query was ignored: fields of this request stand in its JSON body';

/** What the reader of the input gets: a GET is asked by its query, everything else by its body. */
const partsOf = async (
  request: FaceRequest,
  path: Readonly<Record<string, string>>,
  { method }: HttpRoute,
  limit: number,
): Promise<RequestParts> =>
  method === 'GET' ? { path, query: request.query } : { path, body: await readBody(request, limit) };

/** The answer, with a warning when a query was sent that is not read. */
const warnOfQuery = (answer: Answer, request: FaceRequest, { method }: HttpRoute): Answer => {
  if (method === 'GET' || Object.keys(request.query).length === 0) return answer;
  const warnings = [...((answer.body['warnings'] as string[] | undefined) ?? []), IGNORED_QUERY];
  return { ...answer, body: { ...answer.body, warnings } };
};

/** A `:name` of a path must be a field of the input, or what it says would be ignored. */
const checkParameters = (operation: AnyOperation, { path }: HttpRoute): void => {
  const known = [...fieldNames(operation), ...Object.keys(operation.aliases ?? {})];
  const unknown = defineRoute('GET', path, null).parameters.filter((name) => !known.includes(name));
  if (fieldNames(operation).length === 0 || unknown.length === 0) return;
  throw new Error(`The input of ${operation.id} has no field ${unknown.join(', ')}, which ${path} names`);
};

const headersOf = ({ headers = {} }: HttpRoute, { body }: Answer): Readonly<Record<string, string>> =>
  typeof headers === 'function' ? headers(body) : headers;

/** Sends a successful answer: as a text where the route makes one of it, else as JSON. */
const sendReply = (response: FaceResponse, answer: Answer, http: HttpRoute): void => {
  const text = http.text?.(answer.body) ?? null;
  if (text === null) {
    sendAnswer(response, answer, headersOf(http, answer));
    return;
  }
  sendText(response, answer.status, text.text, {
    ...headersOf(http, answer),
    'content-type': text.contentType,
    'content-disposition': `attachment; filename="${text.fileName}"`,
  });
};

/** What all routes share. */
type Face = { readonly context: Context; readonly log: Log; readonly limitBytes: ByteLimiter };

/** The handler of an operation's route. @throws Error when the path names what is no input field */
export const operationHandler = (
  operation: AnyOperation,
  http: HttpRoute,
  { context: shared, log, limitBytes }: Face,
): FaceHandler => {
  checkParameters(operation, http);
  const readInput = inputReader(operation);
  const bodyLimit = bodyLimitOf(operation, http);
  const isLarge = http.bodyLimit !== undefined;
  /** What a constant operation answers: the same for everybody, so it is worked out and written once. */
  let constant: { readonly text: string; readonly headers: Readonly<Record<string, string>> } | null = null;
  return async (request, response, { route, credentials }) => {
    const { requestId, access } = request.exchange;
    const context = { ...shared, access, log: bindLog(log, { requestId }) };
    // Before anything is read of the request: whoever may not ask is told so first.
    const identity = await identify(operation, credentials, context);
    const { caller } = identity;
    request.exchange.caller = caller?.text ?? null;

    const isShown = wantsBlocks(request);
    const path = pathParameters(route, request.path);
    if (isLarge) await limitBytes(request, bodyLimit);
    const input = readInput(await partsOf(request, path, http, bodyLimit));

    const answered = (reply: Reply): Answer => warnOfQuery(answerOf(reply, http), request, http);
    const run = async (keeping: Pick<Context, 'keepAnswer'> = {}): Promise<Answer> => {
      await context.store.refresh();
      return answered(await perform(operation, { input, identity }, { ...context, ...keeping }));
    };
    // Made when it is sent: what is kept of an answer is its data.
    const shown = (answer: Answer) =>
      isShown ? withView(answer, operation, { ...context, caller }) : answer;
    const key = http.creates === true ? request.headers['idempotency-key'] : undefined;
    // Nothing is asked that could be answered otherwise, not even a field that is not known.
    if (operation.isConstant === true && !isShown && Object.keys(input).length === 0) {
      await context.store.refresh();
      if (constant === null) {
        const answer = await run();
        constant = { text: JSON.stringify(answer.body), headers: headersOf(http, answer) };
      }
      sendText(response, http.status ?? 200, constant.text, constant.headers);
      return;
    }
    if (typeof key !== 'string') {
      sendReply(response, await shown(await run()), http);
      return;
    }
    // What a token was answered with is not for a key, which may do less.
    const own = identity.key == null ? [] : [identity.key.id];
    const scope = [operation.id, caller?.text ?? null, path, ...own];
    const { replayed, ...answer } = await answerOnce({ key: checkKey(key), scope, input }, context, (keep) =>
      run({
        keepAnswer: (writer, reply) => keep(writer, answered(reply)),
      }),
    );
    if (replayed) shared.meters.count('http_requests_replayed');
    const headers = { ...headersOf(http, answer), ...(replayed ? { 'idempotent-replayed': 'true' } : {}) };
    sendAnswer(response, await shown(answer), headers);
  };
};
