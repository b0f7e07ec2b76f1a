/** Two voices: data on stdout, talk on stderr. Colours only on a terminal and without NO_COLOR. */
import { styleText } from 'node:util';
import { showNumber } from '../bch/amount.js';
import type { Sink, Environment } from './environment.js';
import { plainLines, styledLines } from './plain-text.js';
import { screenOf, type Screen } from './screen.js';

/** `text` for people; `json` for exactly one document; `jsonl` for one line per element of a list. */
export type OutputMode = 'text' | 'json' | 'jsonl';

type Paint = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'picture';

/** Colours a text, or leaves it alone where colours are off; and knows the screen that it is for. */
export type Painter = ((paint: Paint, text: string) => string) & { readonly screen?: Screen };

export type Output = {
  readonly mode: OutputMode;
  /** Writes data: one line or more on stdout. */
  readonly data: (text: string) => void;
  /** Writes on stdout what is no document any more: text as it is, but for what would steer a terminal. */
  readonly text: (text: string) => void;
  /** Says something on stderr, unless `--quiet`. */
  readonly talk: (text: string) => void;
  /** Says something on stderr that must not be missed. */
  readonly warn: (text: string) => void;
  /** Colours for stdout. */
  readonly paint: Painter;
  /** Colours for stderr. */
  readonly paintTalk: Painter;
  /** Draws the QR code of an address; null when nobody asked for one. */
  readonly drawQr: ((address: string, paint: Painter) => string) | null;
};

/** True where colours may be written. Source: no-color.org (set and not empty). */
export const hasColours = (sink: Sink, env: Environment['env']): boolean =>
  sink.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';

/** Light on dark whatever the colours of the terminal are: else a picture may come out inverted. */
const PICTURE: ('whiteBright' | 'bgBlack')[] = ['whiteBright', 'bgBlack'];

const stylesOf = (paint: Paint) => (paint === 'picture' ? PICTURE : paint);

const painterFor = (sink: Sink, env: Environment['env']): Painter => {
  const isColoured = hasColours(sink, env);
  const paint: Painter = (style, text) =>
    isColoured && text !== '' ? styleText(stylesOf(style), text, { validateStream: false }) : text;
  return Object.assign(paint, { screen: screenOf(sink, env) });
};

/** A painter for the same stream, which knows more of its screen. */
export const knowing = (painter: Painter, more: Partial<Screen>): Painter => {
  const paint: Painter = (style, text) => painter(style, text);
  return painter.screen === undefined
    ? painter
    : Object.assign(paint, { screen: { ...painter.screen, ...more } });
};

/** The voices, with what became known of who reads. */
export const withReader = (output: Output, more: Partial<Screen>): Output => ({
  ...output,
  paint: knowing(output.paint, more),
  paintTalk: knowing(output.paintTalk, more),
});

/** Strings of a JSON document, and its numbers with an exponent. */
const STRING_OR_EXPONENT = /"(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?e[+-]?\d+/gi;

/** A JSON document of the same numbers, none of them with an exponent: `2e-8` is `0.00000002`. */
export const withoutExponents = (json: string): string =>
  /\de[+-]?\d/i.test(json)
    ? json.replace(STRING_OR_EXPONENT, (part) => (part.startsWith('"') ? part : showNumber(Number(part))))
    : json;

/** The voices of one invocation. */
export const createOutput = (
  { stdout, stderr, env }: Pick<Environment, 'stdout' | 'stderr' | 'env'>,
  {
    mode,
    quiet,
    columns = null,
  }: {
    readonly mode: OutputMode;
    readonly quiet: boolean;
    readonly columns?: readonly string[] | null;
  },
): Output => ({
  mode,
  data: (text) => {
    const shown = mode === 'text' ? text : withoutExponents(text);
    stdout.write(`${mode === 'text' && stdout.isTTY === true ? styledLines(shown) : shown}\n`);
  },
  text: (text) => {
    stdout.write(`${stdout.isTTY === true ? plainLines(text) : text}\n`);
  },
  talk: (text) => {
    if (!quiet) stderr.write(`${styledLines(text)}\n`);
  },
  warn: (text) => {
    stderr.write(`${styledLines(text)}\n`);
  },
  paint: knowing(painterFor(stdout, env), { chosen: columns }),
  // What stands there is read before something is done.
  paintTalk: knowing(painterFor(stderr, env), { isWhole: true }),
  drawQr: null,
});
