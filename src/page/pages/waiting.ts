/** What waits for whoever reads: worked out from the lists that are theirs, without a browser. */
import { showUnits } from '../amounts.js';
import type { Reply } from '../replies.js';
import type { WordKey } from '../say.js';
import { claimPayment, claimStream, releaseBudget, type ClaimOf } from '../signing/claims.js';
import type { Step } from '../signing/step.js';

/** An amount with what it is in, as the daemon calls that. */
export type Sum = {
  readonly units: bigint;
  /** Of its token; null: BCH. Two tokens may have one name. */
  readonly category: string | null;
  readonly decimals: number;
  readonly symbol: string;
};

/** Something that can be taken. */
export type Takeable = {
  /** `#STREAM-0001` */
  readonly label: string;
  /** In somebody's own words; null: it has none. */
  readonly own: string | null;
  readonly what: WordKey;
  readonly sum: Sum;
  readonly step: Step;
};

/** The lists of which something is the reader's to take. */
export type Lists = Readonly<Record<'streams' | 'payments' | 'plans', Reply | null>>;

type Kind = {
  /** Name of the list within its reply. */
  readonly list: keyof Lists;
  readonly label: string;
  readonly amount: string;
  /** A column of its table that has amounts. */
  readonly column: string;
  readonly what: WordKey;
  readonly of: ClaimOf;
};

const KINDS: readonly Kind[] = [
  {
    list: 'streams',
    label: 'stream_id',
    amount: 'claimable_amountOnChain',
    column: 'Total',
    what: 'waiting.stream',
    of: claimStream,
  },
  {
    list: 'payments',
    label: 'payment_id',
    amount: 'claimable_amountOnChain',
    column: 'Amount',
    what: 'waiting.payment',
    of: claimPayment,
  },
  {
    list: 'plans',
    label: 'budget_id',
    amount: 'releasable_amountOnChain',
    column: 'Budget',
    what: 'waiting.budget',
    of: releaseBudget,
  },
];

/** An amount in words: `0.12 BCH`. */
export const sumText = ({ units, decimals, symbol }: Sum): string =>
  `${showUnits(units, decimals)} ${symbol}`.trim();

/** What a list's table calls the unit of a row: `BCH` of `0.12 BCH`. */
const symbolIn = ({ view = [] }: Reply, row: number, title: string): string => {
  const table = view.find((block) => block.kind === 'table');
  const place = table?.head.findIndex((column) => column.title === title) ?? -1;
  return (table?.rows[row]?.[place] ?? '').split(' ')[1] ?? '';
};

type Row = Readonly<Record<string, string | number | null>>;

const takeableOf = (reply: Reply, kind: Kind): readonly Takeable[] =>
  ((reply[kind.list] ?? []) as readonly Row[]).flatMap((row, index) => {
    const units = BigInt(String(row[kind.amount] ?? '0'));
    if (units === 0n) return [];
    const label = String(row[kind.label]);
    const category = row['token_category'] == null ? null : String(row['token_category']);
    const symbol = symbolIn(reply, index, kind.column);
    const sum = { units, category, decimals: Number(row['decimals']), symbol };
    const step = kind.of({ label, figure: sumText(sum), signer: String(row['recipient']) });
    return [
      { label, own: row['own_label'] == null ? null : String(row['own_label']), what: kind.what, sum, step },
    ];
  });

/** What can be claimed and released, in the order of the lists. */
export const takeable = (lists: Lists): readonly Takeable[] =>
  KINDS.flatMap((kind) => {
    const reply = lists[kind.list];
    return reply === null ? [] : takeableOf(reply, kind);
  });

/** What that comes to, by what it is in. */
export const sumsOf = (found: readonly Takeable[]): readonly Sum[] => {
  const sums = new Map<string, Sum>();
  for (const { sum } of found) {
    // Of one token amounts may be counted otherwise: its decimals are those that it had when a record was made.
    const key = `${sum.category ?? ''} ${sum.decimals} ${sum.symbol}`;
    const before = sums.get(key);
    sums.set(key, { ...sum, units: (before?.units ?? 0n) + sum.units });
  }
  return [...sums.values()];
};
