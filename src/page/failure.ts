/** What went wrong, in the words of whoever refused it. */

/** A failure with its code. What the daemon says stays as it says it. */
export class PageFailure extends Error {
  readonly code: string;
  /** HTTP status; 0: nobody has answered. */
  readonly status: number;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, about: Pick<PageFailure, 'code' | 'retryable'> & Partial<PageFailure>) {
    super(message);
    this.code = about.code;
    this.status = about.status ?? 0;
    this.retryable = about.retryable;
    this.details = about.details ?? {};
  }
}

/** A failure of any origin: those of a wallet have the same fields. */
export const failureOf = (error: unknown): PageFailure => {
  if (error instanceof PageFailure) return error;
  const { code, message, retryable, details } = (error ?? {}) as Partial<PageFailure>;
  return new PageFailure(message ?? String(error), {
    code: code ?? 'unexpected',
    retryable: retryable ?? false,
    details: details ?? {},
  });
};

/** True where something is not there. */
export const isMissing = ({ status }: PageFailure): boolean => status === 404;
/** True where whoever asks is not known well enough, or may not. */
export const isForbidden = ({ status }: PageFailure): boolean => status === 403 || status === 401;
/** True where the reader has to say, or prove, who they are. */
export const needsLogin = ({ status }: PageFailure): boolean => status === 401;
