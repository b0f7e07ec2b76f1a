/** The table at the end of a run. */
import type { Counts, Tally } from './round.js';

const HEAD = ['contract', 'function', 'pool', 'mutants', 'refused', 'accepted', 'broken'] as const;

const rowOf = (label: string, { mutants, refused, accepted, broken }: Counts): string[] => [
  ...label.split(' '),
  ...[mutants, refused, accepted, broken].map(String),
];

/** Mutants by contract, function and asset: refused, accepted, and accepted though they break an invariant. */
export const summary = (tally: Tally): string => {
  const labels = [...tally.keys()].sort();
  const sum = [...tally.values()].reduce<Counts>(
    (all, counts) => ({
      mutants: all.mutants + counts.mutants,
      accepted: all.accepted + counts.accepted,
      refused: all.refused + counts.refused,
      broken: all.broken + counts.broken,
    }),
    { mutants: 0, accepted: 0, refused: 0, broken: 0 },
  );
  const rows = [
    [...HEAD],
    ...labels.map((label) => rowOf(label, tally.get(label) ?? sum)),
    rowOf('all - -', sum),
  ];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column < 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
