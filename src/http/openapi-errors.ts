/** The error answers of an operation in the OpenAPI document. */
import { ERRORS, type ErrorCode } from '../errors.js';
import { errorsOf, type AnyOperation } from '../operation/define.js';
import type { JsonSchema } from './openapi-schema.js';

/** What every request can meet before and after its operation. */
const everywhere: readonly ErrorCode[] = [
  'host_not_allowed',
  'invalid_request',
  'too_many_requests',
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

/** Every code that a request to an operation can be answered with, its own first. */
export const errorCodesOf = (operation: AnyOperation): readonly ErrorCode[] => [
  ...errorsOf(operation),
  ...(operation.http === undefined || operation.http.method === 'GET' ? [] : withBody),
  ...(operation.http?.creates === true ? withKey : []),
  ...everywhere,
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
