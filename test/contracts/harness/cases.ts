/** What a contract's cases are made of: moves that pass, attacks that a named `require` refuses. */
import type { ArtifactName } from '../../../src/covenant/artifact.js';
import type { Asset } from './coins.js';
import type { Spend } from './spend.js';

/** The attacks that every contract is tried with, in the order of the matrix. */
export const ATTACKS = {
  'over-claim': 'Over-claim by 1',
  amount: 'Negative and zero amounts',
  'future-time': 'Future locktime, sequences below final (not final at the chain)',
  'final-sequences': 'Future locktime, final sequences (locktime not in force)',
  'block-height': 'Block height as locktime',
  'no-witness': 'Old locktime in pause and cancel without the authority',
  'other-witness': "Old locktime in pause and cancel, with the authority's signature of another transaction",
  ticket: 'Old locktime in pause and cancel, with a withdrawn ticket',
  'skim-value': 'Value skimmed from the continuing output',
  'skim-reserve': 'Tokens skimmed from the reserve',
  decoy: 'A decoy reserve at input 1, the true one at each later input or left out at the end',
  passenger: 'The reserve riding along in a function that pays nothing',
  commitment: 'Wrong commitment: longer, shorter, each field another',
  length: 'Arguments of another length or encoding than declared',
  address: 'Continuation at another address',
  category: 'Continuation with another category, as minting, as immutable, without',
  leak: 'The thread leaked to each output at the end',
  forged: 'The covenant at input 1 behind a forged coin of the same address at input 0',
  'two-threads': 'Two threads of the same product in one transaction',
  alone: 'The reserve spent without the thread',
  batch: "The reserve spent with another batch member's thread",
  'forged-nft': 'The reserve spent with a forged NFT at the same address',
  twin: 'A twin thread minted before the funding transaction',
  'other-token': 'Another token category in the reserve',
  signer: 'A signature by every other party in place of each one, and none',
  replay: 'A signature replayed from a sibling deployment, another function, another transaction',
  status: 'A move that the status forbids (a paused campaign distributing)',
  finished: 'A finished one moving again',
  segment: 'A segment or milestone that is not the last begun',
  flag: 'Pause, cancel, transfer or refill without its flag',
  payout: 'A payout or refund short, elsewhere, or in another token',
  glued: 'An NFT or a token glued to a payout, a refund or a reserve',
  'too-light': 'A payout, a refund or a reserve of tokens without the satoshis to move it',
  terms: 'A move outside the terms: before the start, above the maximum, beyond the term',
  'vault-keys': 'One vault key twice, in two encodings, in another order',
  'vault-hash-type': 'Other hash types in the vault',
  'vault-thread': 'The vault thread, or a coin like it, dropped or leaving through join',
  'early-unlock': 'An early unlock',
  ballots: 'Two ballots for one stake, a ballot minted elsewhere',
} as const;
export type AttackName = keyof typeof ATTACKS;

/** A declared commitment, whatever its fields. */
export type StateLayout = {
  readonly size: number;
  readonly offsets: Readonly<Record<string, { readonly offset: number; readonly size: number }>>;
};

/** What a builder of a move can be asked to do otherwise. */
export type Variation = {
  /** Unix seconds. */
  readonly now?: number;
  /** The same deployment with another id: other address, equal terms. */
  readonly sibling?: boolean;
};

/** An allowed move, as one row of the tables. */
export type Move = {
  /** The function that it calls, and what for. */
  readonly name: string;
  readonly asset: Asset;
  /** Whether the thread goes on and the pool moves, goes on and nothing moves, or ends. */
  readonly kind: 'pays' | 'keeps' | 'ends' | 'other';
  /** Given where the move depends on time: what refuses a block height in the locktime. */
  readonly atHeight?: string;
  /** True where the authority is the witness of time. */
  readonly witnessed?: boolean;
  readonly build: (variation?: Variation) => Spend;
};

export type Attack = {
  readonly attack: AttackName;
  readonly name: string;
  readonly build: () => Spend;
  /** The message of the `require` that refuses, `vm: …`, `chain: …`, or the beginning of libauth's text. */
  readonly refusedBy: string;
  /** The input whose contract must refuse; 0 when absent. */
  readonly input?: number;
};

/** A spend whose size is reported. */
export type Sized = {
  readonly name: string;
  readonly asset: Asset;
  /** Segments or milestones. */
  readonly count: number;
  readonly build: () => Spend;
};

export type ContractCases = {
  readonly contract: ArtifactName;
  /** Path of the source below `contracts/`. */
  readonly source: string;
  readonly layout: StateLayout | null;
  readonly moves: readonly Move[];
  readonly attacks: readonly Attack[];
  /** Sizes worth a line beside those of the moves. */
  readonly sizes?: readonly Sized[];
  /** Why an attack does not apply. */
  readonly absent: Partial<Record<AttackName, string>>;
};
