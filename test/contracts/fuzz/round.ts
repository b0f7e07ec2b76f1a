/** One round of the fuzzer: a world from its number, and mutants of every spend in it. */
import { binToHex, encodeTransaction } from '@bitauth/libauth';
import { isFinal, verify } from '../invariants/chain.js';
import type { Violation } from '../invariants/oracle.js';
import type { ProductName } from '../invariants/trace.js';
import { balance, withoutDoubles } from './balance.js';
import type { Base } from './base.js';
import { mutate } from './mutate.js';
import { vaultBases, voteBases } from './other-bases.js';
import { poolBases } from './pool-bases.js';
import { randomFrom, type Random } from './random.js';
import { signMutant } from './sign.js';

export type Counts = { mutants: number; accepted: number; refused: number; broken: number };
/** Counts by `contract function asset`. */
export type Tally = Map<string, Counts>;

/** A mutant that was accepted and breaks something, with all that is needed to look at it. */
export type Finding = {
  readonly round: number;
  readonly base: string;
  readonly mutations: readonly string[];
  readonly hostile: readonly string[];
  /** Median time past, unix seconds. */
  readonly medianTime: number;
  /** Raw transaction, hex. */
  readonly transaction: string;
  /** What its inputs spend: locking bytecode, satoshis, token. */
  readonly spends: readonly unknown[];
  readonly violations: readonly Violation[];
};

/** How many mutants are made: of a valid spend, and of one that breaks a rule already. */
export type Mutants = { readonly valid: number; readonly broken: number };
const MUTANTS: Mutants = { valid: 40, broken: 10 };
/** What a round is set in; each has its turn in as many rounds. */
export const WORLDS = [
  'stream',
  'budget-plan',
  'recurring-payment',
  'reward-campaign',
  'vault',
  'vote-lock',
] as const;

/** Every move that is tried in a world, each to be mutated. */
export const basesOf = (
  world: (typeof WORLDS)[number],
  seeds: readonly [number, number],
  random: Random,
): Base[] => {
  if (world === 'vault') return vaultBases(random);
  if (world === 'vote-lock') return voteBases(random);
  const seed = Math.imul(seeds[0], 1_000_003) + seeds[1];
  return poolBases(world satisfies ProductName, seed, random);
};

/** A value as JSON has it: bytes as hex, bigints as digits. */
export const shown = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, item: unknown) => {
      if (item instanceof Uint8Array) return binToHex(item);
      return typeof item === 'bigint' ? String(item) : item;
    }),
  );

const labelOf = ({ contract, call, asset }: Base): string => `${contract} ${call} ${asset}`;

const tryMutant = (
  base: Base,
  round: number,
  random: Random,
): { accepted: boolean; finding: Finding | null } => {
  const draft = mutate(base, random);
  const clean = withoutDoubles(draft.spend);
  const spend = random.once(5) ? clean : balance(clean, base.categories.slice(1), base.attacker);
  if (spend.inputs.length === 0 || spend.outputs.length === 0) return { accepted: false, finding: null };
  const { medianTime } = draft;
  const now = medianTime - 1;
  const signed = signMutant(base, spend, now, random);
  const isAccepted =
    isFinal(spend, medianTime) &&
    (verify(signed.built, '2026') === 'accepted' ||
      (random.once(8) && verify(signed.built, '2025') === 'accepted'));
  if (!isAccepted) return { accepted: false, finding: null };
  const { isWitnessHonest, hostile } = signed;
  const violations = base.judge({ spend: signed.spend, built: signed.built, now, isWitnessHonest });
  if (violations.length === 0) return { accepted: true, finding: null };
  const finding: Finding = {
    round,
    base: labelOf(base),
    mutations: draft.notes,
    hostile,
    medianTime,
    transaction: binToHex(encodeTransaction(signed.built.transaction)),
    spends: signed.spend.inputs.map(({ coin }) => shown(coin)),
    violations,
  };
  return { accepted: true, finding };
};

/** Runs a round, counts it, and returns what it found. */
export const fuzzRound = (seed: number, round: number, tally: Tally, most: Mutants = MUTANTS): Finding[] => {
  const random = randomFrom(seed, round);
  const world = WORLDS[round % WORLDS.length] ?? 'stream';
  const found: Finding[] = [];
  for (const base of basesOf(world, [seed, round], random)) {
    const counts = tally.get(labelOf(base)) ?? { mutants: 0, accepted: 0, refused: 0, broken: 0 };
    tally.set(labelOf(base), counts);
    const mutants = base.isValid ? most.valid : most.broken;
    for (let number = 0; number < mutants; number += 1) {
      const { accepted, finding } = tryMutant(base, round, random);
      counts.mutants += 1;
      counts[accepted ? 'accepted' : 'refused'] += 1;
      if (finding === null) continue;
      counts.broken += 1;
      found.push(finding);
    }
  }
  return found;
};
