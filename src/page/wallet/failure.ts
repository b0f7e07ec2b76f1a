/** Failures of a wallet as the page has them: a code, a sentence, and whether it may go better later. */
import { isWalletFailure } from '../../wallet-protocols/failure.js';
import { asRecord } from '../../wallet-protocols/shape.js';
import { isInterruption } from '../../wallet-protocols/waiting.js';
import type { Failure } from './port.js';
import { FAILURES, sentenceOf } from './words.js';

type Details = Readonly<Record<string, unknown>>;

export class PageFailure extends Error implements Failure {
  readonly code: string;
  readonly details: Details;
  readonly retryable: boolean;

  /** @param said what is said where the page has no words of its own */
  constructor(
    code: string,
    details: Details = {},
    said?: { readonly text: string; readonly retryable: boolean },
  ) {
    super(sentenceOf(code, details) ?? said?.text ?? code);
    this.name = 'PageFailure';
    this.code = code;
    this.details = details;
    this.retryable = FAILURES[code]?.retryable ?? said?.retryable ?? false;
  }
}

/** Any failure as one of the page. @param wallet what the wallet is called, where the daemon has only its address */
export const asFailure = (error: unknown, wallet: string): PageFailure => {
  if (error instanceof PageFailure) return error;
  if (isWalletFailure(error)) return new PageFailure(error.code, error.details);
  if (isInterruption(error)) return new PageFailure('interrupted');
  const { code, details, message, retryable } = asRecord(error);
  const text = typeof message === 'string' ? message : String(error);
  const known = typeof code === 'string' ? code : 'unexpected';
  const named = { ...asRecord(details), ...(FAILURES[known] === undefined ? {} : { wallet, app: wallet }) };
  return new PageFailure(known, named, { text, retryable: retryable === true });
};
