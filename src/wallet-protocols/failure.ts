/**
 * What goes wrong between two sides: a code and what belongs to it. Whoever uses a protocol has the words: the table of errors at the
 * terminal, a small one in the page.
 */

/** The codes with their details. Each is a code of `src/errors.ts`. */
export type FailureDetails = {
  readonly project_id_missing: Readonly<Record<string, never>>;
  readonly project_id_refused: {
    readonly relay: string;
    readonly projectId: string;
    readonly reason: string;
  };
  readonly relay_unavailable: { readonly relay: string; readonly reason: string };
  readonly wallet_account_mismatch: {
    readonly wallet: string;
    readonly expected: string;
    readonly found: string;
    readonly app: string;
  };
  readonly wallet_answer_differs: { readonly wallet: string; readonly reason: string };
  readonly wallet_declined: { readonly wallet: string; readonly what: string };
  readonly wallet_failed: { readonly wallet: string; readonly reason: string };
  readonly wallet_network_mismatch: {
    readonly app: string;
    readonly found: string;
    readonly network: string;
    readonly chain: string;
  };
  readonly wallet_not_paired: { readonly seconds: number; readonly remedy: string };
  readonly wallet_offline: { readonly wallet: string; readonly seconds: number; readonly app: string };
  readonly wallet_proof_failed: { readonly app: string; readonly address: string; readonly reason: string };
  readonly wallet_session_ended: { readonly wallet: string; readonly reason: string };
  readonly wallet_silent: { readonly wallet: string; readonly seconds: number; readonly remedy: string };
  readonly wallet_unsupported: { readonly app: string; readonly wallet: string; readonly reason: string };
};
export type FailureCode = keyof FailureDetails;

/** A failure with a name, without its words. */
export class WalletFailure<Code extends FailureCode = FailureCode> extends Error {
  readonly code: Code;
  readonly details: FailureDetails[Code];

  constructor(code: Code, details: FailureDetails[Code]) {
    super(code);
    this.name = 'WalletFailure';
    this.code = code;
    this.details = details;
  }
}

/** A guard, since `instanceof` alone leaves the code open. */
export const isWalletFailure = (error: unknown): error is WalletFailure => error instanceof WalletFailure;
