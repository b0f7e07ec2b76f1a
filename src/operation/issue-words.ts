/**
 * What is wrong with a value, in words for people and the same on every face. The schema library's own sentences
 * (`Invalid option: expected one of "A"|"B"`) are replaced; what a schema says itself stays.
 */
import { z } from 'zod';

/** `A, B or C`. */
const listOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object with named fields',
  record: 'an object with named fields',
  null: 'nothing (null)',
  bigint: 'a whole number',
};

const typeOf = (name: string): string => TYPES[name] ?? `a value of the kind ${name}`;

/** What a size counts, by the kind of value that has it. */
const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };

type Sized = {
  readonly origin: string;
  readonly bound: number | bigint;
  readonly inclusive: boolean | undefined;
};

const sizeText = (word: 'at most' | 'at least', { origin, bound, inclusive }: Sized): string => {
  const unit = UNITS[origin];
  if (unit !== undefined)
    return word === 'at least' && Number(bound) === 1
      ? `expected ${origin === 'array' ? 'at least one item' : 'a text that is not empty'}`
      : `expected ${word} ${bound} ${unit}`;
  if (inclusive !== false) return `expected ${word} ${bound}`;
  return `expected ${word === 'at most' ? 'less' : 'more'} than ${bound}`;
};

/** The sentence of an issue. Source: zod's `$ZodRawIssue`. */
const wordsOf = (issue: z.core.$ZodRawIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${typeOf(issue.expected)}`;
    case 'invalid_value':
      return `expected ${listOf(issue.values.map(String))}`;
    case 'too_big':
      return sizeText('at most', { origin: issue.origin, bound: issue.maximum, inclusive: issue.inclusive });
    case 'too_small':
      return sizeText('at least', { origin: issue.origin, bound: issue.minimum, inclusive: issue.inclusive });
    case 'not_multiple_of':
      return `expected a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has fields that are not known: ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return 'is none of the forms that are taken here';
    default:
      return 'is not usable here';
  }
};

/** Makes every schema speak like this. It is called once, before anything is read. */
export const speakPlainly = (): void => {
  z.config({ localeError: wordsOf });
};
