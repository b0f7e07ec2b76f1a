/** The tables at the end of a run. */
import { loadArtifact, type ArtifactName } from '../../../src/covenant/artifact.js';
import type { FaultCounts, FaultTally } from './faults/round.js';
import type { Counts, Tally } from './round.js';

const HEAD = ['contract', 'function', 'pool', 'mutants', 'refused', 'accepted', 'broken'] as const;
const FAULT_HEAD = [
  'contract',
  'function',
  'pool',
  'allowed',
  'faults',
  'refused by their rule',
  'by another',
  'accepted',
] as const;

const LABELS = 3;

/** Lines of columns: the labels to the left, the figures to the right. */
export const tableOf = (rows: readonly (readonly string[])[], labels = LABELS): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column < labels ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const sumOf = (figures: readonly (readonly number[])[]): number[] =>
  figures.reduce<number[]>((all, row) => row.map((figure, index) => figure + (all[index] ?? 0)), []);

/** The rows of a tally in the order of their labels, and their sum. */
export const rowsOf = <T>(tally: ReadonlyMap<string, T>, figuresOf: (counts: T) => number[]): string[][] => {
  const figures = [...tally].map(([label, counts]) => [label, figuresOf(counts)] as const);
  const rowOf = (label: string, row: readonly number[]): string[] => [
    ...label.split(' '),
    ...row.map(String),
  ];
  return [
    ...figures.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([label, row]) => rowOf(label, row)),
    rowOf('all - -', sumOf(figures.map(([, row]) => row))),
  ];
};

/** Mutants by contract, function and asset: refused, accepted, and accepted though they break an invariant. */
export const summary = (tally: Tally): string =>
  tableOf([
    [...HEAD],
    ...rowsOf(tally, ({ mutants, refused, accepted, broken }: Counts) => [
      mutants,
      refused,
      accepted,
      broken,
    ]),
  ]);

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((a, b) => a + b, 0);

/** Messages of a contract's checks, each once. */
const messagesOf = (contract: string): string[] => [
  ...new Set(
    (loadArtifact(contract as ArtifactName).debug?.requires ?? []).flatMap(({ message }) => message ?? []),
  ),
];

/** How many of a contract's rules refused something, and which refused nothing. */
const rulesOf = (tally: FaultTally): string[] => {
  const contracts = new Set([...tally.keys()].map((label) => label.split(' ')[0] ?? label));
  return [...contracts, 'token-reserve'].sort().map((contract) => {
    // Every covenant that holds a pool has a reserve.
    const labels = [...tally].filter(
      ([label]) => contract === 'token-reserve' || label.startsWith(`${contract} `),
    );
    const broken = new Set(labels.flatMap(([, { rules }]) => [...rules.keys()]));
    const messages = messagesOf(contract);
    const silent = messages.filter((message) => !broken.has(message));
    const refused = `${contract}: ${messages.length - silent.length} of ${messages.length} rules refused something`;
    return [refused, ...silent.map((message) => `  not "${message}"`)].join('\n');
  });
};

/** Faults by contract, function and asset, what refused them otherwise than meant, and the rules that refused. */
export const faultSummary = (tally: FaultTally): string => {
  const table = tableOf([
    [...FAULT_HEAD],
    ...rowsOf(tally, ({ legit, faults, named, astray, accepted }: FaultCounts) => [
      legit,
      faults,
      named,
      sum(astray),
      accepted,
    ]),
  ]);
  const astray = [...tally].flatMap(([label, counts]) =>
    [...counts.astray].map(([what, count]) => `${label}: ${what} (${count})`),
  );
  return [table, ...astray, ...rulesOf(tally)].join('\n');
};
