/** A kind of table that people fill in: which columns it has. Declared beside the operation that takes it. */

/** What a cell holds. `list`: dates with amounts, `2026-07-01=0.5; 2026-08-01=0.5`. */
export type CellKind = 'text' | 'address' | 'amount' | 'date' | 'duration' | 'choice' | 'percent' | 'list';

export type Column = {
  readonly name: string;
  /** What it is called in the row of a request. */
  readonly field: string;
  readonly kind: CellKind;
  /** What it is, in a few words. */
  readonly about: string;
  /** When it has to be there, in a few words: `yes`, `no: now`. */
  readonly needed: string;
};

/** A kind of table. */
export type SheetKind = {
  readonly columns: readonly Column[];
  /** Columns of which each table has one; of several in one line, any. */
  readonly required: readonly (readonly string[])[];
  /** Rows of a template, by the names of their columns. Nobody is paid by them: `@somebody` is no contact yet. */
  readonly examples: readonly Readonly<Record<string, string>>[];
};
