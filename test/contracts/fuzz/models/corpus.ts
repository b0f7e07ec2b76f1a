/** What the contracts' own cases are made of, as spends to compare: every move, every attack, each aimed at one rule. */
import { EVERY_CONTRACT } from '../../harness/every-contract.js';
import { firstOfEach } from '../../harness/report.js';
import type { Spend } from '../../harness/spend.js';
import { probesOf } from './changes.js';
import { agree, compare, type Off } from './compare.js';
import { count, told, type Difference, type ModelTally } from './round.js';

type Case = { readonly name: string; readonly build: () => Spend };

const probed = (move: string, spend: Spend): Case[] =>
  probesOf(spend).map(({ name, spend: changed }) => ({ name: `${move}, ${name}`, build: () => changed }));

/** One in so many of all, and a move of every function: of all of them, with what chance meets too seldom. */
const casesOf = (oneIn: number): Case[] =>
  EVERY_CONTRACT.flatMap(({ contract, moves, attacks }) => {
    const all: Case[] = [
      ...moves.map(({ name, build }) => ({ name, build: () => build() })),
      ...attacks.map(({ name, build }) => ({ name, build })),
    ];
    return [
      ...firstOfEach(moves).flatMap(({ name, build }) => [
        { name, build: () => build() },
        ...(oneIn > 1 ? [] : probed(name, build())),
      ]),
      ...all.filter((_, index) => index % oneIn === 0),
    ].map(({ name, build }) => ({ name: `${contract} › ${name}`, build }));
  });

/** Compares the contracts' cases, counts, and returns where the judges differ. */
export const compareCases = (oneIn: number, tally: ModelTally, off: Off | null = null): Difference[] =>
  casesOf(oneIn).flatMap(({ name, build }) => {
    const spend = build();
    const compared = compare(spend, off);
    for (const each of compared) count(tally, each);
    return compared.every(agree) ? [] : [told(-1, { spend, names: [name] }, off)];
  });
