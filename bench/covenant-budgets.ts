/**
 * What every covenant may cost at most: each function, in each pool, by `covenant-budgets.json`. Sizes and operations are
 * counted, so that the same source always costs the same, and a budget is what it costs today.
 *
 *   node scripts/compile.js bench/covenant-budgets.ts                   compares
 *   node scripts/compile.js bench/covenant-budgets.ts --raise stream    writes the budgets of that contract anew, on purpose
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { weights, type Weight } from '../test/contracts/harness/report.js';

/** The most that a function may cost. */
export type Budget = {
  /** Bytes of the unlocking script. */
  readonly unlocking: number;
  /** Bytes of the transaction, and satoshis of its fee at one a byte. */
  readonly transaction: number;
  /** Satoshis that are locked beside the pool. */
  readonly dust: number;
  /** Operation cost, percent of what the VM allows to the input. */
  readonly cost: number;
};
/** By contract, function and pool: `stream claim, 8 segments (BCH)`. */
export type Budgets = Readonly<Record<string, Budget>>;

/** In the checkout: what is compiled runs beside a copy of it. */
const FILE = new URL('../../bench/covenant-budgets.json', import.meta.url);

/** The budgets as they are committed. */
export const readBudgets = (): Budgets => JSON.parse(readFileSync(FILE, 'utf8')) as Budgets;

const labelOf = ({ contract, name, asset }: Weight): string => `${contract} ${name} (${asset})`;
const isOf = (contract: string, label: string): boolean => label.startsWith(`${contract} `);

/** The budgets of one contract. */
export const budgetsOf = (contract: string, budgets: Budgets): Budgets =>
  Object.fromEntries(Object.entries(budgets).filter(([label]) => isOf(contract, label)));

/** What it costs now, a share of operations rounded up to a tenth of a percent. */
const costOf = ({ unlocking, transaction, dust, cost }: Weight): Budget => ({
  unlocking,
  transaction,
  dust,
  cost: Math.ceil(cost * 10) / 10,
});

const FIGURES = ['unlocking', 'transaction', 'dust', 'cost'] as const;

/** What costs more than its budget, or has none, in words; and budgets that nothing has any more. */
export const overBudget = (weighed: readonly Weight[], budgets: Budgets): string[] => {
  const labels = new Set(weighed.map(labelOf));
  const over = weighed.flatMap((weight) => {
    const budget = budgets[labelOf(weight)];
    const cost = costOf(weight);
    if (budget === undefined) return [`${labelOf(weight)} has no budget`];
    return FIGURES.filter((figure) => cost[figure] > budget[figure]).map(
      (figure) => `${labelOf(weight)}: ${figure} ${cost[figure]}, budget ${budget[figure]}`,
    );
  });
  const gone = Object.keys(budgets).filter((label) => !labels.has(label));
  return [...over, ...gone.map((label) => `${label} is budgeted, and is no function`)];
};

/** Of a budget: what costs less leaves room in which the next growth would hide. */
const LEAST_SHARE = 0.98;

/** What costs so much less than its budget that the budget should follow. */
export const slackBudgets = (weighed: readonly Weight[], budgets: Budgets): string[] =>
  weighed
    .filter((weight) => {
      const budget = budgets[labelOf(weight)];
      const cost = costOf(weight);
      return budget !== undefined && FIGURES.some((figure) => cost[figure] < budget[figure] * LEAST_SHARE);
    })
    .map(labelOf);

/** Writes the budgets of a contract as it costs now. */
const raise = (contract: string): void => {
  const own = weights(contract).map((weight) => [labelOf(weight), costOf(weight)] as const);
  if (own.length === 0) throw new Error(`no contract is called ${contract}`);
  const others = Object.entries(readBudgets()).filter(([label]) => !isOf(contract, label));
  const all = [...others, ...own].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = all.map(([label, budget]) => `  ${JSON.stringify(label)}: ${JSON.stringify(budget)}`);
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({ options: { raise: { type: 'string', multiple: true } } });
  for (const contract of values.raise ?? []) raise(contract);
  const over = values.raise === undefined ? overBudget(weights(), readBudgets()) : [];
  for (const line of over) console.error(line);
  process.exitCode = over.length === 0 ? 0 : 1;
}
