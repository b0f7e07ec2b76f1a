/** What is known of the terminal that is written to, and of who reads it. Off a terminal nothing is cut or added. */
import type { Environment, Sink } from './environment.js';

/** The rate that amounts are shown at. */
export type Rate = {
  /** USD per BCH. */
  readonly usd: number;
  /** How old it is, where that is worth saying: `3 hours old`. */
  readonly age: string | null;
};

/** Who reads. */
export type Reader = {
  /** Cash address of who is asking; null: nobody in particular. */
  readonly address: string | null;
  /** Wallets of this home by address. */
  readonly wallets: ReadonlyMap<string, string>;
};

export type Screen = {
  /** Columns; null: no terminal, nothing is cut, shortened or left out. */
  readonly columns: number | null;
  /** Rows of the terminal; null: not known. */
  readonly rows: number | null;
  /** Names of addresses: wallets of this home, and `@name` of contacts. */
  readonly names: ReadonlyMap<string, string>;
  /** Null: whoever that is. */
  readonly reader: Reader | null;
  /** True where addresses are never shortened, however narrow it is: where somebody is asked whether they are right. */
  readonly isWhole: boolean;
  /** Where an address or a transaction is looked at; null: the terminal or the network knows no links. */
  readonly linkTo: ((kind: 'address' | 'tx', id: string) => string) | null;
  readonly rate: Rate | null;
  /** The columns that tables are to have, by the names of `--columns`; null: those that there is room for. */
  readonly chosen: readonly string[] | null;
};

/** What is drawn where there is no terminal. */
export const NO_SCREEN: Screen = {
  columns: null,
  rows: null,
  names: new Map(),
  reader: null,
  isWhole: false,
  linkTo: null,
  rate: null,
  chosen: null,
};

const LEAST_COLUMNS = 20;
const USUAL_COLUMNS = 80;

/** Columns of a terminal: its own, else those of COLUMNS, else 80; null when it is none. */
const columnsOf = ({ isTTY, columns }: Sink, env: Environment['env']): number | null => {
  if (isTTY !== true) return null;
  const said = Number(env['COLUMNS']);
  const known = [columns, said].find((count) => count !== undefined && Number.isInteger(count) && count > 0);
  return Math.max(LEAST_COLUMNS, known ?? USUAL_COLUMNS);
};

/** The screen of a stream, before anything is known of who reads. */
export const screenOf = (sink: Sink, env: Environment['env']): Screen => ({
  ...NO_SCREEN,
  columns: columnsOf(sink, env),
  rows: sink.isTTY === true && sink.rows !== undefined && sink.rows > 0 ? sink.rows : null,
});

/** Programs that show OSC 8 links, as they name themselves in TERM_PROGRAM. */
const LINKING = ['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'Tabby', 'rio', 'WarpTerminal'];

/** VTE, on which many terminals stand, shows them from 0.50 on. */
const LINKING_VTE = 5_000;

/** True for a terminal that shows links instead of printing what they are made of. FORCE_HYPERLINK decides where it is set. */
export const showsLinks = ({ isTTY }: Sink, env: Environment['env']): boolean => {
  const forced = env['FORCE_HYPERLINK'];
  if (isTTY !== true || env['TERM'] === 'dumb') return false;
  if (forced !== undefined && forced !== '') return forced !== '0';
  if (env['CI'] !== undefined || env['TMUX'] !== undefined) return false;
  return (
    LINKING.includes(env['TERM_PROGRAM'] ?? '') ||
    ['KITTY_WINDOW_ID', 'WT_SESSION', 'KONSOLE_VERSION', 'DOMTERM'].some((name) => env[name] !== undefined) ||
    /^(?:xterm-kitty|alacritty|foot|contour)/.test(env['TERM'] ?? '') ||
    Number(env['VTE_VERSION']) >= LINKING_VTE
  );
};
