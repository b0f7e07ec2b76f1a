/**
 * The oracle: what an accepted transaction did to covenants, judged by the invariants I1 to I8.
 *
 * Written from the tables of the specification and from nothing in `contracts`: it reads coins, outputs, signatures
 * and the chain's time, and asks of which move of the table a transaction is an instance. A transaction that is none
 * breaks an invariant, and so does one that spends a reserve without its thread.
 */
import { binToHex } from '@bitauth/libauth';
import { DUST, TOKEN } from '../harness/coins.js';
import { authority, outsider, owner, recipient, type Party } from '../harness/parties.js';
import { FINAL, type Built, type Output, type Spend } from '../harness/spend.js';
import type { Rows, Situation } from './oracle-rows.js';
import { signersAt } from './signers.js';

export type Invariant = 'I1' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'I8' | 'I9' | 'I10' | 'I13';
export type Violation = { readonly invariant: Invariant; readonly what: string };

/** What the oracle knows of a covenant: its terms (in `rows`) and where its coins lie. */
export type Watched = {
  readonly name: string;
  readonly asset: 'BCH' | 'tokens';
  readonly lock: Uint8Array;
  /** As transaction ids are shown. */
  readonly category: string;
  readonly reserveLock: Uint8Array;
  /** The moves of its table. */
  readonly rows: Rows;
  /** Tokens in its reserve before the transaction, by `txid:vout`. */
  readonly reserve: ReadonlyMap<string, bigint>;
};

export type Judged = {
  readonly spend: Spend;
  readonly built: Built;
  /** The last second that has passed: what "now" is, whatever a locktime says. */
  readonly now: number;
  /** Whether the authority signs at `now` only, or whatever it is given. */
  readonly isWitnessHonest: boolean;
};

const isAt = (output: Output, lock: Uint8Array): boolean =>
  Buffer.compare(output.lockingBytecode, lock) === 0;

const isThread = ({ token }: Output, category: string): boolean =>
  token?.nft !== undefined && token.nft.capability !== 'none' && binToHex(token.category) === category;

const tokensOf = ({ token }: Output): bigint =>
  token !== undefined && binToHex(token.category) === TOKEN ? token.amount : 0n;

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);

/**
 * I13: an output that its receiver can spend alone, whoever that is: nothing is glued to it, and tokens have the satoshis
 * to move on. An NFT without a commitment is all that a script cannot tell from none.
 */
const isFree = ({ token, valueSatoshis }: Output, asset: 'BCH' | 'tokens'): boolean => {
  if (asset === 'BCH') return token === undefined;
  const { nft } = token ?? {};
  const isBare = nft === undefined || (nft.capability === 'none' && nft.commitment.length === 0);
  return isBare && valueSatoshis >= DUST;
};

/** The parties that a covenant can name. */
export const PEOPLE: readonly Party[] = [owner, recipient, authority, outsider];

/** I4: a covenant has one thread, which cannot mint, and there is none that no covenant has. */
const judgeThreads = (
  { lock, category }: Watched,
  { spend }: Judged,
  locks: readonly Uint8Array[],
): Violation[] => {
  const threads = spend.outputs.filter((output) => isThread(output, category));
  const own = threads.filter((output) => isAt(output, lock));
  const isLost = (output: Output): boolean => !locks.some((known) => isAt(output, known));
  const fault = (what: string): Violation => ({ invariant: 'I4', what });
  return [
    ...(own.length > 1 ? [fault('the covenant has two threads')] : []),
    ...(own.some(({ token }) => token?.nft?.capability === 'minting') ? [fault('the thread can mint')] : []),
    ...(threads.some(isLost) ? [fault('a thread is outside its covenant')] : []),
  ];
};

const reserveAfter = (watched: Watched, { spend }: Judged): bigint => {
  const spentIds = new Set(spend.inputs.map(({ txid, vout }) => `${txid}:${vout}`));
  const kept = [...watched.reserve].filter(([id]) => !spentIds.has(id)).map(([, amount]) => amount);
  const made = spend.outputs.filter((output) => isAt(output, watched.reserveLock)).map(tokensOf);
  return sum([...kept, ...made]);
};

