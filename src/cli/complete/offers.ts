/** What can stand where the cursor is. */
import type { DescribedArgument, DescribedCommand, DescribedOption } from './describe.js';
import type { HomeNames, NamedThing } from './home-names.js';
import type { Values } from './offer-at.js';

/** Words with what is said of each, or a place in the file system. */
export type Offers = { readonly words: readonly NamedThing[] } | { readonly place: 'files' | 'folders' };

const NONE: Offers = { words: [] };

/** What a value may be: asked of the home only where it is needed. */
const offersOf = (values: Values | null, names: () => HomeNames): Offers => {
  if (values === null) return NONE;
  if ('words' in values) return { words: values.words.map((word) => [word, '']) };
  if ('labelsOf' in values) {
    const { labels } = names();
    return {
      words: values.labelsOf === null ? Object.values(labels).flat() : (labels[values.labelsOf] ?? []),
    };
  }
  const { from } = values;
  return from === 'files' || from === 'folders' ? { place: from } : { words: names()[from] };
};

/** Where the words before the cursor have led. */
type Place = {
  readonly program: DescribedCommand;
  readonly command: DescribedCommand;
  readonly given: readonly string[];
  /** Words by position of the command. */
  readonly count: number;
  /** The flag whose value is to come. */
  readonly open: DescribedOption | null;
};

/** The flags that a command takes, its own first. */
const optionsAt = ({ program, command }: Place): readonly DescribedOption[] => [
  ...(command === program ? [] : command.options),
  ...program.options,
];

const optionOf = (place: Place, word: string): DescribedOption | null =>
  optionsAt(place).find(({ flag }) => flag === word) ?? null;

const placeAfter = (program: DescribedCommand, words: readonly string[]): Place =>
  words.reduce<Place>(step, { program, command: program, given: [], count: 0, open: null });

const step = (place: Place, word: string): Place => {
  const { command, given, count } = place;
  if (place.open !== null) return { ...place, open: null };
  if (word.startsWith('-')) {
    const [flag = '', value] = word.split('=');
    const option = optionOf(place, flag);
    const isOpen = option !== null && option.value !== null && value === undefined;
    return { ...place, given: [...given, flag], open: isOpen ? option : null };
  }
  const child = command.commands.find(({ name }) => name === word);
  return child === undefined ? { ...place, count: count + 1 } : { ...place, command: child, count: 0 };
};

/** The flags that can still be given. */
const flagsAt = (place: Place): readonly NamedThing[] =>
  optionsAt(place)
    .filter(({ flag, isMany, isHidden }) => !isHidden && (isMany || !place.given.includes(flag)))
    .map(({ flag, description }): NamedThing => [flag, description]);

const argumentAt = ({ args }: DescribedCommand, count: number): DescribedArgument | undefined => {
  const last = args.at(-1);
  return args[count] ?? (last?.isMany === true ? last : undefined);
};

const verbsOf = ({ commands }: DescribedCommand): readonly NamedThing[] =>
  commands.map(({ name, summary }): NamedThing => [name, summary]);

const prefixed = (offers: Offers, prefix: string): Offers =>
  'place' in offers
    ? offers
    : { words: offers.words.map(([word, about]): NamedThing => [`${prefix}${word}`, about]) };

const startingWith = (offers: Offers, start: string): Offers =>
  'place' in offers ? offers : { words: offers.words.filter(([word]) => word.startsWith(start)) };

/** A word in quotes comes in pieces from a shell that parts at blanks. */
const joinQuoted = (words: readonly string[]): readonly string[] => {
  const joined: string[] = [];
  let quote: string | null = null;
  for (const word of words) {
    if (quote === null) joined.push(word);
    else joined.push(`${joined.pop() ?? ''} ${word}`);
    const [first = ''] = word;
    if (quote === null && (first === '"' || first === "'")) quote = first;
    if (quote !== null && word.length > 1 && word.endsWith(quote)) quote = null;
  }
  return joined;
};

/**
 * What can follow.
 *
 * @param words - what stands after the program's name; the last is the one at the cursor, and may be empty
 */
export const offersFor = (
  program: DescribedCommand,
  words: readonly string[],
  names: () => HomeNames,
): Offers => {
  const before = joinQuoted(words.slice(0, -1));
  const current = words.at(-1) ?? '';
  // Help of a command is asked for by its words.
  const [first, ...rest] = before;
  if (first === 'help') {
    const { command } = placeAfter(program, rest);
    const topics = program.commands.find(({ name }) => name === 'help')?.args[0]?.values ?? null;
    const more = rest.length === 0 ? offersOf(topics, names) : NONE;
    return startingWith({ words: [...verbsOf(command), ...('words' in more ? more.words : [])] }, current);
  }
  const place = placeAfter(program, before);
  const { command, count, open } = place;
  if (open !== null) return startingWith(offersOf(open.values, names), current);
  const [, flag = '', start = ''] = /^(--[^=]+)=(.*)$/.exec(current) ?? [];
  if (flag !== '')
    return startingWith(
      prefixed(offersOf(optionOf(place, flag)?.values ?? null, names), `${flag}=`),
      `${flag}=${start}`,
    );
  if (current.startsWith('-')) return startingWith({ words: flagsAt(place) }, current);
  if (command.commands.length > 0)
    return count > 0 ? NONE : startingWith({ words: verbsOf(command) }, current);
  return startingWith(offersOf(argumentAt(command, count)?.values ?? null, names), current);
};
