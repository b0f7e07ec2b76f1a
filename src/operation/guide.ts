/**
 * What the guided way of a create asks where its input's schema does not say it: data beside the operation. The questions
 * themselves come from the schema; without any of this a create is asked field by field in the order of its input.
 */
import type { z } from 'zod';
import type { Caller, Context } from './context.js';
import type { Awaitable } from './ports/store.js';

/** What is answered so far, in the form that the input takes, asides included. */
export type Answers = Readonly<Record<string, unknown>>;

/** Where a question stands. */
export type Around = {
  readonly answers: Answers;
  /** Of an item in its list, from 0; else 0. */
  readonly index: number;
  readonly context: Context;
  readonly caller: Caller | null;
};

/** Something that can be chosen. */
export type GuideChoice = {
  /** What stands in the input. */
  readonly value: string;
  /** How it reads. */
  readonly name: string;
};

/** What there is to say of one field, or of one column of a list. All of it may be left out. */
export type GuideQuestion = {
  /** What is asked, in words. Default: the field's description. */
  readonly ask?: string;
  /** What Enter means where nothing is suggested: `open-ended`. */
  readonly enter?: string;
  /** What it is called where its name does not say it, or one of a list: `Milestone`. */
  readonly item?: string;
  /** True for what is never asked: the operation's own default holds. */
  readonly skip?: true;
  /** False where it makes no sense after what was answered. */
  readonly when?: (answers: Answers) => boolean;
  /** True where the operation needs it although its schema does not say so. */
  readonly isNeeded?: true;
  /** What Enter takes, as a person would write it. */
  readonly suggest?: (around: Around) => Awaitable<string | null>;
  /** What is known without asking, with what is to be said of it. */
  readonly known?: (around: Around) => Awaitable<{ readonly value: string; readonly note: string } | null>;
  /** What there is to choose from; where there is nothing, it is asked as text. */
  readonly choices?: (around: Around) => Awaitable<readonly GuideChoice[]>;
  /** Of a list: that no two are the same, as what is said of one that is there already. */
  readonly unlike?: string;
  /** Of a list of objects: its columns. */
  readonly columns?: Readonly<Record<string, GuideQuestion>>;
  /** Of a list of objects: the column that is added up, and the answer that it is to come to. */
  readonly sum?: { readonly column: string; readonly to: string };
};

/** The guided way of a create. */
export type Guide = {
  /** Said first, one sentence. */
  readonly intro?: string;
  /** Names of fields and asides in the order in which they are asked; those that are not named follow. */
  readonly order?: readonly string[];
  readonly questions?: Readonly<Record<string, GuideQuestion>>;
  /** Questions that are no fields of the input: what helps to ask for the others. */
  readonly asides?: z.ZodObject;
};
