/** From a request to the raw input of an operation: path, body and query, with text read as the schema's JSON. */
import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { invalidField, TreasuryError } from '../errors.js';
import { coerceText, inputSchema, type InputSchema } from '../operation/coerce.js';
import type { AnyOperation, HttpRoute } from '../operation/define.js';
import { applyAliases, invalidInput } from '../operation/read-input.js';

/** The largest body that is read of somebody who is known, in bytes. */
export const BODY_LIMIT = 1_048_576;
/** The largest body that is read where nobody is asked who they are, in bytes. */
export const ANONYMOUS_BODY_LIMIT = 16_384;

/** The largest body that a route reads, in bytes. */
export const bodyLimitOf = ({ auth }: Pick<AnyOperation, 'auth'>, { bodyLimit }: HttpRoute): number =>
  bodyLimit ?? (auth === 'none' || auth === 'optional' ? ANONYMOUS_BODY_LIMIT : BODY_LIMIT);
/** Deeper JSON than any input has is refused before anything walks through it. */
const MAXIMUM_DEPTH = 64;

type Fields = Readonly<Record<string, unknown>>;

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** True for JSON that is nested deeper than that. It is walked as it is, without a list of what may be a hundred thousand fields. */
const isDeeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((child) => isDeeperThan(child, levels - 1));
  const fields = value as Fields;
  for (const name in fields) if (isDeeperThan(fields[name], levels - 1)) return true;
  return false;
};

const readBytes = async (request: IncomingMessage, limit: number): Promise<Buffer> => {
  try {
    return await getRawBody(request, { length: request.headers['content-length'] ?? null, limit });
  } catch (error) {
    // What is still coming is let through unread, so that the client gets to read the answer.
    request.resume();
    const { type } = error as getRawBody.RawBodyError;
    if (type === 'entity.too.large') throw new TreasuryError('request_too_large', { limitBytes: limit });
    throw new TreasuryError('invalid_json', { reason: 'the body ended early' });
  }
};

const checkMediaType = ({ headers }: IncomingMessage): void => {
  const type = headers['content-type'] ?? 'none';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (jsonType.test(type) && encoding === 'identity') return;
  const contentType = encoding === 'identity' ? type : `${type} in ${encoding} encoding`;
  throw new TreasuryError('unsupported_media_type', { contentType });
};

const parseJson = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new TreasuryError('invalid_json', { reason: (error as Error).message });
  }
};

/**
 * The fields of a request's body of at most `limit` bytes; none when there is no body, whatever the content type says.
 *
 * @throws request_too_large, unsupported_media_type, invalid_json, invalid_input (JSON, but not an object)
 */
export const readBody = async (request: IncomingMessage, limit: number): Promise<Fields> => {
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) return {};
  checkMediaType(request);
  const body = parseJson(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidField('', 'the body must be a JSON object');
  }
  if (isDeeperThan(body, MAXIMUM_DEPTH)) {
    throw new TreasuryError('invalid_json', { reason: `it is nested deeper than ${MAXIMUM_DEPTH} levels` });
  }
  return body as Fields;
};

const refuseRepeated = (query: Fields): void => {
  const repeated = Object.keys(query).filter((name) => Array.isArray(query[name]));
  if (repeated.length === 0) return;
  throw invalidInput(repeated.map((path) => ({ path, message: 'is given more than once in the query' })));
};

/**
 * What a request brings: `path` and `query` are text, `body` is JSON. A GET has no body, and of any other request the
 * query is not read: links and forms of other pages can bring one.
 */
export type RequestParts = { readonly path: Fields } & (
  | { readonly query: Fields }
  | { readonly body: Fields }
);

/**
 * A reader of an operation's raw input: of the query, where the method has one, or else of the body; the path wins.
 *
 * @throws invalid_input when a query key is given twice
 */
export const inputReader = (operation: AnyOperation): ((parts: RequestParts) => Fields) => {
  // Made at the first request: a hundred schemas would slow the start.
  let schema: InputSchema | undefined;
  const read = (fields: Fields): Fields => {
    schema ??= inputSchema(operation);
    const { properties } = schema;
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => {
        const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
        return [name, typeof value === 'string' ? coerceText(field, value) : value];
      }),
    );
  };
  return (parts) => {
    if ('query' in parts) refuseRepeated(parts.query);
    const fields =
      'query' in parts ? read(applyAliases(operation, parts.query)) : applyAliases(operation, parts.body);
    const named = read(applyAliases(operation, parts.path));
    return Object.keys(named).length === 0 ? fields : { ...fields, ...named };
  };
};
