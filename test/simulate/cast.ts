/** Who plays, and what each move of a plan is given. */
import type { Person } from '../../fixtures/people.js';
import type { Json } from './processes.js';
import type { Random } from './random.js';
import type { Known, OpenedWorld } from './world.js';

/** One move of a plan, with choices of its own. */
export type Play = { readonly world: OpenedWorld; readonly random: Random; readonly tag: string };

export const DAY = 86_400;

export const seconds = ({ world }: Play): number => Math.floor(world.timeline.wall() / 1_000);

/** The honest: the last of the people is a thief. */
export const honest = ({ world }: Play): readonly Person[] => world.people.slice(0, -1);
export const thief = ({ world }: Play): Person => world.people.at(-1) as Person;

export const others = (play: Play, who: Person): readonly Person[] =>
  honest(play).filter((one) => one !== who);

/** Half of what is made is in tokens, where there are some. */
export const assetOf = ({ world, random }: Play, who: Person): string | null => {
  const [category] = world.tokens;
  return category !== undefined && who.name === 'alice' && random.chance(0.6) ? category : null;
};

export const assetFields = (category: string | null): Json =>
  category === null ? {} : { tokenType: 'FUNGIBLE_TOKEN', tokenCategory: category };

/** One of the records of some nouns that somebody was told of; null when there is none. */
export const knownOf = ({ world, random }: Play, nouns: readonly string[]): Known | null => {
  const found = world.known.filter(({ noun }) => nouns.includes(noun));
  return found.length === 0 ? null : random.pick(found);
};
