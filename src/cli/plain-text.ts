/**
 * Text as a terminal shows it: how wide it is, where it may be cut, and nothing in it that steers the terminal. What
 * strangers have put into records and servers into answers comes through here.
 */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** Columns that a text takes. */
export const widthOf = (text: string): number => stringWidth(text);

/**
 * Controls of C0 and C1 but the line feed, separators of lines and paragraphs, and marks that turn the direction of
 * text. Source: Unicode TR9 and TR36.
 */
const STEERING = /(?!\n)[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

const codeOf = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

const escape = (character: string): string => (character === '\t' ? ' ' : codeOf(character));

/** Lines of text, with every character that would steer a terminal written out. */
export const plainLines = (text: string): string => text.replace(/\r\n/g, '\n').replace(STEERING, escape);

/** The same in one line. */
export const plainLine = (text: string): string => plainLines(text).replace(/\s*\n\s*/g, ' ');

/** What {@link createOutput} writes may be coloured and linked; everything else that would steer is written out. */
// eslint-disable-next-line no-control-regex
const OWN_SEQUENCE = /(\u001b\[[\d;]*m|\u001b\]8;;[!-~]*\u001b\\)/;

/** Text whose colours and links are left, and nothing else that steers. */
export const styledLines = (text: string): string =>
  text
    .split(OWN_SEQUENCE)
    .map((part, index) => (index % 2 === 1 ? part : plainLines(part)))
    .join('');

/** JSON escapes C0 alone: the rest that steers terminals is written out too, and means the same. */
export const plainJson = (json: string): string =>
  json.replace(STEERING, (one) => (one === '\t' ? one : codeOf(one)));

const segments = new Intl.Segmenter();

/** A text of at most that many columns; what is cut off is an ellipsis. */
export const cutTo = (text: string, columns: number): string => {
  if (widthOf(text) <= columns) return text;
  let cut = '';
  for (const { segment } of segments.segment(text)) {
    if (widthOf(cut + segment) > columns - 1) break;
    cut += segment;
  }
  return columns < 1 ? '' : `${cut.trimEnd()}…`;
};

/** Lines of at most that many columns, broken between words; a longer word is broken too. */
export const wrapTo = (text: string, columns: number): readonly string[] =>
  wrapAnsi(text, Math.max(1, columns), { hard: true, trim: true }).split('\n');

/** Cash addresses of every network. Source: CashAddr specification. */
export const ADDRESS = /\b(?:bitcoincash|bchtest|bchreg):[qprz][qpzry9x8gf2tvdw0s3jn54khce6mua7l]{41,}\b/g;
/** Transaction ids, categories and other hashes, with the output of one. */
const HASH = /\b[0-9a-f]{64}\b/g;

/** `qrcg3…8x2k`: enough of it to tell it from others at a glance. */
const ends = (text: string): string => `${text.slice(0, 5)}…${text.slice(-4)}`;

/** The text with its addresses and hashes shortened. */
export const shortened = (text: string): string =>
  text.replace(ADDRESS, (address) => ends(address.slice(address.indexOf(':') + 1))).replace(HASH, ends);
