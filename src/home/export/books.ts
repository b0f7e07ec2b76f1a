/**
 * The book in the formats of bookkeeping programs: hledger and beancount.
 *
 * A covenant is an asset account of its own. What comes in comes from whoever put it in, what is paid is an expense, and
 * what goes back goes back. hledger and beancount check the balances before and after by themselves; dates are UTC.
 *
 * Source: https://hledger.org/hledger.html, https://beancount.github.io/docs/beancount_language_syntax.html,
 * Koinly's universal CSV, BIP329.
 */
import { formatUnits, showNumber } from '../../bch/amount.js';
import type { Worded } from '../../record/own-words.js';
import { entriesIn, sumByLabel, type Entry, type LabelSum, type Span } from './book.js';

export type BookParty = { readonly kind: 'wallet' | 'contact'; readonly name: string };

/** Names for what the book knows by an address or a category alone. */
export type BookNames = {
  /** Address to name: `wallet` is one of this home, any other party a contact. */
  readonly parties: ReadonlyMap<string, BookParty>;
  /** Category to symbol. */
  readonly symbols: ReadonlyMap<string, string>;
};

export type BookPage = { readonly book: readonly Entry[]; readonly span: Span; readonly names: BookNames };

const DAY_SECONDS = 86_400;
const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);
export const timeOf = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');

