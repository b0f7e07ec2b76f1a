/**
 * The fuzzer: mutates valid spends of every contract and function, in both assets, signs them again as hostile parties
 * would, and fails when the virtual machine and the chain accept one that breaks an invariant (I1 to I10, I13). Beside them
 * it makes faults: spends that break one rule, fit otherwise and are signed by all who must; each is to be refused, and
 * by that rule. And it asks the models (`test/contracts/models/`) of every call: what the contract's script allows the
 * model must allow, and the other way round.
 *
 *   npm run fuzz -- --minutes 30 --seed 1      for so long
 *   npm run fuzz -- --rounds 200 --seed 1      so many rounds, the same every time
 *   npm run fuzz -- --round 17 --seed 1        one round again
 *
 * A round is one random world (terms, and a few moves into its life), some mutants of every move that was tried in it,
 * and some faults of every function; it depends on the seed and its number alone.
 */
import { parseArgs } from 'node:util';
import { replaceArtifact } from '../test/contracts/harness/bound.js';
import { faultRound, type FaultTally } from '../test/contracts/fuzz/faults/round.js';
import { modelRound, type Difference, type ModelTally } from '../test/contracts/fuzz/models/round.js';
import { modelSummary } from '../test/contracts/fuzz/models/summary.js';
import { fuzzRound, type Finding, type Tally } from '../test/contracts/fuzz/round.js';
import { faultSummary, summary } from '../test/contracts/fuzz/summary.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string' },
    round: { type: 'string' },
  },
});

const seed = Number(values.seed);
const first = values.round === undefined ? 0 : Number(values.round);
const last = values.round === undefined ? Number(values.rounds ?? Infinity) - 1 : first;
const until = performance.now() + (values.rounds === undefined ? Number(values.minutes) : Infinity) * 60_000;
const PROGRESS_MS = 15_000;
const FORGET_EVERY = 100;

const report = ({ violations, ...finding }: Finding): void => {
  for (const { invariant, what } of violations) console.error(`\nBROKEN ${invariant}: ${what}`);
  console.error(JSON.stringify(finding, null, 2));
  console.error(`again: npm run fuzz -- --seed ${seed} --round ${finding.round}`);
};

const tell = (difference: Difference): void => {
  const { contract, call, contractSays, modelSays, round: number } = difference;
  console.error(`\nDIFFERENT ${contract} ${call}: the contract ${contractSays}; the model ${modelSays}`);
  console.error(JSON.stringify(difference, null, 2));
  console.error(`again: npm run fuzz -- --seed ${seed} --round ${number}`);
};

const MOST_TOLD = 20;
const tally: Tally = new Map();
const models: ModelTally = new Map();
const faults: FaultTally = new Map();
const startedAt = performance.now();
let shownAt = startedAt;
let findings = 0;
let round = first;
for (; round <= last && (round === first || performance.now() < until); round += 1) {
  // Contracts are kept once they are bound, and every round binds others.
  if (round % FORGET_EVERY === 0) replaceArtifact('stream', null);
  for (const finding of [...fuzzRound(seed, round, tally), ...faultRound(seed, round, faults)]) {
    findings += 1;
    if (findings <= MOST_TOLD) report(finding);
  }
  for (const difference of modelRound([seed, round], models)) {
    findings += 1;
    if (findings <= MOST_TOLD) tell(difference);
  }
  if (performance.now() - shownAt > PROGRESS_MS) {
    shownAt = performance.now();
    const mutants = [...tally.values()].reduce((sum, { mutants: count }) => sum + count, 0);
    const broken = [...faults.values()].reduce((sum, counts) => sum + counts.faults, 0);
    const seconds = Math.round((shownAt - startedAt) / 1_000);
    console.error(
      `${seconds} s: ${round + 1} rounds, ${mutants} mutants, ${broken} faults, ${findings} findings`,
    );
  }
}
console.log(`seed ${seed}, rounds ${first} to ${round - 1}`);
console.log(summary(tally));
console.log(`\n${faultSummary(faults)}`);
console.log(`\n${modelSummary(models)}`);
console.log(`${findings} findings`);
process.exitCode = findings === 0 ? 0 : 1;
