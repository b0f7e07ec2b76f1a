/**
 * The columns of tables, declared once beside the rows: what they hold, and which go first where there is little room.
 *
 * Ranks: 0 stays whatever happens (what a row is called by), 1 is what a list is looked at for, 2 is more about it, 3 is
 * detail that `show` and `--json` have as well. Of one rank the last goes first.
 */

/**
 * What a column holds. `whole`: what is agreed to, such as who is paid: never shortened, it wraps instead. `amount`: figures and dates, to the right or never cut; `state`: a word of a state, coloured by its
 * meaning; `txid`: a transaction, linked to; `prose`: sentences, which wrap within their column.
 */
export type ColumnKind = 'text' | 'whole' | 'amount' | 'date' | 'state' | 'txid' | 'prose';
export type Rank = 0 | 1 | 2 | 3;

export type Column = { readonly title: string; readonly kind: ColumnKind; readonly rank: Rank };

const columnOf =
  (kind: ColumnKind, usual: Rank) =>
  (title: string, rank: Rank = usual): Column => ({ title, kind, rank });

/** Columns by what they hold: `column.amount('Budget', 2)`. */
export const column = {
  /** What a row is called by. */
  key: columnOf('text', 0),
  /** Words and addresses. */
  text: columnOf('text', 1),
  /** What is agreed to: to be read to the last letter. */
  whole: columnOf('whole', 0),
  /** Amounts and counts: to the right. */
  amount: columnOf('amount', 1),
  date: columnOf('date', 1),
  /** A state in one word. */
  state: columnOf('state', 1),
  txid: columnOf('txid', 3),
  /** Sentences. */
  prose: columnOf('prose', 1),
};

/** A title alone is a column of text. The first is what a row is called by. */
export const toColumn = (given: string | Column, index: number): Column =>
  typeof given === 'string' ? column.text(given, index === 0 ? 0 : 1) : given;
