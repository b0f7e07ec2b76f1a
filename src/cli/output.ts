/** Two voices: data on stdout, talk on stderr. Colours only on a terminal and without NO_COLOR. */
import { styleText } from 'node:util';
import type { Sink, Environment } from './environment.js';

/** `text` for people; `json` for exactly one document; `jsonl` for one line per element of a list. */
export type OutputMode = 'text' | 'json' | 'jsonl';

type Paint = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'picture';

/** Colours a text, or leaves it alone where colours are off. */
export type Painter = (paint: Paint, text: string) => string;

export type Output = {
  readonly mode: OutputMode;
  /** Writes data: one line or more on stdout. */
  readonly data: (text: string) => void;
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

const painterFor =
  (sink: Sink, env: Environment['env']): Painter =>
  (paint, text) =>
    hasColours(sink, env) ? styleText(stylesOf(paint), text, { validateStream: false }) : text;

/** The voices of one invocation. */
export const createOutput = (
  { stdout, stderr, env }: Pick<Environment, 'stdout' | 'stderr' | 'env'>,
  { mode, quiet }: { readonly mode: OutputMode; readonly quiet: boolean },
): Output => ({
  mode,
  data: (text) => {
    stdout.write(`${text}\n`);
  },
  talk: (text) => {
    if (!quiet) stderr.write(`${text}\n`);
  },
  warn: (text) => {
    stderr.write(`${text}\n`);
  },
  paint: painterFor(stdout, env),
  paintTalk: painterFor(stderr, env),
  drawQr: null,
});
