/**
 * What a contract is in words: its terms by its parameters, and its state by a commitment. Whoever checks a transaction
 * tells from these what becomes of a covenant, and from nothing that somebody else wrote.
 */
import { binToHex, hexToBin } from '@bitauth/libauth';
import type { ArtifactName } from './artifact.js';

/** How amounts, parties and times are said. */
export type Voice = {
  /** An amount in the smallest unit, with its unit. The category is null for BCH. */
  readonly amount: (units: bigint, category: string | null) => string;
  /** The party of a public key hash (20 bytes, hex). */
  readonly party: (keyHash: string) => string;
  /** Whoever a locking bytecode (hex) pays. */
  readonly lock: (lockingBytecode: string) => string;
  /** A moment, unix seconds. */
  readonly date: (seconds: number) => string;
  /** A time that passes, seconds. */
  readonly duration: (seconds: number) => string;
};

export type Fact = readonly [label: string, value: string];

/** Constructor parameters by name: hex for bytes, decimal for integers. */
export type Params = Readonly<Record<string, string>>;

/** A contract in words. */
export type ContractWords = {
  readonly contract: ArtifactName;
  /** What it is: `stream`. */
  readonly what: string;
  /** The category of its pool, as it is shown; null for BCH. Absent: it has no pool of a thread. */
  readonly pool?: (params: Params) => string | null;
  readonly terms: (params: Params, voice: Voice) => readonly Fact[];
  /** What an NFT at its address says; null when it says nothing that the contract reads. */
  readonly state: (commitment: string, params: Params, voice: Voice) => readonly Fact[] | null;
  /** The key hash (hex) of a party that stands in the state and not among the parameters: its recipient. */
  readonly recipient?: (commitment: string) => string | null;
};

/**
 * A parameter; '' for one that is not there, which no recognised contract has.
 *
 * @example
 * param({ periods: '10' }, 'periods'); // '10'
 */
export const param = (params: Params, name: string): string => params[name] ?? '';

/**
 * The pool of a parameter `tokenCategory`, in the byte order of scripts.
 *
 * @example
 * poolOf({ tokenCategory: '00'.repeat(32) }); // null
 * poolOf({ tokenCategory: `${'ab'.repeat(31)}01` }); // `01${'ab'.repeat(31)}`
 */
export const poolOf = (params: Params): string | null => {
  const category = param(params, 'tokenCategory');
  return /^0*$/.test(category) ? null : binToHex(hexToBin(category).reverse());
};

/**
 * The values of `status` of every covenant that has one.
 *
 * @example
 * statusWords(1); // 'PAUSED'
 */
export const statusWords = (status: number): string => ['ACTIVE', 'PAUSED'][status] ?? `status ${status}`;

/**
 * The row of a pause, where there is one.
 *
 * @example
 * pausedRow(0, { date: String }); // []
 * pausedRow(monday, { date: String }); // [['Paused at', '1780272000']]
 */
export const pausedRow = (pausedAt: number, { date }: Voice): readonly Fact[] =>
  pausedAt === 0 ? [] : [['Paused at', date(pausedAt)]];

/**
 * Whether anybody may pay what is due to the recipient; nothing of a version that knows no push.
 *
 * @example
 * pushRow({}, { amount: String }); // []
 * pushRow({ pushMinimum: '0' }, { amount: String }); // [['Pushed', 'by nobody: the recipient signs for what is due']]
 */
export const pushRow = (params: Params, { amount }: Pick<Voice, 'amount'>): readonly Fact[] => {
  const minimum = param(params, 'pushMinimum');
  if (minimum === '') return [];
  return minimum === '0'
    ? [['Pushed', 'by nobody: the recipient signs for what is due']]
    : [
        [
          'Pushed',
          `by anybody, to the recipient alone: all that is due, from ${amount(BigInt(minimum), poolOf(params))} on; the last payment whatever it is`,
        ],
      ];
};

/**
 * What may be done with it beside what is due.
 *
 * @example
 * allowedWords({ 'to cancel it': true, 'to refill it': false }); // 'to cancel it'
 * allowedWords({ 'to cancel it': false }); // 'nothing but what is due'
 */
export const allowedWords = (allowed: Readonly<Record<string, boolean>>): string => {
  const words = Object.entries(allowed).flatMap(([what, may]) => (may ? [what] : []));
  return words.length === 0 ? 'nothing but what is due' : words.join(', ');
};