const movesReserve = ({ reserve }: Watched, { spend }: Judged): boolean =>
  spend.inputs.some(({ txid, vout }) => reserve.has(`${txid}:${vout}`));

const situationOf = (watched: Watched, judged: Judged, at: number): Situation => {
  const { spend, built, now, isWitnessHonest } = judged;
  const { asset, lock, category } = watched;
  const coin = spend.inputs[at]?.coin as Output;
  const next = spend.outputs.find((output) => isThread(output, category) && isAt(output, lock));
  const signers = signersAt(built, at, PEOPLE);
  return {
    asset,
    before: coin.token?.nft?.commitment ?? new Uint8Array(),
    after: next?.token?.nft?.commitment ?? null,
    poolBefore: coin.valueSatoshis - DUST,
    poolAfter: next === undefined ? 0n : next.valueSatoshis - DUST,
    reserveAfter: reserveAfter(watched, judged),
    opensReserve: movesReserve(watched, judged),
    isAtFirst: next === undefined || spend.outputs[0] === next,
    hasSigned: (hash) => signers.some((party) => binToHex(party.hash) === hash),
    gets: (where) =>
      sum(
        spend.outputs
          .filter((output) => isAt(output, where))
          .map((output) => (asset === 'BCH' ? output.valueSatoshis : tokensOf(output))),
      ),
    getsFree: (where) =>
      sum(
        spend.outputs
          .filter((output) => isAt(output, where) && isFree(output, asset))
          .map((output) => (asset === 'BCH' ? output.valueSatoshis : tokensOf(output))),
      ),
    isPaidFree: (amount) =>
      spend.outputs.some(
        (output) =>
          output !== next &&
          isFree(output, asset) &&
          (asset === 'BCH' ? output.valueSatoshis : tokensOf(output)) === amount,
      ),
    payouts: spend.outputs
      .filter((output) => output !== next)
      .map((output) => (asset === 'BCH' ? output.valueSatoshis : tokensOf(output))),
    now,
    locktime: spend.inputs[at]?.sequence === FINAL ? null : spend.locktime,
    isWitnessHonest,
  };
};

/** How badly a move fits. Of two that break as much, one that its parties have signed fits better. */
const misfit = (faults: readonly Violation[]): number =>
  faults.length + (faults.some(({ invariant }) => invariant === 'I7') ? 0.5 : 0);

/** The faults of the move that fits best. */
const judgeMove = (watched: Watched, judged: Judged, at: number): Violation[] => {
  const situation = situationOf(watched, judged, at);
  const candidates = watched
    .rows(situation)
    .map(({ checks }) =>
      checks.filter(([, holds]) => !holds).map(([invariant, , what]) => ({ invariant, what })),
    );
  return candidates.reduce(
    (best, faults) => (misfit(faults) < misfit(best) ? faults : best),
    [...Array.from({ length: 99 }, (): Violation => ({ invariant: 'I3', what: 'no move of the table' }))],
  );
};

/** What a transaction, accepted by the machine and the chain, breaks of the invariants of some covenants. */
export const judge = (covenants: readonly Watched[], judged: Judged): Violation[] => {
  const { inputs } = judged.spend;
  const spentAt = ({ lock, category }: Watched): number =>
    inputs.findIndex(({ coin }) => isThread(coin, category) && isAt(coin, lock));
  const locks = covenants.map(({ lock }) => lock);
  return covenants.flatMap((watched): Violation[] => {
    const at = spentAt(watched);
    const named = (violations: readonly Violation[]): Violation[] =>
      violations.map(({ invariant, what }) => ({ invariant, what: `${watched.name}: ${what}` }));
    if (at === -1) {
      return named(
        movesReserve(watched, judged)
          ? [{ invariant: 'I5', what: 'its reserve moves without its thread' }]
          : [],
      );
    }
    return named([...judgeThreads(watched, judged, locks), ...judgeMove(watched, judged, at)]);
  });
};
