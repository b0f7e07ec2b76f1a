/** One round of faults: spends that the rules allow are accepted, and with one thing wrong they are refused, by the rule. */
import { binToHex, encodeTransaction } from '@bitauth/libauth';
import { refusalOf, tryTransaction, type Rules } from '../../harness/verdict.js';
import type { Spend } from '../../harness/spend.js';
import { shown, WORLDS, type Finding } from '../round.js';
import { randomFrom, type Random } from '../random.js';
import type { FaultBase } from './base.js';
import type { Fault } from './fault.js';
import { poolFaults } from './pool-faults.js';
import { vaultFaults } from './vault-faults.js';
import { voteFaults } from './vote-faults.js';

/** What was tried of a function, and how often each rule refused. */
export type FaultCounts = {
  legit: number;
  faults: number;
  /** Refused by the rule that was broken. */
  named: number;
  accepted: number;
  /** Refused by another rule: the fault fitted less than it should. By fault and what refused. */
  readonly astray: Map<string, number>;
  readonly rules: Map<string, number>;
};
/** Counts by `contract function asset`. */
export type FaultTally = Map<string, FaultCounts>;

/** Faults of a function that a round tries, at most. */
const MOST = 14;

const noCounts = (): FaultCounts => ({
  legit: 0,
  faults: 0,
  named: 0,
  accepted: 0,
  astray: new Map(),
  rules: new Map(),
});

const countUp = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

/** Every function of a world, and what can be wrong with it. */
export const faultBasesOf = (
  world: (typeof WORLDS)[number],
  [seed, round]: readonly [number, number],
  random: Random,
) => {
  if (world === 'vault') return vaultFaults(random);
  if (world === 'vote-lock') return voteFaults(random);
  return poolFaults(world, Math.imul(seed, 1_000_003) + round, random);
};

const some = <T>(list: readonly T[], most: number, random: Random): T[] => {
  const left = [...list];
  return Array.from({ length: Math.min(most, left.length) }, () => {
    const [taken] = left.splice(random.integer(left.length), 1);
    return taken as T;
  });
};

const findingOf = (
  round: number,
  { label }: FaultBase,
  spend: Spend,
  violation: Finding['violations'][number],
): Finding => {
  const { built } = tryTransaction(spend, '2026');
  return {
    round,
    base: label,
    mutations: [violation.what],
    hostile: ['all who sign'],
    medianTime: spend.chainTime,
    transaction: binToHex(encodeTransaction(built.transaction)),
    spends: spend.inputs.map(({ coin }) => shown(coin)),
    violations: [violation],
  };
};

const tryFault = (counts: FaultCounts, { name, refusedBy, input, spend }: Fault, rules: Rules): boolean => {
  const verdict = tryTransaction(spend, rules);
  counts.faults += 1;
  if (verdict.accepted) {
    counts.accepted += 1;
    return true;
  }
  const refused = refusalOf(verdict, input);
  if (refused.startsWith(refusedBy)) {
    counts.named += 1;
    countUp(counts.rules, refusedBy);
  } else countUp(counts.astray, `${name}: not "${refusedBy}" refuses, but "${refused}"`);
  return false;
};

/** Runs a round, counts it, and returns what was accepted though it should not, or refused though it should not. */
export const faultRound = (seed: number, round: number, tally: FaultTally): Finding[] => {
  const random = randomFrom(seed, round, 1);
  const world = WORLDS[round % WORLDS.length] ?? 'stream';
  const found: Finding[] = [];
  for (const base of faultBasesOf(world, [seed, round], random)) {
    const counts = tally.get(base.label) ?? noCounts();
    tally.set(base.label, counts);
    const rules: Rules = random.once(8) ? '2025' : '2026';
    if (base.legit !== null) {
      counts.legit += 1;
      const verdict = tryTransaction(base.legit, rules);
      const what = `what the rules allow is refused: ${refusalOf(verdict)}`;
      if (!verdict.accepted) found.push(findingOf(round, base, base.legit, { invariant: 'I1', what }));
    }
    for (const fault of some(base.faults, MOST, random)) {
      if (!tryFault(counts, fault, rules)) continue;
      found.push(findingOf(round, base, fault.spend, { invariant: fault.invariant, what: fault.name }));
    }
  }
  return found;
};
