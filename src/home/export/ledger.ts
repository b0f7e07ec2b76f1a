/** The ledger: one row per movement of money, for whoever keeps the books. Its moments are days, times or unix seconds, in UTC. */
import { z } from 'zod';
import { parseAddress } from '../../bch/address.js';
import { formatUnits } from '../../bch/amount.js';
import { csvText, viewCsv } from '../../operation/csv.js';
import { invalidField } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import { defineOperation, KEYS_ERRORS } from '../../operation/define.js';
import { tokenCollection } from '../../record/assets.js';
import { contactCollection } from '../../record/contacts.js';
import type { Deployable } from '../../record/deployable.js';
import { FLOWS } from '../../record/movement.js';
import { entriesIn, readBook, sumByLabel, type Entry, type LabelSum } from './book.js';
import { BOOK_FORMATS, type BookNames, type BookParty } from './books.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?Z?$/;
const DAY_SECONDS = 86_400;

const secondsOf = (text: string): number | null => {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  if (!DAY.test(text) && !TIME.test(text)) return null;
  const iso = DAY.test(text) || text.endsWith('Z') ? text : `${text}Z`;
  const milliseconds = Date.parse(iso);
  // Javascript rolls the 31st of a shorter month over; nobody means that.
  const isReal =
    Number.isFinite(milliseconds) && new Date(milliseconds).toISOString().startsWith(text.slice(0, 10));
  return isReal ? milliseconds / 1000 : null;
};

/** The first second of a moment, unix seconds. @throws invalid_input */
export const firstSecond = (text: string, path: string): number => {
  const seconds = secondsOf(text.trim());
  if (seconds !== null) return seconds;
  const message = 'expected a day (2026-06-30), a time (2026-06-30T12:00Z) or unix seconds';
  throw invalidField(path, message);
};

/** The last second of a moment: a day ends with its last. @throws invalid_input */
export const lastSecond = (text: string, path: string): number =>
  firstSecond(text, path) + (DAY.test(text.trim()) ? DAY_SECONDS - 1 : 0);

const Row = z.object({
  date: z.string().describe('ISO-8601, UTC'),
  label: z.string(),
  type: z.string(),
  flow: z.enum(FLOWS).describe('in: into the contract; out: paid by it; back: returned to who funded it'),
  party: z.string(),
  asset: z.string().describe('BCH, or the category of the token'),
  amount: z.string().describe('Exact, display units'),
  usd: z.number().nullable().describe('USD per BCH when it was seen; null when it was not known'),
  txHash: z.string(),
});
type Row = z.output<typeof Row>;

const SumRow = z.object({
  label: z.string(),
  asset: z.string(),
  opening: z.string(),
  in: z.string(),
  out: z.string(),
  back: z.string(),
  closing: z.string().describe('opening + in - out - back'),
});
type SumRow = z.output<typeof SumRow>;

/** An address as ledgers show it: the `q` or `p` form; anything else as it is. */
const showParty = (party: string): string => {
  try {
    return parseAddress(party).text;
  } catch {
    return party;
  }
};

const showEntry = ({ event, label, flow, party, asset, amount, decimals, usd }: Entry): Row => ({
  date: new Date(event.created_at * 1000).toISOString().replace('.000Z', 'Z'),
  label,
  type: event.event_type,
  flow,
  party,
  asset,
  amount: formatUnits(amount, decimals),
  usd,
  txHash: event.tx_hash ?? '',
});

const showSum = ({ label, asset, decimals, ...sums }: LabelSum): SumRow => {
  const show = (units: bigint) => formatUnits(units, decimals);
  return {
    label,
    asset,
    opening: show(sums.opening),
    in: show(sums.in),
    out: show(sums.out),
    back: show(sums.back),
    closing: show(sums.closing),
  };
};

/** Rows of a schema as CSV with a head line. */
const csvOf = <Shape extends z.core.$ZodShape>(
  { shape }: z.ZodObject<Shape>,
  rows: readonly Readonly<Record<keyof Shape, string | number | null>>[],
): string => {
  const head = Object.keys(shape);
  return csvText(
    head,
    rows.map((row) => head.map((name) => row[name] ?? null)),
  );
};

const Format = z.enum(['csv', 'json', 'hledger', 'beancount', 'koinly', 'bip329']);

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

const END_OF_TIME = 4_000_000_000;

/** Declares the operation over the covenant products. */
export const defineLedger = (deployables: readonly Deployable[]) =>
  defineOperation({
    id: 'export.ledger',
    summary: 'Write every movement of money with its date, party, amount, price and transaction',
    description:
      'A cancellation may be two movements: what was owed to the recipient, and what went back. Dust and fees are no movements of a pool; of a vault, every satoshi at its address counts.',
    cli: { example: 'export ledger --from 2026-01-01 --to 2026-12-31 > ledger.csv' },
    auth: 'none',
    input: z.object({
      from: z.string().optional().describe('First day, time (UTC) or unix seconds; default the beginning'),
      to: z.string().optional().describe('Last day, time (UTC) or unix seconds, inclusive; default the end'),
      format: Format.default('csv').describe(
        'csv, json; or for a program: hledger, beancount, koinly (its universal CSV), bip329 (labels for a wallet)',
      ),
      sums: z.boolean().default(false).describe('The sums of each record instead of its movements'),
    }),
    output: z.object({
      format: Format,
      shown: z.enum(['rows', 'sums']),
      rows: z.array(Row),
      sums: z.array(SumRow).describe('Of each record and asset'),
      text: z.string().optional().describe('What the program reads'),
    }),
    errors: KEYS_ERRORS,
    run: async ({ from, to, format, sums }, { store, keys }) => {
      const span = {
        from: from === undefined ? 0 : firstSecond(from, 'from'),
        to: to === undefined ? END_OF_TIME : lastSecond(to, 'to'),
      };
      const book = (await readBook(deployables, store)).map((entry) => ({
        ...entry,
        party: showParty(entry.party),
      }));
      return {
        format,
        shown: sums ? ('sums' as const) : ('rows' as const),
        rows: entriesIn(book, span).map(showEntry),
        sums: sumByLabel(book, span).map(showSum),
        ...(format === 'csv' || format === 'json'
          ? {}
          : { text: BOOK_FORMATS[format]({ book, span, names: await namesOf({ store, keys }) }) }),
      };
    },
    view: ({ format, shown, rows, sums, text }) => {
      if (text !== undefined) return viewCsv(text);
      if (format === 'csv') return viewCsv(shown === 'sums' ? csvOf(SumRow, sums) : csvOf(Row, rows));
      const json = JSON.stringify(shown === 'sums' ? { sums } : { rows, sums }, null, 2);
      return [{ kind: 'text', text: json }];
    },
  });
