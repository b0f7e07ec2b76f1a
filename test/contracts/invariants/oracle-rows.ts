/** The moves of the tables as the oracle reads them: for each, what must hold of a transaction that is one. */
import { binToHex } from '@bitauth/libauth';
import { DUST } from '../harness/coins.js';
import { authority, owner } from '../harness/parties.js';
import type { Invariant } from './oracle.js';

/** What a transaction did to one covenant whose thread it spends. */
export type Situation = {
  readonly asset: 'BCH' | 'tokens';
  readonly before: Uint8Array;
  /** Null: the thread has ended. */
  readonly after: Uint8Array | null;
  /** Satoshis beside the thread. */
  readonly poolBefore: bigint;
  readonly poolAfter: bigint;
  /** Tokens in the reserve when it is done, those that were left alone included. */
  readonly reserveAfter: bigint;
  readonly opensReserve: boolean;
  readonly isAtFirst: boolean;
  readonly hasSigned: (hash: string) => boolean;
  /** What somebody gets, in the covenant's asset. */
  readonly gets: (lock: Uint8Array) => bigint;
  /** The same, of outputs to which nothing is glued. */
  readonly getsFree: (lock: Uint8Array) => bigint;
  /** Whether an output beside the thread holds just that, and nothing is glued to it. */
  readonly isPaidFree: (amount: bigint) => boolean;
  /** Every output but the thread, in the covenant's asset. */
  readonly payouts: readonly bigint[];
  /** The last second that has passed. */
  readonly now: number;
  /** Null: not in force. */
  readonly locktime: number | null;
  readonly isWitnessHonest: boolean;
};

export type Check = readonly [invariant: Invariant, holds: boolean, what: string];
export type Row = { readonly move: string; readonly checks: readonly Check[] };
export type Rows = (situation: Situation) => readonly Row[];

/** An unsigned little-endian integer. */
export const unsigned = (bytes: Uint8Array): bigint =>
  [...bytes].reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);

/** Reads a state by the lengths of its fields; null when it has another length. */
export const readFields = (state: Uint8Array | null, lengths: readonly number[]): Uint8Array[] | null => {
  if (state?.length !== lengths.reduce((a, b) => a + b, 0)) return null;
  let at = 0;
  return lengths.map((length) => {
    at += length;
    return state.slice(at - length, at);
  });
};

/** Who must have signed. */
export const signedBy = (
  { hasSigned }: Situation,
  parties: Readonly<Record<string, string>>,
): readonly Check[] =>
  Object.entries(parties).map(([role, hash]) => ['I7', hasSigned(hash), `the ${role} has not signed`]);

/** The thread goes on at output 0, and the pool is what the new state says. */
export const goesOn = (situation: Situation, remaining: bigint): readonly Check[] => {
  const { asset, after, isAtFirst, poolBefore, poolAfter, reserveAfter } = situation;
  const isBch = asset === 'BCH';
  return [
    ['I4', after !== null && isAtFirst, 'the thread does not go on at output 0'],
    ['I1', isBch ? poolAfter === remaining : poolAfter >= poolBefore, 'the coin does not hold the pool'],
    ['I5', isBch || reserveAfter >= remaining, 'the reserve does not hold what remains'],
  ];
};

/** The same, where no money moves at all. */
export const standsStill = (situation: Situation, remaining: bigint): readonly Check[] => [
  ...goesOn(situation, remaining),
  ['I1', situation.poolAfter === situation.poolBefore, 'the coin of the thread has another value'],
  ['I5', !situation.opensReserve, 'the reserve moves though nothing is paid'],
];

/** The thread has ended. */
export const ends = ({ after }: Situation): readonly Check[] => [
  ['I4', after === null, 'a thread stays behind at the end'],
];

/** The time that a witnessed move may be as of: now, or with a witness who signs anything the locktime. */
export const witnessedTime = ({ now, locktime, isWitnessHonest }: Situation): number =>
  isWitnessHonest ? now : (locktime ?? now);

/** Who pays in, and who witnesses the time: public key hashes, hex. */
export const OWNER = binToHex(owner.hash);
export const AUTHORITY = binToHex(authority.hash);
const lockOf = (hash: string): Uint8Array => Uint8Array.from(Buffer.from(`76a914${hash}88ac`, 'hex'));

/** A move and all that must hold. */
export const row = (move: string, ...checks: readonly (readonly Check[])[]): Row => ({
  move,
  checks: checks.flat(),
});

/** Fields of a state by name, with integers as bigint and the rest as hex. */
type Fields = Readonly<Record<string, bigint | string>>;

/** I3: nothing changes but what the move is for. */
export const onlyChanges = (
  before: object,
  after: object | null,
  changed: readonly string[],
): readonly Check[] => {
  const [old, now] = [before as Fields, (after ?? {}) as Fields];
  return Object.keys(old)
    .filter((name) => !changed.includes(name))
    .map((name) => ['I3', old[name] === now[name], `${name} changes`]);
};

/** What a push asks for beside its amount: nobody signs, so the contract says who gets it and that it is worth it. */
export const pushes = (
  situation: Situation,
  { status, recipient }: { readonly status: bigint; readonly recipient: string },
  { amount, least, isLast }: { readonly amount: bigint; readonly least: bigint; readonly isLast: boolean },
): readonly Check[] => {
  const dust = isLast && situation.asset === 'BCH' ? DUST : 0n;
  return [
    ['I6', status === 0n, 'what is paused is pushed'],
    ['I7', least > 0n, 'it can never be pushed'],
    ['I3', amount > 0n && (isLast || amount >= least), 'less is pushed than is worth it'],
    ...pays(situation, recipient, amount + dust),
  ];
};

/** I3 and I13: the recipient gets what is owed, and can spend it alone. */
export const pays = ({ gets, getsFree }: Situation, hash: string, amount: bigint): readonly Check[] => [
  [
    'I3',
    amount <= 0n || gets(lockOf(hash)) >= amount,
    `the recipient does not get the ${amount} that are owed`,
  ],
  [
    'I13',
    amount <= 0n || getsFree(lockOf(hash)) >= amount,
    `the recipient gets the ${amount} that are owed with something glued to it`,
  ],
];
