/**
 * Own words: what whoever makes a record calls it (`--label`), and what they note (`--note`). They are told apart from
 * its number label (`#REWARD-0001`), bind nothing, and never leave the program but with the record itself.
 */
import { z } from 'zod';
import type { Context, OwnWords } from '../operation/context.js';
import { defineOperation, type Auth, type CommandFace, type Operation } from '../operation/define.js';
import type { Guide } from '../operation/guide.js';

/** Control characters, separators of lines, and marks that turn the direction of text: none can be seen. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const MOST_LABEL = 60;
const MOST_NOTE = 500;

const words = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'is empty: leave it out instead')
    .max(most, `is longer than ${most} characters`)
    .refine(
      (text) => !UNSEEN.test(text),
      'has a character that cannot be seen (a line break, a control character)',
    );

/** What a request that makes a record may say of it. */
const RequestFields = {
  label: words(MOST_LABEL)
    .optional()
    .describe(
      'Own words for it, at most 60 characters: they go into lists and exports; whoever may read it reads them',
    ),
  note: words(MOST_NOTE)
    .optional()
    .describe('A note of your own, at most 500 characters; whoever may read it reads it'),
};

/** The fields of a record that keep them. A record of before has none. */
export const OwnWordsFields = {
  own_label: z.string().nullable().default(null).describe('What its maker calls it'),
  own_note: z.string().nullable().default(null).describe('What its maker notes'),
};

/** A record's own words. */
export type Worded = { readonly own_label: string | null; readonly own_note: string | null };

/** The fields of a new record. */
export const ownWordsOf = ({ ownWords }: Pick<Context, 'ownWords'>): Worded => ({
  own_label: ownWords?.label ?? null,
  own_note: ownWords?.note ?? null,
});

/** Said with a flag or not at all: whoever makes a record at a terminal has enough to answer. */
const UNASKED: Guide['questions'] = { label: { skip: true }, note: { skip: true } };

const withoutQuestions = (cli: CommandFace | false = {}): CommandFace | false =>
  cli === false || cli.guide === false
    ? cli
    : { ...cli, guide: { ...cli.guide, questions: { ...cli.guide?.questions, ...UNASKED } } };

/** An operation that makes a record, with `label` and `note` in its input: what it makes takes them from the context. */
export const withOwnWords = <Shape extends z.ZodRawShape, Output extends z.ZodType, A extends Auth>(
  operation: Operation<z.ZodObject<Shape>, Output, A>,
) =>
  defineOperation({
    ...(operation as Operation<z.ZodObject, Output, A>),
    input: (operation.input as z.ZodObject).safeExtend(RequestFields),
    cli: withoutQuestions(operation.cli),
    run: ({ label, note, ...input }, context) => {
      const said = { label, note } as { readonly [Name in keyof OwnWords]?: string };
      const ownWords: OwnWords = { label: said.label ?? null, note: said.note ?? null };
      return operation.run(input as z.output<z.ZodObject<Shape>>, { ...context, ownWords });
    },
  });

/** A label with the own words behind it, for a cell of a list: `#REWARD-0001 "Bounties"`. */
export const wordedLabel = (label: string, { own_label: own }: Partial<Worded>): string =>
  own == null ? label : `${label} "${own}"`;

/** The rows of facts that show them. */
export const wordRows = ({
  own_label: label,
  own_note: note,
}: Partial<Worded>): readonly (readonly [string, string])[] => [
  ...(label == null ? [] : [['Own label', label] as const]),
  ...(note == null ? [] : [['Own note', note] as const]),
];
