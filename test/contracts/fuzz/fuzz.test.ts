/** The fuzzer itself: the same round every time, nothing found in the contracts, a hole found when there is one. */
import fs from 'node:fs';
import test from 'ava';
import { compileString } from 'cashc';
import type { ArtifactName } from '../../../src/covenant/artifact.js';
import { faultRound, type FaultTally } from './faults/round.js';
import { fuzzRound, WORLDS, type Finding, type Mutants, type Tally } from './round.js';
import { faultSummary, summary } from './summary.js';
import { atLength, IS_LONG } from '../../at-length.js';
import { replaceArtifact } from '../harness/bound.js';

const SEED = 20_261_121;
const run = (
  rounds: readonly number[],
  most?: Mutants,
): { readonly tally: Tally; readonly findings: readonly Finding[] } => {
  const tally: Tally = new Map();
  return { findings: rounds.flatMap((round) => fuzzRound(SEED, round, tally, most)), tally };
};
/** Of every move of every world, as many as the fuzzer itself makes. */
const most: Mutants = { valid: atLength(40, 4), broken: atLength(10, 1) };

test.serial('fuzz › given the contracts as they are › no mutant of any contract breaks an invariant', (t) => {
  const { findings, tally } = run(
    WORLDS.map((_, index) => index),
    most,
  );
  t.deepEqual(findings, []);
  const counts = [...tally.values()];
  t.true(counts.some(({ accepted }) => accepted > 0));
  t.true(counts.some(({ refused }) => refused > 0));
});

test.serial('fuzz › given a seed and a round › it is the same every time', (t) => {
  const few = atLength(40, 1);
  const told = () => summary(run([4], { ...most, valid: few }).tally);
  t.is(told(), told());
});

const runFaults = (
  rounds: readonly number[],
): { readonly tally: FaultTally; readonly findings: readonly Finding[] } => {
  const tally: FaultTally = new Map();
  return { findings: rounds.flatMap((round) => faultRound(SEED, round, tally)), tally };
};

test.serial(
  'faults › given the contracts as they are › what is allowed passes, a fault falls to its rule',
  (t) => {
    const { findings, tally } = runFaults(WORLDS.map((_, index) => index));
    t.deepEqual(findings, []);
    for (const [label, { faults, named, astray }] of tally) {
      t.deepEqual([...astray.keys()], [], label);
      t.true(faults > 0 && named === faults, label);
    }
    t.true([...tally.values()].reduce((sum, { legit }) => sum + legit, 0) > 12);
  },
);

test.serial('faults › given a seed and a round › it is the same every time', (t) => {
  t.is(faultSummary(runFaults([3]).tally), faultSummary(runFaults([3]).tally));
});

type Hole = {
  readonly contract: ArtifactName;
  readonly source: string;
  readonly world: (typeof WORLDS)[number];
  /** Begins in the source with this. */
  readonly check: string;
  readonly invariant: string;
  /** Found within seconds: `npm test` looks for these only. */
  readonly isQuick?: true;
};

const HOLES: readonly Hole[] = [
  {
    contract: 'stream',
    source: 'streams/stream.cash',
    world: 'stream',
    check: "require(released <= vested, 'the amount has vested');",
    invariant: 'I3',
  },
  {
    contract: 'stream',
    source: 'streams/stream.cash',
    world: 'stream',
    check: "require(tx.outputs[1].tokenAmount == total - released, 'the reserve holds what remains');",
    invariant: 'I5',
  },
  {
    contract: 'budget-plan',
    source: 'budgets/budget-plan.cash',
    world: 'budget-plan',
    check: "require(checkSig(recipientSig, recipientKey), 'the recipient signs');",
    invariant: 'I7',
  },
  {
    contract: 'reward-campaign',
    source: 'rewards/reward-campaign.cash',
    world: 'reward-campaign',
    check: "require(amount <= maxReward, 'the amount is within the maximum reward');",
    invariant: 'I8',
    isQuick: true,
  },
  {
    contract: 'recurring-payment',
    source: 'payments/recurring-payment.cash',
    world: 'recurring-payment',
    check: "require(tx.outputs[0].lockingBytecode == covenant, 'output 0 stays at the covenant');",
    invariant: 'I4',
    isQuick: true,
  },
  {
    contract: 'vault',
    source: 'vaults/vault.cash',
    world: 'vault',
    check: "require(bytes(sigA).split(64)[1] == 0x61, 'the first signature covers everything');",
    invariant: 'I9',
  },
  {
    contract: 'reward-campaign',
    source: 'rewards/reward-campaign.cash',
    world: 'reward-campaign',
    check: "require(tx.outputs[0].tokenCategory == 0x, 'the refund carries no token');",
    invariant: 'I13',
  },
  {
    contract: 'stream',
    source: 'streams/stream.cash',
    world: 'stream',
    check: "require(tx.outputs[0].tokenCategory == 0x, 'the payout carries no token');",
    invariant: 'I13',
  },
  {
    contract: 'vote-lock',
    source: 'governance/vote-lock.cash',
    world: 'vote-lock',
    check: "require(tx.time >= unlockTime, 'the vote has ended');",
    invariant: 'I10',
    isQuick: true,
  },
];

