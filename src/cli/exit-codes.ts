/** Exit codes for people. `treasury help exit-codes` and the README show them. */
import { ERRORS, EXIT, type ErrorCode } from '../errors.js';

/** Every exit code, what it means, and the error codes that end with it. */
export const EXIT_CODES: readonly {
  readonly code: number;
  readonly meaning: string;
  readonly errors: readonly ErrorCode[];
}[] = (
  [
    [EXIT.done, 'done'],
    [EXIT.unexpected, 'something unexpected'],
    [EXIT.invalid, 'usage, or input that is not valid'],
    [EXIT.notFound, 'not found'],
    [EXIT.notAllowed, 'not allowed'],
    [EXIT.rule, 'the wrong state, or against a rule'],
    [EXIT.refused, 'refused by the chain'],
    [EXIT.network, 'the network, or something this stands on, is down'],
    [EXIT.pending, 'pending: try again'],
    [EXIT.declined, 'declined at the prompt'],
    [EXIT.interrupted, 'interrupted'],
  ] as const
).map(([code, meaning]) => ({
  code,
  meaning,
  errors: (Object.keys(ERRORS) as ErrorCode[]).filter((error) => ERRORS[error].exit === code),
}));
