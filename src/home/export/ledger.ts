/** The ledger: one row per movement of money, for whoever keeps the books. Its dates are in UTC. */
import { z } from 'zod';
import { parseAddress } from '../../bch/address.js';
import { AddressField, LastSecond, UnixSeconds } from '../../bch/fields.js';
import { viewCsv } from '../../operation/csv.js';
import { invalidField } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import { defineOperation, FOLLOW_ERRORS, KEYS_ERRORS } from '../../operation/define.js';
import { tokenCollection } from '../../record/assets.js';
import { contactCollection } from '../../record/contacts.js';
import type { Deployable } from '../../record/deployable.js';
import { entriesIn, readBook, sumByLabel, type Entry, type Span } from './book.js';
import { INCOME_FORMATS } from './income-books.js';
import { BASES, followVesting, readIncome, sumIncome, type Basis } from './income.js';
import { csvOf, Row, showEntry, showIncome, showIncomeSum, showSum, SumRow } from './rows.js';
import type { BookNames, BookParty } from './books.js';
import { BOOK_FORMATS } from './formats.js';

const Format = z.enum(['csv', 'json', 'hledger', 'beancount', 'koinly', 'bip329']);

/** An address as ledgers show it: the `q` or `p` form; anything else as it is. */
const showParty = (party: string): string => {
  try {
    return parseAddress(party).text;
  } catch {
    return party;
  }
};

/** The names that this home has for addresses and categories. */
const namesOf = async ({ store, keys }: Pick<Context, 'store' | 'keys'>): Promise<BookNames> => {
  const contacts = await store.find(contactCollection);
  const tokens = await store.find(tokenCollection);
  return {
    parties: new Map<string, BookParty>([
      ...contacts.items.map(({ id, address }) => [address, { kind: 'contact', name: id }] as const),
      ...(await keys.list()).map(({ name, address }) => [address.text, { kind: 'wallet', name }] as const),
    ]),
    symbols: new Map(tokens.items.map(({ id, symbol }) => [id, symbol])),
  };
};

const input = z.object({
  from: UnixSeconds.optional().describe('First second; default the beginning'),
  to: LastSecond.optional().describe('Last second; default the end'),
  format: Format.default('csv').describe(
    'csv, json; or for a program: hledger, beancount, koinly (its universal CSV), bip329 (labels for a wallet)',
  ),
  basis: z
    .enum(BASES)
    .optional()
    .describe(
      "Income of this home's wallets instead: received, when it is paid; vested, as it becomes due, by month and at each move (reads the chain)",
    ),
  recipient: AddressField.optional().describe('With a basis: whose income; default the wallets of this home'),
  sums: z.boolean().default(false).describe('The sums of each record instead of its movements'),
});
type Asked = z.output<typeof input>;

const END_OF_TIME = 4_000_000_000;

/** What only one of the two books has. @throws invalid_input */
const checkBasis = ({ basis, recipient, format }: Asked): void => {
  if (basis === undefined && recipient !== undefined)
    throw invalidField('recipient', 'is for the basis received or vested alone');
  if (basis !== undefined && (format === 'koinly' || format === 'bip329')) {
    const message = `"${format}" tells of movements alone: leave the basis out, or take csv, json, hledger or beancount`;
    throw invalidField('format', message);
  }
};

type BookOf = { readonly book: readonly Entry[]; readonly span: Span; readonly context: Context };

const tellMovements = async ({ format }: Asked, { book, span, context }: BookOf) => ({
  rows: entriesIn(book, span).map(showEntry),
  sums: sumByLabel(book, span).map(showSum),
  ...(format === 'csv' || format === 'json'
    ? {}
    : { text: BOOK_FORMATS[format]({ book, span, names: await namesOf(context) }) }),
});

/** @throws chain_unavailable, tx_invalid */
const tellIncome = async (
  { format, recipient }: Asked,
  { book, span, context, basis }: BookOf & { readonly basis: Basis },
  deployables: readonly Deployable[],
) => {
  const wallets = async () => (await context.keys.list()).map(({ address }) => address.text);
  const earners = recipient === undefined ? await wallets() : [recipient.text];
  const income = await readIncome({ basis, earners, span, book }, deployables, context);
  const page = { income, basis, span, names: await namesOf(context) };
  return {
    rows: income.filter(({ seconds }) => seconds >= span.from).flatMap(showIncome),
    sums: sumIncome(income, span).map(showIncomeSum),
    ...(format === 'hledger' || format === 'beancount' ? { text: INCOME_FORMATS[format](page) } : {}),
  };
};

/** Declares the operation over the covenant products. */
export const defineLedger = (deployables: readonly Deployable[]) =>
  defineOperation({
    id: 'export.ledger',
    summary: 'Write every movement of money with its date, party, amount, price and transaction',
    description:
      'A cancellation may be two movements: what was owed to the recipient, and what went back. Dust and fees are no movements of a pool; of a vault, every satoshi at its address counts.',
    cli: { example: 'export ledger --from 2026-01-01 --to 2026-12-31 > ledger.csv' },
    auth: 'none',
    input,
    output: z.object({
      format: Format,
      shown: z.enum(['rows', 'sums']),
      rows: z.array(Row),
      sums: z.array(SumRow).describe('Of each record and asset'),
      text: z.string().optional().describe('What the program reads'),
    }),
    errors: [...KEYS_ERRORS, ...FOLLOW_ERRORS, 'unknown_contract_version'],
    run: async (asked, context) => {
      const { format, basis, sums, from, to } = asked;
      const span: Span = { from: from ?? 0, to: to ?? END_OF_TIME };
      checkBasis(asked);
      if (basis === 'vested') await followVesting(deployables, context);
      const book = (await readBook(deployables, context.store)).map((entry) => ({
        ...entry,
        party: showParty(entry.party),
      }));
      const told = { book, span, context };
      return {
        format,
        shown: sums ? ('sums' as const) : ('rows' as const),
        ...(basis === undefined
          ? await tellMovements(asked, told)
          : await tellIncome(asked, { ...told, basis }, deployables)),
      };
    },
    view: ({ format, shown, rows, sums, text }) => {
      if (text !== undefined) return viewCsv(text);
      if (format === 'csv') return viewCsv(shown === 'sums' ? csvOf(SumRow, sums) : csvOf(Row, rows));
      const json = JSON.stringify(shown === 'sums' ? { sums } : { rows, sums }, null, 2);
      return [{ kind: 'text', text: json }];
    },
  });
