/** The codes that an operation can throw: those that it declares, and those that it meets on the way to its `run`. */
import type { ErrorCode } from '../errors.js';
import type { AnyOperation } from './define.js';
import { STORE_ERRORS } from './ports/store.js';

const ALWAYS = ['invalid_input', ...STORE_ERRORS] as const satisfies readonly ErrorCode[];

/** Where somebody may say who they are. */
const OF_CALLERS = [
  'unauthenticated',
  'invalid_token',
  'token_expired',
  'address_token_mismatch',
  'invalid_address',
] as const satisfies readonly ErrorCode[];

/** Every code that running an operation can throw, its own first. */
export const errorsOf = ({ auth, errors }: Pick<AnyOperation, 'auth' | 'errors'>): readonly ErrorCode[] => [
  ...new Set<ErrorCode>([...errors, ...ALWAYS, ...(auth === 'none' ? [] : OF_CALLERS)]),
];
