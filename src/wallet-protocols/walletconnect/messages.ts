/** JSON-RPC as both the relay and wallets speak it, and the methods of wallets with their tags and times. Pure. */
import { uint32 } from '../bytes.js';

/** A message of the other side. Its id is kept as it was written, since those of relays are larger than numbers hold. */
export type Incoming = {
  /** As it stands in JSON; null: there is none. */
  readonly id: string | null;
  readonly method: string | null;
  readonly params: unknown;
  /** Present in an answer that is no error. */
  readonly result?: unknown;
  readonly error?: unknown;
};

const LARGE_ID = /"id"\s*:\s*(\d{16,})(?=\s*[,}])/g;

/**
 * Reads a message; null for what is none.
 *
 * A quote within a string has a backslash before it, so `"id":` with digits after it is always a name and its number.
 */
export const readMessage = (text: string): Incoming | null => {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(LARGE_ID, '"id":["$1"]'));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { id, method, params, ...rest } = value as Record<string, unknown>;
  const idText = Array.isArray(id)
    ? String(id[0])
    : id === undefined || id === null
      ? null
      : JSON.stringify(id);
  return {
    id: idText,
    method: typeof method === 'string' ? method : null,
    params,
    ...('result' in rest ? { result: rest['result'] } : {}),
    ...('error' in rest ? { error: rest['error'] } : {}),
  };
};

/** A request as text. */
export const requestText = (id: string, method: string, params: unknown): string =>
  `{"id":${id},"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;

/** An answer as text. */
export const answerText = (
  id: string,
  answer: { readonly result: unknown } | { readonly error: PeerError },
): string => `{"id":${id},"jsonrpc":"2.0",${JSON.stringify(answer).slice(1)}`;

export type PeerError = { readonly code: number; readonly message: string };

/** The error of an answer, whatever a wallet puts there: some answer with nothing in it. */
export const readError = (error: unknown): PeerError => {
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<
    string,
    unknown
  >;
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : typeof error === 'string' ? error : '',
  };
};

const DAY_SECONDS = 86_400;
const SHORT_SECONDS = 300;

/** How a message is published: what the relay keeps it for, how long, and whether it wakes the phone. */
export type Publishing = { readonly tag: number; readonly ttl: number; readonly prompt?: true };

type MethodEntry = Publishing & { readonly answerTag: number };

const method = (tag: number, ttl: number, prompt = false): MethodEntry => ({
  tag,
  ttl,
  answerTag: tag + 1,
  ...(prompt ? { prompt: true } : {}),
});

/** What is said between the two sides. Times in seconds. Source: WalletConnect v2, RPC methods. */
export const METHODS = {
  wc_sessionPropose: method(1100, SHORT_SECONDS, true),
  wc_sessionSettle: method(1102, SHORT_SECONDS),
  wc_sessionUpdate: method(1104, DAY_SECONDS),
  wc_sessionExtend: method(1106, DAY_SECONDS),
  wc_sessionRequest: method(1108, SHORT_SECONDS, true),
  wc_sessionEvent: method(1110, SHORT_SECONDS, true),
  wc_sessionDelete: method(1112, DAY_SECONDS),
  wc_sessionPing: method(1114, DAY_SECONDS),
} as const satisfies Record<string, MethodEntry>;
export type Method = keyof typeof METHODS;

export const isMethod = (name: string): name is Method => Object.hasOwn(METHODS, name);

/** An id for a message to a wallet, above all that were given: milliseconds, and three digits. */
export const nextPeerId = (last: number, nowMs: number): number => Math.max(last + 1, nowMs * 1_000);

/** An id for a call of the relay: milliseconds, and six digits. */
export const relayId = (nowMs: number, random: Uint8Array): string => {
  const digits = uint32(random) % 1_000_000;
  return `${nowMs}${String(digits).padStart(6, '0')}`;
};