const readSource = (source: string): string =>
  fs.readFileSync(new URL(`../../../contracts/${source}`, import.meta.url), 'utf8');

/** The condition still names its variables, which the compiler wants used, but it always holds. */
const weaken = (check: string): string =>
  check.includes('tx.time')
    ? check.replace(/tx\.time >= (\w+)/, '$1 >= 0')
    : check.replace(/^require\((.*), ('[^']*')\);$/, 'require($1 || true, $2);');

const TRIES = 30;

const inSlice = ({ isQuick }: Pick<Hole, 'isQuick'>): boolean => IS_LONG || isQuick === true;

for (const { contract, source, world, check, invariant } of HOLES.filter(inSlice)) {
  test.serial(`fuzz › given ${contract} without "${check}" › it finds that ${invariant} is broken`, (t) => {
    const text = readSource(source);
    t.true(text.includes(check));
    replaceArtifact(contract, compileString(text.replaceAll(check, weaken(check))));
    t.teardown(() => {
      replaceArtifact(contract, null);
    });
    const first = WORLDS.indexOf(world);
    const broken = new Set<string>();
    for (let number = 0; number < TRIES && !broken.has(invariant); number += 1) {
      const { findings } = run([first + number * WORLDS.length]);
      for (const { violations } of findings) for (const found of violations) broken.add(found.invariant);
    }
    t.true(broken.has(invariant), [...broken].join());
  });
}

/** Checks that only a spend which fits in every other way can get past. */
const RULES: readonly Omit<Hole, 'invariant'>[] = [
  {
    contract: 'stream',
    source: 'streams/stream.cash',
    world: 'stream',
    check: "require(stood >= 0, 'the stream was paused before');",
    isQuick: true,
  },
  {
    contract: 'budget-plan',
    source: 'budgets/budget-plan.cash',
    world: 'budget-plan',
    check: "require(upTo >= current, 'no milestone is taken back');",
    isQuick: true,
  },
  {
    contract: 'recurring-payment',
    source: 'payments/recurring-payment.cash',
    world: 'recurring-payment',
    check: "require(state.split(1)[0] == 0x01, 'the payment is paused');",
  },
  {
    contract: 'reward-campaign',
    source: 'rewards/reward-campaign.cash',
    world: 'reward-campaign',
    check: "require(amount > 0, 'the amount is positive');",
    isQuick: true,
  },
];

for (const { contract, source, world, check } of RULES.filter(inSlice)) {
  test.serial(`faults › given ${contract} without "${check}" › a fault is accepted`, (t) => {
    const text = readSource(source);
    t.true(text.includes(check));
    replaceArtifact(contract, compileString(text.replaceAll(check, weaken(check))));
    t.teardown(() => {
      replaceArtifact(contract, null);
    });
    const first = WORLDS.indexOf(world);
    let found = 0;
    for (let number = 0; number < TRIES && found === 0; number += 1)
      found += runFaults([first + number * WORLDS.length]).findings.length;
    t.true(found > 0);
  });
}
