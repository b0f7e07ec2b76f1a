/**
 * What the covenants cost: bytes of each unlocking script, bytes of the transaction, VM operation cost as a share of
 * its budget, and how long a claim takes to verify.
 *
 * Aims: unlocking scripts below 2,200 bytes with up to 8 segments or milestones, and below 10,000 (what nodes relay)
 * with 30; operation cost below half its budget. The time is a ratio against the same run's baseline: a
 * payment from one key to another with as many inputs.
 */
import { pathToFileURL } from 'node:url';
import { weights, type Weight } from '../test/contracts/harness/report.js';
import { owned, plain } from '../test/contracts/harness/coins.js';
import { cases } from '../test/contracts/stream.cases.js';
import { recipient } from '../test/contracts/harness/parties.js';
import { buildTransaction, type Built, type Spend } from '../test/contracts/harness/spend.js';
import { MACHINES } from '../test/contracts/harness/verdict.js';

/** One line of the result for each function, asset and size; amounts in bytes and percent. */
export type CostRow = Weight & { readonly isWithin: boolean };

/** One line of the result: milliseconds of the median verification, and how many baselines that is. */
export type TimeRow = {
  readonly what: string;
  readonly inputs: number;
  readonly medianMs: number;
  readonly ratio: number;
};

const ORDINARY_BYTES = 2_200;
const LARGEST_BYTES = 10_000;
const ORDINARY_COUNT = 8;
const LARGEST_COST = 50;

const isWithin = ({ unlocking, count, cost }: Weight): boolean =>
  unlocking < (count <= ORDINARY_COUNT ? ORDINARY_BYTES : LARGEST_BYTES) && cost < LARGEST_COST;

/** The weight of every function, and whether it keeps the aims. */
export const weighCovenants = (): readonly CostRow[] =>
  weights().map((weight) => ({ ...weight, isWithin: isWithin(weight) }));

const ROUNDS = 200;
const WARM_UP = 50;

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;

const verify = (built: Built): number => {
  const from = performance.now();
  const verdict = MACHINES['2026'].verify(built);
  if (verdict !== true) throw new Error(verdict);
  return performance.now() - from;
};

/** A payment with as many inputs, each of one key. */
const baselineOf = ({ inputs }: Spend): Spend => ({
  inputs: inputs.map((_, index) => owned(`coin ${index}`, recipient, plain(recipient.lock, 50_000n))),
  outputs: [plain(recipient.lock, 40_000n)],
  locktime: 0,
  chainTime: 0,
});

/** Both by turns, so that they meet the same machine. */
const timeAgainst = (what: string, spend: Spend): readonly TimeRow[] => {
  const [claim, baseline] = [buildTransaction(spend), buildTransaction(baselineOf(spend))];
  const times: readonly [number[], number[]] = [[], []];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const [one, two] = [verify(claim), verify(baseline)];
    if (round < WARM_UP) continue;
    times[0].push(one);
    times[1].push(two);
  }
  const [ours, theirs] = [median(times[0]), median(times[1])];
  const row = (name: string, medianMs: number): TimeRow => ({
    what: name,
    inputs: spend.inputs.length,
    medianMs: Number(medianMs.toFixed(2)),
    ratio: Number((medianMs / theirs).toFixed(2)),
  });
  return [row(`${what}, baseline`, theirs), row(what, ours)];
};

/** How long a claim of a stream takes to verify, in BCH and in tokens. */
export const timeClaims = (): readonly TimeRow[] =>
  cases.moves
    .filter(({ name }) => name === 'claim › all that has vested')
    .flatMap(({ asset, build }) => timeAgainst(`stream claim (${asset})`, build()));

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const rows = weighCovenants();
  console.table(rows.map(({ cost, count: _, ...row }) => ({ ...row, cost: `${cost.toFixed(1)} %` })));
  console.table(timeClaims());
  const over = rows.filter((row) => !row.isWithin);
  for (const { contract, name, asset } of over) console.error(`over its aim: ${contract} ${name} (${asset})`);
  process.exitCode = over.length === 0 ? 0 : 1;
}
