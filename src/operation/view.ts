/** What a reply reads like for people: blocks, which the command line and the page draw. */
import type { Column } from './columns.js';

/** Colours that a view may ask for; without colours the text says the same. */
export type Tone = 'green' | 'yellow' | 'red' | 'cyan' | 'dim';

/**
 * Blocks for people. The command line draws them; `--json` never sees them. A text `from` others is what strangers wrote:
 * it is set apart, so that nobody takes it for what this program says.
 */
export type ViewBlock =
  | { readonly kind: 'text'; readonly text: string; readonly from?: 'others' }
  /** What other programs read, as it is to the last byte. */
  | { readonly kind: 'file'; readonly text: string }
  /** A picture made of lines, for at most that many columns. */
  | { readonly kind: 'drawing'; readonly draw: (columns: number) => string }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [label: string, value: string])[] }
  | {
      readonly kind: 'table';
      /** A title alone is a column of text; see `columns.ts`. */
      readonly head: readonly (string | Column)[];
      readonly rows: readonly (readonly string[])[];
      /** What stands there instead where there are no rows; nothing of it where that is empty. */
      readonly empty?: string;
      /** Colours of cells, by their whole text. They repeat what the text says. */
      readonly tones?: Readonly<Record<string, Tone>>;
    }
  /** Things to be done, each with the command that does it; null: there is nothing to do but wait. */
  | {
      readonly kind: 'tasks';
      readonly title: string;
      readonly items: readonly {
        readonly label: string;
        readonly text: string;
        readonly command: string | null;
      }[];
      /** Said when more are left out. */
      readonly more?: string | null;
    }
  /** An address to be paid, as a picture: drawn only when `--qr` asks for it. */
  | { readonly kind: 'qr'; readonly address: string }
  | {
      readonly kind: 'next';
      readonly command: string;
      readonly why: string;
      /** Cash addresses of those who may do it; absent: anybody. Others are not told to. */
      readonly by?: readonly string[];
    };

export type View = readonly ViewBlock[];
