/** What was played, in a few lines. */

/** By what was counted, such as `move: streams.claim: done`: how often. */
export type Counts = ReadonlyMap<string, number>;

const OUTCOMES = ['done', 'refused', 'unanswered', 'failed'] as const;
const COLUMNS = [...OUTCOMES, 'on chain', 'in tokens'] as const;

type Row = Record<(typeof COLUMNS)[number], number>;

const READING = /\.(?:show|list|status|--all|recount|claimable)$|^status|^sync|^vaults\.spend show$/;

/** A move by the same name, whether it was asked for over HTTP or at the terminal. */
const nameOf = (told: string): string => {
  const name = told
    .replace(/^treasury (\S+) /, '$1.')
    .replace(/^treasury /, '')
    .replace('funding-info', 'fund')
    .replace('vaults.spend ', 'vaults.spend-');
  if (/\.(?:confirm|update-balance)/.test(name)) return 'confirmations';
  return READING.test(name) ? 'readings' : name;
};

const rowsOf = (counts: Counts): ReadonlyMap<string, Row> => {
  const rows = new Map<string, Row>();
  const add = (told: string, column: keyof Row, times: number): void => {
    const name = nameOf(told);
    const row = rows.get(name) ?? {
      done: 0,
      refused: 0,
      unanswered: 0,
      failed: 0,
      'on chain': 0,
      'in tokens': 0,
    };
    rows.set(name, row);
    row[column] += times;
  };
  for (const [what, times] of counts) {
    const [group, name = '', outcome] = what.split(': ');
    if (group === 'move') add(name, outcome as keyof Row, times);
    if (group !== 'on chain') continue;
    add(name.replace(' in tokens', ''), 'on chain', times);
    if (name.endsWith(' in tokens')) add(name.replace(' in tokens', ''), 'in tokens', times);
  }
  return rows;
};

const WIDTH = 11;

const tableOf = (counts: Counts): readonly string[] => [
  `${'moves'.padEnd(28)}${COLUMNS.map((column) => column.padStart(WIDTH)).join('')}`,
  ...[...rowsOf(counts)]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([name, row]) =>
        `${name.padEnd(28)}${COLUMNS.map((column) => (row[column] === 0 ? '' : String(row[column])).padStart(WIDTH)).join('')}`,
    ),
];

/** One group on one line. */
const lineOf = (counts: Counts, group: string, title: string): string => {
  const own = [...counts].flatMap(([what, times]) =>
    what.startsWith(`${group}: `) ? [[what.slice(group.length + 2), times] as const] : [],
  );
  const parts = own.sort(([a], [b]) => a.localeCompare(b)).map(([name, times]) => `${name} ${times}`);
  return `${title}: ${parts.join(', ')}`;
};

/** Moves by kind and what became of them; then faults, checks, answers and exit codes. */
export const summaryOf = (counts: Counts): readonly string[] => [
  ...tableOf(counts),
  lineOf(counts, 'fault', 'faults'),
  lineOf(counts, 'checked', 'checks'),
  lineOf(counts, 'told', 'events'),
  lineOf(counts, 'planned', 'planned by keepers'),
  lineOf(counts, 'answer', 'answers over HTTP'),
  lineOf(counts, 'exit', 'exit codes'),
];
