/** What is remembered of a world while it is played. */
import type { Person } from '../../fixtures/people.js';

/** Something that is not as it has to be. */
export type Finding = { readonly check: string; readonly what: string };

/** A record that somebody was told of. */
export type Known = {
  readonly noun: string;
  readonly id: string;
  readonly label: string;
  readonly creator: Person;
  readonly recipient: Person | null;
  readonly address: string | null;
  readonly vaultId: string | null;
  /** A text that stands in this record alone. */
  readonly tag: string;
  readonly asset: string | null;
  /** What was asked for. */
  readonly terms: Readonly<Record<string, unknown>>;
  /** Addresses of who may be paid what it pays: the recipient, and whom it was handed on to. */
  readonly heirs: Set<string>;
};

/** A spend of a vault that somebody has proposed. */
export type Spend = {
  readonly vault: Known;
  readonly id: string;
  readonly label: string;
  /** What it pays, each once. */
  readonly pays: { readonly to: string; readonly satoshis: bigint; readonly token: bigint };
};

/** A transaction that somebody has signed and keeps. */
export type Signed = {
  readonly who: Person;
  readonly raw: string;
  readonly txid: string;
  /** Id of the operation that built it, and of what confirms it. */
  readonly build: string;
  readonly confirm: string | null;
  readonly record: Known | null;
  readonly confirmInput: Readonly<Record<string, unknown>>;
  /** Milliseconds of the timeline. */
  readonly at: number;
  wasSent: boolean;
};
