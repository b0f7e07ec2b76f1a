/** The models beside the contracts: they agree, and neither could be another without somebody noticing. */
import fs from 'node:fs';
import test from 'ava';
import { compileString } from 'cashc';
import { ARTIFACT_NAMES, loadArtifact, type ArtifactName } from '../../../../src/covenant/artifact.js';
import { atLength, IS_LONG } from '../../../at-length.js';
import { replaceArtifact } from '../../harness/bound.js';
import { WORLDS } from '../round.js';
import type { Off } from './compare.js';
import { compareCases } from './corpus.js';
import { modelRound, WHOLE, type Difference, type Extent, type ModelTally } from './round.js';
import { silentRules } from './summary.js';

const SEED = 20_261_123;

const SLICE: Extent = { mutants: atLength(WHOLE.mutants, 5), share: atLength(100, 30), off: null };
const ROUNDS = atLength(120, 12);
/** Of the moves and attacks of the contracts' cases. */
const ONE_CASE_IN = atLength(1, 37);

const run = (rounds: readonly number[], extent: Extent = SLICE): readonly [ModelTally, Difference[]] => {
  const tally: ModelTally = new Map();
  return [tally, rounds.flatMap((round) => modelRound([SEED, round], tally, extent))];
};

const firstRounds = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

test.serial('models › given the contracts as they are › both say the same of every call', (t) => {
  const [tally, differences] = run(firstRounds(ROUNDS));
  t.deepEqual(differences, []);
  t.deepEqual(compareCases(ONE_CASE_IN, tally), []);
  for (const contract of ARTIFACT_NAMES) {
    for (const { name } of loadArtifact(contract).abi) {
      const { allowed = 0, refused = 0 } = tally.get(`${contract} ${name}`) ?? {};
      t.true(allowed > 0, `${contract} ${name} is allowed`);
      t.true(refused > 0, `${contract} ${name} is refused`);
    }
  }
  const rules = [...tally.values()].reduce((sum, counts) => sum + counts.rules.size, 0);
  const silent = silentRules(tally);
  t.log(`${rules} rules, of which ${silent.length} never decided alone`);
  if (IS_LONG) t.deepEqual(silent, []);
  else t.true(silent.length < rules / 2);
});

test.serial('models › given a seed and a round › it is the same every time', (t) => {
  const told = () => [...run([5])[0]].map(([label, { rules, ...counts }]) => [label, counts, [...rules]]);
  t.deepEqual(told(), told());
});

type Flaw = { readonly world: (typeof WORLDS)[number]; readonly isQuick?: true };

const TRIES = 20;

/** The first difference that rounds of a world find. */
const search = ({ world }: Flaw, extent: Extent = SLICE): Difference | undefined => {
  const first = WORLDS.indexOf(world);
  for (let number = 0; number < TRIES; number += 1) {
    const [, [found]] = run([first + number * WORLDS.length], extent);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Models without one of their rules. */
const MODEL_FLAWS: readonly (Flaw & Off)[] = [
  { contract: 'stream', rule: 'it has vested', world: 'stream', isQuick: true },
  { contract: 'stream', rule: 'reserve: its tokens', world: 'stream' },
  { contract: 'stream', rule: 'no output carries the thread', world: 'stream' },
  { contract: 'stream', rule: 'a fee coin has a lock of 25 bytes', world: 'stream' },
  { contract: 'recurring-payment', rule: 'the push is not below the minimum', world: 'recurring-payment' },
  { contract: 'budget-plan', rule: 'at most three inputs', world: 'budget-plan' },
  { contract: 'budget-plan', rule: 'exactly what has elapsed', world: 'budget-plan', isQuick: true },
  { contract: 'budget-plan', rule: 'the plan is cancelable', world: 'budget-plan' },
  { contract: 'recurring-payment', rule: 'the authority signs', world: 'recurring-payment' },
  { contract: 'recurring-payment', rule: 'whole periods go in', world: 'recurring-payment' },
  { contract: 'reward-campaign', rule: 'the reward is above zero', world: 'reward-campaign', isQuick: true },
  { contract: 'reward-campaign', rule: 'refund: its lock', world: 'reward-campaign' },
  { contract: 'token-reserve', rule: 'input 0 is the covenant', world: 'stream' },
  { contract: 'vault', rule: 'signature B is over everything', world: 'vault', isQuick: true },
  { contract: 'vault', rule: 'the thread does not join', world: 'vault' },
  { contract: 'vote-lock', rule: 'the vote has ended', world: 'vote-lock', isQuick: true },
];

const inSlice = ({ isQuick }: Flaw): boolean => IS_LONG || isQuick === true;

for (const { contract, rule, ...flaw } of MODEL_FLAWS.filter(inSlice)) {
  test.serial(
    `models › given the model of ${contract} without "${rule}" › the contract refuses more`,
    (t) => {
      const found = search(flaw, { ...SLICE, off: { contract, rule } });
      t.is(found?.contract, contract);
      t.is(found?.modelSays, 'allowed');
      t.true(found?.contractSays.startsWith('refused: '));
      t.true((found?.steps.length ?? 9) <= 2);
    },
  );
}

/** Contracts in which one text of the source is another. */
const CONTRACT_FLAWS: readonly (Flaw & {
  readonly contract: ArtifactName;
  readonly source: string;
  readonly was: string;
  readonly becomes: string;
  readonly finds: 'allowed' | 'refused';
})[] = [
  {
    contract: 'stream',
    source: 'streams/stream.cash',
    was: 'require(released <= vested,',
    becomes: 'require(released <= vested + 1,',
    world: 'stream',
    finds: 'allowed',
  },
  {
    contract: 'stream',
    source: 'streams/stream.cash',
    was: 'require(released <= vested,',
    becomes: 'require(released < vested,',
    world: 'stream',
    finds: 'refused',
    isQuick: true,
  },
  {
    contract: 'reward-campaign',
    source: 'rewards/reward-campaign.cash',
    was: 'require(amount <= maxReward,',
    becomes: 'require(amount <= maxReward + 1,',
    world: 'reward-campaign',
    finds: 'allowed',
  },
  {
    contract: 'vote-lock',
    source: 'governance/vote-lock.cash',
    was: 'require(tx.time >= unlockTime,',
    becomes: 'require(tx.time >= unlockTime + 1,',
    world: 'vote-lock',
    finds: 'refused',
    isQuick: true,
  },
];

const readSource = (source: string): string =>
  fs.readFileSync(new URL(`../../../../contracts/${source}`, import.meta.url), 'utf8');

for (const { contract, source, was, becomes, finds, ...flaw } of CONTRACT_FLAWS.filter(inSlice)) {
  test.serial(`models › given ${contract} with "${becomes}" › the model ${finds} otherwise`, (t) => {
    const text = readSource(source);
    t.true(text.includes(was));
    replaceArtifact(contract, compileString(text.replaceAll(was, becomes)));
    t.teardown(() => {
      replaceArtifact(contract, null);
    });
    const found = search(flaw);
    t.is(found?.contract, contract);
    t.true(found?.contractSays.startsWith(finds));
  });
}
