/** A text of the daemon's with what is in it made visible: addresses, transactions, moments, labels of records. */
import { pagePath, type PageName } from '../../page-paths.js';
import { shorten } from '../amounts.js';
import { html, type Child, type Drawn } from '../html.js';
import { say, showMoment } from '../say.js';
import { isSame, useWho } from '../who.js';

const PARTS =
  /((?:bitcoincash|bchtest|bchreg):[a-z0-9]{42,})|\b([0-9a-f]{64})\b|(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC)|(#(?:STREAM|PAY|BUDGET|REWARD|VAULT)-\d+)/g;

const PAGES: Readonly<Record<string, PageName>> = {
  STREAM: 'stream',
  PAY: 'payment',
  BUDGET: 'budget',
  REWARD: 'campaign',
  VAULT: 'vault',
};

/** The page of a label such as `#STREAM-0001`; null: it has none. */
const pathOfLabel = (label: string): string | null => {
  const name = label.replace(/^#/, '');
  const page = PAGES[name.split('-')[0] ?? ''];
  return page === undefined ? null : pagePath(page, { id: name });
};

/** An address: whole, or its ends; with who it is where that is the reader. */
export const Address = ({
  text,
  isShort = false,
  isNamed = false,
}: {
  readonly text: string;
  readonly isShort?: boolean;
  /** True: the text behind it says who it is. */
  readonly isNamed?: boolean;
}): Drawn => {
  const { address } = useWho();
  return html`<span class="address"
    ><code title=${isShort ? text : undefined}>${isShort ? shorten(text) : text}</code>${
      !isNamed && isSame(text, address) && html` <span class="you">${say('address.you')}</span>`
    }</span
  >`;
};

const secondsOf = (text: string): number => Date.parse(text.replace(' UTC', 'Z').replace(' ', 'T')) / 1_000;

/** A moment by the reader's clock; in UTC, as the command line says it, where the pointer rests. */
export const Moment = ({ text }: { readonly text: string }): Drawn => {
  const seconds = secondsOf(text);
  return html`<time datetime=${new Date(seconds * 1_000).toISOString()} title=${text}
    >${showMoment(seconds)}</time
  >`;
};

/** How much of an address or a hash is shown. */
export type Length = 'whole' | 'short';

/** True where the address is followed by who it is, such as `(you)`. */
const isNamed = ({ input, index, 0: text }: RegExpExecArray): boolean =>
  input.startsWith(' (', index + text.length);

const partOf = (match: RegExpExecArray, length: Length): Child => {
  const [text, address, hash, moment, label] = match;
  const isShort = length === 'short';
  if (address !== undefined)
    return html`<${Address} text=${address} isShort=${isShort} isNamed=${isNamed(match)} />`;
  if (hash !== undefined)
    return html`<code title=${isShort ? hash : undefined}>${isShort ? shorten(hash) : hash}</code>`;
  // Own words of a record may look like a moment that there never was.
  if (moment !== undefined && !Number.isNaN(secondsOf(moment))) return html`<${Moment} text=${moment} />`;
  return label === undefined ? text : html`<a href=${pathOfLabel(label)}>${label}</a>`;
};

/** The text, part by part. What strangers wrote is shown as it is instead. */
export const RichText = ({
  text,
  length = 'whole',
}: {
  readonly text: string;
  readonly length?: Length;
}): Drawn => {
  const parts: Child[] = [];
  let done = 0;
  for (const match of text.matchAll(PARTS)) {
    parts.push(text.slice(done, match.index), partOf(match, length));
    done = match.index + match[0].length;
  }
  return html`<span>${parts}${text.slice(done)}</span>`;
};
