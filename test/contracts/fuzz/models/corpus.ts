/** What the contracts' own cases are made of, as spends to compare: every move, every attack, each aimed at one rule. */
import { EVERY_CONTRACT } from '../../harness/every-contract.js';
import type { Spend } from '../../harness/spend.js';
import { agree, compare, type Off } from './compare.js';
import { count, told, type Difference, type ModelTally } from './round.js';

type Case = { readonly name: string; readonly build: () => Spend };

const everyCase = (): Case[] =>
  EVERY_CONTRACT.flatMap(({ contract, moves, attacks }) => [
    ...moves.map(({ name, build }) => ({ name: `${contract} › ${name}`, build: () => build() })),
    ...attacks.map(({ name, build }) => ({ name: `${contract} › ${name}`, build })),
  ]);

/** Compares one case in so many, counts, and returns where the judges differ. */
export const compareCases = (oneIn: number, tally: ModelTally, off: Off | null = null): Difference[] =>
  everyCase()
    .filter((_, index) => index % oneIn === 0)
    .flatMap(({ name, build }) => {
      const spend = build();
      const compared = compare(spend, off);
      for (const each of compared) count(tally, each);
      return compared.every(agree) ? [] : [told(-1, { spend, names: [name] }, off)];
    });
