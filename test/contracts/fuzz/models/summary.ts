/** What the comparison with the models came to. */
import { rowsOf, tableOf } from '../summary.js';
import { IMPLIED } from './implied.js';
import type { ModelTally } from './round.js';

const HEAD = [
  'contract',
  'function',
  'both allow',
  'both refuse',
  'they differ',
  'rules',
  'that decided',
] as const;
const LABELS = 2;

/** Rules of the models that have not decided alone, and are not implied by others, as `contract function: rule`. */
export const silentRules = (tally: ModelTally): string[] =>
  [...tally].flatMap(([label, { rules }]) =>
    [...rules]
      .filter(([, decided]) => decided === 0)
      .map(([rule]) => `${label}: ${rule}`)
      .filter((rule) => IMPLIED[rule] === undefined),
  );

/** Calls by contract and function, and the rules of the models, each of which should have decided alone once. */
export const modelSummary = (tally: ModelTally): string =>
  [
    tableOf(
      [
        [...HEAD],
        ...rowsOf(tally, ({ allowed, refused, differ, rules }) => [
          allowed,
          refused,
          differ,
          rules.size,
          [...rules.values()].filter((decided) => decided > 0).length,
        ]).map((row) => (row[0] === 'all' ? ['all', '-', ...row.slice(3)] : row)),
      ],
      LABELS,
    ),
    ...silentRules(tally).map((rule) => `  never alone: ${rule}`),
  ].join('\n');
