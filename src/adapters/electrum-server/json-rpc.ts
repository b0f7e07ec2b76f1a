/** JSON-RPC 2.0 as Electrum servers speak it: single calls, batches, errors with codes. Source: JSON-RPC 2.0; Fulcrum. */

/** Error codes: the standard's, and 1 and 2, which Electrum servers use for what was asked and for their node. */
export const RPC_CODE = {
  badRequest: 1,
  daemonError: 2,
  parseError: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

export type RpcCode = (typeof RPC_CODE)[keyof typeof RPC_CODE];

/** What a call is answered with when it fails for a reason. `closes`: the connection ends after it. */
export type RpcRefusal = Error & { readonly rpcCode: RpcCode; readonly closes: boolean };

/** A refusal to be thrown. */
export const refusal = (
  message: string,
  rpcCode: RpcCode = RPC_CODE.badRequest,
  { closes = false }: { readonly closes?: boolean } = {},
): RpcRefusal => Object.assign(new Error(message), { rpcCode, closes });

const isRefusal = (error: unknown): error is RpcRefusal => error instanceof Error && 'rpcCode' in error;

/** Runs one call. @throws RpcRefusal */
export type RunCall = (method: string, params: readonly unknown[]) => unknown;

/** What a message is answered with. */
export type Answer = {
  /** Null when nothing was asked that wants one. */
  readonly text: string | null;
  /** True when the connection is to be ended after the answer. */
  readonly closes: boolean;
};

type Response = { readonly body: Record<string, unknown> | null; readonly closes: boolean };

const failed = (id: unknown, error: unknown): Response => {
  const { message, rpcCode, closes } = isRefusal(error)
    ? error
    : refusal('internal error', RPC_CODE.internalError);
  return { body: { jsonrpc: '2.0', id, error: { code: rpcCode, message } }, closes };
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number';

const answerOne = async (call: unknown, run: RunCall): Promise<Response> => {
  if (!isObject(call)) return failed(null, refusal('Invalid JSON RPC object', RPC_CODE.invalidRequest));
  const { id = null, method, params = [] } = call;
  // A call without an id is a notification, which is never answered.
  const isNotification = !('id' in call);
  const give = (response: Response): Response => (isNotification ? { ...response, body: null } : response);
  if (!isId(id)) return failed(null, refusal('Invalid id', RPC_CODE.invalidRequest));
  if (typeof method !== 'string' || method === '') {
    return failed(id, refusal('Invalid method', RPC_CODE.invalidRequest));
  }
  if (!Array.isArray(params)) return give(failed(id, refusal('Invalid params', RPC_CODE.invalidParams)));
  try {
    const result = (await run(method, params)) ?? null;
    return give({ body: { jsonrpc: '2.0', id, result }, closes: false });
  } catch (error) {
    return give(failed(id, error));
  }
};

const parse = (text: string): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
};

const refusedWhole = (message: string, code: RpcCode): Answer => ({
  text: JSON.stringify(failed(null, refusal(message, code)).body),
  closes: false,
});

/** The answer to the text of a call or of a batch of calls. Never rejects. */
export const answerMessage = async (text: string, run: RunCall): Promise<Answer> => {
  const parsed = parse(text);
  if (parsed === null) return refusedWhole('Failed to parse Json', RPC_CODE.parseError);
  const isBatch = Array.isArray(parsed.value);
  const calls = isBatch ? (parsed.value as unknown[]) : [parsed.value];
  if (calls.length === 0) return refusedWhole('Empty batch', RPC_CODE.invalidRequest);
  const responses = await Promise.all(calls.map((call) => answerOne(call, run)));
  const bodies = responses.flatMap(({ body }) => (body === null ? [] : [body]));
  return {
    text: bodies.length === 0 ? null : JSON.stringify(isBatch ? bodies : bodies[0]),
    closes: responses.some(({ closes }) => closes),
  };
};

/** The text of a notification. */
export const notificationText = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', method, params });
