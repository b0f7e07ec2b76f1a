/** The book for programs that know wallets: Koinly's universal CSV, and the labels of BIP329. */
import { formatUnits } from '../../bch/amount.js';
import { csvText } from '../../operation/csv.js';
import { wordedLabel } from '../../record/own-words.js';
import { entriesIn } from './book.js';
import { commodityOf, timeOf, type BookPage } from './books.js';

const KOINLY_HEAD = [
  'Date',
  'Sent Amount',
  'Sent Currency',
  'Received Amount',
  'Received Currency',
  'Label',
  'Description',
  'TxHash',
] as const;

/** For Koinly: the covenants as a wallet. What came in was received, what was paid or went back was sent. */
export const writeKoinly = ({ book, span, names }: BookPage): string =>
  csvText(
    KOINLY_HEAD,
    entriesIn(book, span).map(({ event, label, own, flow, party, asset, amount, decimals }) => {
      const figure = [formatUnits(amount, decimals), commodityOf(asset, names)];
      const sides = flow === 'in' ? [null, null, ...figure] : [...figure, null, null];
      const name = names.parties.get(party)?.name ?? party;
      const note = `${wordedLabel(label, own)} ${event.event_type}, ${flow === 'in' ? 'from' : 'to'} ${name}`;
      return [`${timeOf(event.created_at)} UTC`, ...sides, null, note, event.tx_hash];
    }),
  );

/** For wallets: a label for each transaction. Source: BIP329. */
export const writeBip329 = ({ book, span }: BookPage): string => {
  const labels = new Map<string, string[]>();
  for (const { event, label, own } of entriesIn(book, span)) {
    const told = `${own.own_label === null ? '' : `${own.own_label}: `}${label} ${event.event_type}${own.own_note === null ? '' : ` (${own.own_note})`}`;
    const others = labels.get(event.tx_hash ?? '') ?? [];
    if (!others.includes(told)) labels.set(event.tx_hash ?? '', [...others, told]);
  }
  return [...labels]
    .map(([ref, told]) => `${JSON.stringify({ type: 'tx', ref, label: told.join(', ') })}\n`)
    .join('');
};
