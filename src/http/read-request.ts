/** From a request to the raw input of an operation: path, body and query, with text read as the schema's JSON. */
import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { invalidField, TreasuryError } from '../errors.js';
import { coerceText, inputSchema, type InputSchema } from '../operation/coerce.js';
import type { AnyOperation, HttpRoute } from '../operation/define.js';
import { applyAliases, invalidInput } from '../operation/read-input.js';

/** The largest body that is read of somebody who is known, in bytes. */
export const BODY_LIMIT = 65_536;
/** The largest body that is read where nobody is asked who they are, in bytes. */
export const ANONYMOUS_BODY_LIMIT = 16_384;

/** The largest body that a route reads, in bytes. */
export const bodyLimitOf = ({ auth }: Pick<AnyOperation, 'auth'>, { bodyLimit }: HttpRoute): number =>
  bodyLimit ?? (auth === 'none' || auth === 'optional' ? ANONYMOUS_BODY_LIMIT : BODY_LIMIT);
/** Deeper JSON than any input has is refused before it is parsed. */
const MAXIMUM_DEPTH = 64;
/** More values than any input has (500 streams of 30 tranches): parsing a megabyte of them would hold up everybody. */
const MAXIMUM_VALUES = 60_000;
/** More fields than any input has: those that are not known are looked at one by one. */
const MAXIMUM_FIELDS = 1_000;

type Fields = Readonly<Record<string, unknown>>;

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
/** `{` and `[`, and what closes them, once the bit that tells them apart is set. */
const [OPENS, CLOSES] = [0x7b, 0x7d];
const EITHER = 0x20;

/** Where a text of JSON ends: the place of its closing quote. */
const endOfText = (bytes: Buffer, start: number): number => {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at;
  }
  return bytes.length;
};

/**
 * Looks through JSON before it is parsed: its bytes are walked once, and nothing is made of them.
 *
 * @throws invalid_json when it is nested deeper, or has more fields or values, than any input
 */
const checkShape = (bytes: Buffer): void => {
  let [depth, values, fields] = [0, 1, 1];
  const requireAtMost = (most: number, count: number, what: string): void => {
    if (count > most) throw new TreasuryError('invalid_json', { reason: `it has more than ${most} ${what}` });
  };
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === COMMA) {
      values += 1;
      if (depth === 1) fields += 1;
    } else if ((byte | EITHER) === OPENS) {
      depth += 1;
      values += 1;
      requireAtMost(MAXIMUM_DEPTH, depth, 'levels');
    } else if ((byte | EITHER) === CLOSES) depth -= 1;
  }
  requireAtMost(MAXIMUM_FIELDS, fields, 'fields');
  requireAtMost(MAXIMUM_VALUES, values, 'values');
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
  checkShape(bytes);
  const body = parseJson(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidField('', 'the body must be a JSON object');
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
