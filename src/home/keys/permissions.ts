/** What `--allow` says, against what there is: a key that names nothing would look safe and do nothing. */
import { invalidField } from '../../errors.js';
import { nearestName } from '../../nearest-name.js';
import { operationsOf, type Offer } from '../../operation/define.js';
import { permissionOf } from '../../operation/script-keys/scope.js';

/** What every pattern is, for messages. */
const EXPECTED = 'streams:claim, streams:read, streams:* or *:read';

/** A step and its confirmation by what people call the step: `streams:fund`. */
type Steps = ReadonlyMap<string, readonly string[]>;

/** What a key may be allowed at all. */
export type Permissions = {
  /** `streams:claim` for each operation that a key may do. */
  readonly known: ReadonlySet<string>;
  /** Those that none may do. */
  readonly never: ReadonlySet<string>;
  readonly nouns: ReadonlySet<string>;
  readonly steps: Steps;
};

const nounOf = (permission: string): string => permission.split(':')[0] ?? '';

/** What keys may be allowed, of all that there is. */
export const permissionsOf = (offers: readonly Offer[]): Permissions => {
  const routed = operationsOf(offers).filter(({ http, forKeys }) => http !== undefined && forKeys !== 'open');
  const known = routed.filter(({ forKeys }) => forKeys !== 'never').map(permissionOf);
  const never = operationsOf(offers)
    .map(permissionOf)
    .filter((permission) => !known.includes(permission));
  const steps = offers.flatMap((offer): (readonly [string, readonly string[]])[] => {
    if (!('kind' in offer)) return [];
    const both = [permissionOf(offer.build), permissionOf(offer.confirm)];
    if (!both.every((permission) => known.includes(permission))) return [];
    const [build = ''] = both;
    return [
      [build, both],
      [`${nounOf(build)}:${offer.verb}`, both],
    ];
  });
  return {
    known: new Set(known),
    never: new Set(never),
    nouns: new Set(known.map(nounOf)),
    steps: new Map(steps),
  };
};

/** The patterns that one word of `--allow` stands for. @throws invalid_input */
const readOne = (text: string, { known, never, nouns, steps }: Permissions): readonly string[] => {
  const refuse = (reason: string) => invalidField('allow', `"${text}" ${reason}`);
  const [, noun = '', verb = ''] = /^(\*|[a-z-]+):(\*|[a-z-]+)$/.exec(text) ?? [];
  if (noun === '') throw refuse(`is none: expected ${EXPECTED}`);
  if (noun === '*') {
    if (verb === 'read') return [text];
    throw refuse('would allow more than anybody means: name the noun, or take *:read');
  }
  const nearestNoun = nearestName(noun, [...nouns]);
  if (!nouns.has(noun)) {
    if ([...never].some((permission) => nounOf(permission) === noun))
      throw refuse('can be allowed to no key: it is for people');
    throw refuse(`is about nothing that there is${nearestNoun === null ? '' : `: ${nearestNoun}?`}`);
  }
  if (verb === '*' || verb === 'read') return [text];
  const step = steps.get(text);
  if (step !== undefined) return step;
  if (known.has(text)) return [text];
  if (never.has(text)) throw refuse('can be allowed to no key: it is for people');
  const verbs = [...known, ...steps.keys()].filter((permission) => nounOf(permission) === noun);
  const nearest = nearestName(text, verbs);
  throw refuse(
    `is nothing that there is${nearest === null ? `: the routes of ${noun} are in GET /api/openapi.json` : `: ${nearest}?`}`,
  );
};

/**
 * The patterns of `--allow`, each in full: a step stands for what builds it and what confirms it.
 *
 * @param words each may have several, separated by commas
 * @throws invalid_input
 */
export const readPermissions = (words: readonly string[], permissions: Permissions): readonly string[] => {
  const texts = words.flatMap((word) => word.split(',')).map((text) => text.trim().toLowerCase());
  const named = texts.filter((text) => text !== '');
  if (named.length === 0) throw invalidField('allow', `is empty: expected ${EXPECTED}`);
  return [...new Set(named.flatMap((text) => readOne(text, permissions)))];
};
