/**
 * Income in the formats of hledger and beancount. What has vested and is not claimed is a claim on the covenant:
 * `Assets:Receivable`. Income is `Income:Covenants`, and what is paid lies in the wallet.
 */
import {
  accountPart,
  commodityOf,
  exact,
  writeBeancount,
  writeHledger,
  type BookNames,
  type Line,
  type Posting,
  type Written,
} from './books.js';
import type { Span } from './book.js';
import { sumIncome, type Basis, type IncomeEntry, type IncomeSum } from './income.js';

/** What is written of the income of a span. */
export type IncomePage = {
  readonly income: readonly IncomeEntry[];
  readonly basis: Basis;
  readonly span: Span;
  readonly names: BookNames;
};

type Of = Pick<IncomeEntry, 'label' | 'recipient' | 'asset' | 'decimals'>;

const accountsOf = ({ label, recipient }: Of, { parties }: BookNames) => {
  const known = parties.get(recipient);
  const who = accountPart(known?.name ?? recipient);
  const what = `${accountPart(label)}:${who}`;
  return {
    receivable: `Assets:Receivable:${what}`,
    income: `Income:Covenants:${what}`,
    wallet: `Assets:Wallets:${who}`,
  };
};

const lineOf = (entry: IncomeEntry, { basis, names }: IncomePage): Line => {
  const { seconds, label, own, type, earned, received, usd, txHash, decimals } = entry;
  const { receivable, income, wallet } = accountsOf(entry, names);
  const commodity = commodityOf(entry.asset, names);
  const pair = (to: string, from: string, units: bigint): readonly Posting[] =>
    units === 0n
      ? []
      : [
          { account: to, amount: exact(units, decimals), commodity },
          { account: from, amount: exact(-units, decimals), commodity },
        ];
  const postings =
    basis === 'received'
      ? pair(wallet, income, received)
      : [...pair(receivable, income, earned), ...pair(wallet, receivable, received)];
  return { own, seconds, title: `${label} ${type}`, txHash: txHash ?? '', usd, postings };
};

const openIncome = (page: IncomePage): Written => {
  const { income, basis, span, names } = page;
  const within = income.filter(({ seconds }) => seconds >= span.from);
  const sums = basis === 'vested' ? sumIncome(income, span) : [];
  const first = span.from > 0 ? span.from : (within[0]?.seconds ?? 0);
  const balance = (sum: IncomeSum, units: bigint): Posting => ({
    account: accountsOf(sum, names).receivable,
    amount: exact(units, sum.decimals),
    commodity: commodityOf(sum.asset, names),
  });
  return {
    heading:
      basis === 'vested'
        ? 'Income as it vests. What is not claimed yet is receivable. Dates are UTC.'
        : 'Income as it is received. Dates are UTC.',
    lines: within.map((entry) => lineOf(entry, page)),
    openings: sums.filter(({ opening }) => opening !== 0n).map((sum) => balance(sum, sum.opening)),
    closings: sums.map((sum) => balance(sum, sum.closing)),
    first,
    last: Math.max(first, within.at(-1)?.seconds ?? 0),
  };
};

/** The formats that keep books of income. */
export const INCOME_FORMATS = {
  hledger: (page: IncomePage) => writeHledger(openIncome(page)),
  beancount: (page: IncomePage) => writeBeancount(openIncome(page)),
} as const;
