/** What steps and operations say of many things at once: of all that a list finds, and of rows of a file. */
import type { SheetKind } from './sheet-kind.js';

/** One thing that an action applies to. */
export type EachItem = {
  /** What it is called in a line about it. */
  readonly label: string;
  /** What it puts into the raw input of the build. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What it moves, and what that costs, where it is known. */
  readonly worth?: Worth;
};

/** What a step moves, in the smallest unit of its asset, and what it costs. */
export type Worth = {
  readonly units: bigint;
  /** 64 hex digits; null for BCH. */
  readonly category: string | null;
  readonly decimals: number;
  /** Satoshis; null: not known. */
  readonly fee: bigint | null;
};

/** What was listed and is left alone, since it is worth less than taking it costs. */
export type LeftOut = {
  readonly count: number;
  /** All of it, BCH. */
  readonly amount: number;
  readonly labels: readonly string[];
};

/** What rows of a file are paid from, and what was paid from it before. */
export type RowFacts = {
  /** The fields of a row that say who is paid, and how much. */
  readonly to: string;
  readonly amount: string;
  /** 64 hex digits; null for BCH. */
  readonly category: string | null;
  readonly decimals: number;
  /** Smallest unit. */
  readonly available: bigint;
  /** Says that rows come to more than that. */
  readonly tooMuch: (sum: bigint) => string;
  readonly paid: readonly { readonly to: string; readonly units: bigint }[];
};

/** A table that the command line reads out of a file, by what people write. */
export type SheetFace = {
  readonly kind: SheetKind;
  /** The field whose elements the rows are; null: each row is a step of its own. */
  readonly entries: string | null;
  /** The field of a file that takes the rows with their lines, where there is one: all that is wrong is then said at once. */
  readonly file?: string;
};
