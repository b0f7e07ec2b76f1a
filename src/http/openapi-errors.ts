/** The error answers of an operation in the OpenAPI document. */
import { ERRORS, type ErrorCode } from '../errors.js';
import type { AnyOperation } from '../operation/define.js';
import type { JsonSchema } from './openapi-schema.js';

/** What every request can meet. */
const everywhere: readonly ErrorCode[] = [
  'host_not_allowed',
  'invalid_request',
  'too_many_requests',
  'store_locked',
  'storage_full',
  'storage_read_only',
  'too_many_files',
  'record_damaged',
  'shutting_down',
  'internal_error',
];
const withBody: readonly ErrorCode[] = [
  'invalid_json',
  'request_too_large',
  'unsupported_media_type',
  'origin_not_allowed',
];
const withKey: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_mismatch'];
const withCaller: readonly ErrorCode[] = [
  'unauthenticated',
  'invalid_token',
  'token_expired',
  'address_token_mismatch',
  'invalid_address',
];

/** What whoever asks the chain can meet: no server answers, or one shows what cannot be. */
const withChain: readonly ErrorCode[] = ['chain_unavailable', 'tx_invalid'];

/** Every code that a request to an operation can be answered with, its own first. */
export const errorCodesOf = ({ auth, errors, http }: AnyOperation): ErrorCode[] => [
  ...new Set<ErrorCode>([
    ...errors,
    // Whoever asks the chain can find that its servers do not agree.
    ...(errors.includes('chain_unavailable') ? (['server_disagrees'] as const) : []),
    'invalid_input',
    ...(errors.includes('chain_unavailable') ? withChain : []),
    ...(auth === 'none' ? [] : withCaller),
    ...(http === undefined || http.method === 'GET' ? [] : withBody),
    ...(http?.creates === true ? withKey : []),
    ...everywhere,
  ]),
];

/** The schema of every error body. Source: API decisions, section Errors. */
export const errorSchema: JsonSchema = {
  type: 'object',
  description: 'What went wrong. The code never changes its meaning; the sentence may be improved.',
  properties: {
    success: { const: false },
    code: { type: 'string', examples: ['invalid_input'] },
    error: { type: 'string', description: 'A sentence for people' },
    retryable: {
      type: 'boolean',
      description: 'True when the same request may succeed later without being changed',
    },
    issues: {
      type: 'array',
      description: 'The problems of an invalid request, field by field',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Dotted, list positions from 0: entries.3.totalAmount' },
          message: { type: 'string' },
        },
        required: ['path', 'message'],
      },
    },
  },
  required: ['success', 'code', 'error', 'retryable'],
};

const errorResponse = (codes: readonly ErrorCode[]): JsonSchema => ({
  description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
  headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
  content: {
    'application/json': {
      schema: {
        allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }],
      },
    },
  },
});

/** The error answers of an operation by status. */
export const errorResponses = (codes: readonly ErrorCode[]): Record<string, JsonSchema> => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(sorted.map(([status, group]) => [String(status), errorResponse(group)]));
};