/** A part of an account's name as both programs take it: letters, digits and dashes, a capital or a digit first. */
export const accountPart = (text: string): string => {
  const plain = text
    .replace(/^[a-z]+:/, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain === '' ? 'Unknown' : `${plain.charAt(0).toUpperCase()}${plain.slice(1)}`;
};

/** What both programs take as a commodity: `BCH`, a symbol that is plain and means one category alone, or digits of the category. */
export const commodityOf = (asset: string, { symbols }: BookNames): string => {
  if (asset === 'BCH') return asset;
  const symbol = symbols.get(asset)?.toUpperCase() ?? '';
  const isItsOwn = [...symbols.values()].filter((other) => other.toUpperCase() === symbol).length === 1;
  const isPlain = /^[A-Z]{2,22}$/.test(symbol) && !['BCH', 'USD'].includes(symbol);
  return isPlain && isItsOwn ? symbol : `TOKEN-${asset.slice(0, 16).toUpperCase()}`;
};

/** All digits: programs infer how exact a figure is from them. */
export const exact = (units: bigint, decimals: number): string => {
  const [whole = '0', fraction = ''] = formatUnits(units, decimals).split('.');
  return decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`;
};

const covenantAccount = (account: string): string => `Assets:Covenants:${accountPart(account)}`;

/** Nothing of it begins another line. */
const inLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

/** What a record is called, in one line, with nothing that ends a description or begins a mark of one: a name is anybody's. */
const titleOf = (text: string): string =>
  inLine(text)
    .replace(/[;|]+/g, ' ')
    .replace(/^[\s*!(=~]+/, '')
    .trim();

/** The account on the other side of a covenant's. */
const otherAccount = ({ flow, party }: Entry, { parties }: BookNames): string => {
  const known = parties.get(party);
  if (known?.kind === 'wallet') return `Assets:Wallets:${accountPart(known.name)}`;
  return `${flow === 'out' ? 'Expenses:Paid' : 'Equity:Parties'}:${accountPart(known?.name ?? party)}`;
};

/** One side of a line. */
export type Posting = { readonly account: string; readonly amount: string; readonly commodity: string };

/** One transaction of the book: what it is called, and its sides. */
export type Line = {
  readonly own: Worded;
  readonly seconds: number;
  readonly title: string;
  readonly txHash: string;
  readonly usd: number | null;
  readonly postings: readonly Posting[];
};

const lineOf = (entry: Entry, names: BookNames): Line => {
  const { event, label, account, own, flow, asset, amount, decimals, usd } = entry;
  const covenant = flow === 'in' ? amount : -amount;
  const commodity = commodityOf(asset, names);
  return {
    own,
    seconds: event.created_at,
    title: titleOf(`${label} ${event.event_type}`),
    txHash: event.tx_hash ?? '',
    usd,
    postings: [
      { account: covenantAccount(account), amount: exact(covenant, decimals), commodity },
      { account: otherAccount(entry, names), amount: exact(-covenant, decimals), commodity },
    ],
  };
};

/** What is written: lines, and balances before and after. */
export type Written = {
  readonly heading: string;
  readonly lines: readonly Line[];
  readonly openings: readonly Posting[];
  readonly closings: readonly Posting[];
  /** Unix seconds of the first line and of the last. */
  readonly first: number;
  readonly last: number;
};

/** The lines of a page, and its balances before and after. */
export const openPage = ({ book, span, names }: BookPage): Written => {
  const entries = entriesIn(book, span);
  const sums = sumByLabel(book, span);
  const first = span.from > 0 ? span.from : (entries[0]?.event.created_at ?? 0);
  const last = Math.max(first, entries.at(-1)?.event.created_at ?? 0);
  const balance = (sum: LabelSum, units: bigint): Posting => ({
    account: covenantAccount(sum.account),
    amount: exact(units, sum.decimals),
    commodity: commodityOf(sum.asset, names),
  });
  return {
    heading: 'Movements of covenants. Dates are UTC.',
    lines: entries.map((entry) => lineOf(entry, names)),
    openings: sums.filter(({ opening }) => opening !== 0n).map((sum) => balance(sum, sum.opening)),
    closings: sums.map((sum) => balance(sum, sum.closing)),
    first,
    last,
  };
};

const OPENING = 'Equity:Opening-Balances';
const negate = (amount: string): string => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);

/** Own words as tags of hledger: a comma would end one. */
const tagsOf = ({ own_label: label, own_note: note }: Worded): string =>
  Object.entries({ label, note })
    .map(([tag, text]) => (text === null ? '' : `, ${tag}:${inLine(text).replaceAll(',', ';')}`))
    .join('');

/** A text of beancount. */
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** Own words as metadata of beancount. */
const metadataOf = ({ own_label: label, own_note: note }: Worded): readonly string[] =>
  Object.entries({ label, note }).flatMap(([key, text]) =>
    text === null ? [] : [`  ${key}: ${quoted(text)}`],
  );

/** For hledger: prices, opening balances, the movements, and the closing balances as assertions. */
export const writeHledger = ({ heading, lines, openings, closings, first, last }: Written): string => {
  const posting = ({ account, amount, commodity }: Posting, asserted = '') =>
    `    ${account}  ${amount} "${commodity}"${asserted}`;
  const prices = lines.flatMap(({ seconds, usd }) =>
    usd === null ? [] : [`P ${timeOf(seconds)} "BCH" ${showNumber(usd)} USD`],
  );
  const opened = openings.map((one) => [
    posting(one),
    posting({ ...one, account: OPENING, amount: negate(one.amount) }),
  ]);
  const closed = closings.map((one) =>
    posting({ ...one, amount: '0' }, ` = ${one.amount} "${one.commodity}"`),
  );
  return [
    `; ${heading}`,
    ...prices,
    ...(opened.length === 0 ? [] : ['', `${dayOf(first)} opening balances`, ...opened.flat()]),
    ...lines.flatMap(({ seconds, title, txHash, own, postings }) => [
      '',
      `${dayOf(seconds)} ${title}  ; time:${timeOf(seconds)}${txHash === '' ? '' : `, tx:${txHash}`}${tagsOf(own)}`,
      ...postings.map((one) => posting(one)),
    ]),
    ...(closed.length === 0 ? [] : ['', `${dayOf(last)} closing balances`, ...closed]),
    '',
  ].join('\n');
};

/** For beancount: accounts, prices, opening balances, the movements, and the closing balances of the day after. */
export const writeBeancount = ({ heading, lines, openings, closings, first, last }: Written): string => {
  const posting = ({ account, amount, commodity }: Posting) => `  ${account}  ${amount} ${commodity}`;
  const opened = openings.flatMap((one) => [one, { ...one, account: OPENING, amount: negate(one.amount) }]);
  const accounts = [
    ...new Set(
      [...opened, ...lines.flatMap(({ postings }) => postings), ...closings].map(({ account }) => account),
    ),
  ];
  // One price a day is what beancount keeps: the last.
  const prices = new Map(
    lines.flatMap(({ seconds, usd }) => (usd === null ? [] : [[dayOf(seconds), usd] as const])),
  );
  return [
    `; ${heading}`,
    'option "title" "Covenants"',
    'option "operating_currency" "BCH"',
    ...accounts.sort().map((account) => `${dayOf(first)} open ${account}`),
    ...[...prices].map(([day, usd]) => `${day} price BCH ${showNumber(usd)} USD`),
    ...(opened.length === 0 ? [] : ['', `${dayOf(first)} * "opening balances"`, ...opened.map(posting)]),
    ...lines.flatMap(({ seconds, title, txHash, own, postings }) => [
      '',
      `${dayOf(seconds)} * ${quoted(title)}`,
      `  time: "${timeOf(seconds)}"`,
      ...(txHash === '' ? [] : [`  tx: "${txHash}"`]),
      ...metadataOf(own),
      ...postings.map(posting),
    ]),
    '',
    ...closings.map(
      ({ account, amount, commodity }) =>
        `${dayOf(last + DAY_SECONDS)} balance ${account}  ${amount} ${commodity}`,
    ),
    '',
  ].join('\n');
};
