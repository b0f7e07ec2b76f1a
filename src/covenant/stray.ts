/**
 * Strays: what lies at a covenant's address and is not the thread that its record follows.
 *
 * Anybody can send coins there, and mint a thread there: a second funding, one with a wrong sum, one by somebody else.
 * What carries a state of the covenant is moved by the covenant's own functions; nothing moves the rest. Source:
 * docs/design/wallets.md, One funding; docs/design/covenants.md, rules 10 and 11.
 */
import { sumTokens, type Coin } from '../bch/coins.js';
import type { Network } from '../bch/network.js';
import { THREAD_DUST } from '../bch/transaction.js';
import { reserveContract } from './reserve.js';
import type { ThreadPointer } from './thread.js';

/** A coin at a covenant's address that its record does not follow. */
export type Stray = {
  readonly coin: Coin;
  /** What the covenant's functions can spend; null: none of them can. */
  readonly thread: ThreadPointer | null;
  /** Coins of the thread's reserve that hold the pool's token, largest first; none in BCH. */
  readonly reserve: readonly Coin[];
  /** What it holds in the pool's asset, smallest unit; of a thread in BCH, without its dust. */
  readonly held: bigint;
};

/** A stray that the covenant's functions can spend. */
export type StrayThread = Stray & { readonly thread: ThreadPointer };

/**
 * True for a stray that the covenant's functions can spend.
 *
 * @example
 * isThread(strayInBch(coin, null)); // false
 */
export const isThread = (stray: Stray): stray is StrayThread => stray.thread !== null;

/** Reserve coins that one spend takes: far below what a standard transaction holds. */
const MAXIMUM_RESERVE_COINS = 50;

const byAmount = (a: Coin, b: Coin): number => {
  const [left, right] = [a.token?.amount ?? 0n, b.token?.amount ?? 0n];
  return left === right ? 0 : left > right ? -1 : 1;
};

/**
 * The thread that a coin carries, or null.
 *
 * The functions read the state from the commitment and want it gone or continued: an immutable NFT will do for that, as
 * long as no fungible amount rides with it, whose change would look like the thread.
 *
 * @example
 * threadOf(threadCoin, () => true); // thread
 * threadOf(coin, () => true); // null
 */
export const threadOf = (
  { txid, vout, token }: Coin,
  isState: (commitment: string) => boolean,
): ThreadPointer | null => {
  if (token?.nft === undefined || !isState(token.nft.commitment)) return null;
  if (token.nft.capability === 'none' && token.amount > 0n) return null;
  return { category: token.category, txid, vout, commitment: token.nft.commitment };
};

/**
 * Where the tokens of a stray thread lie; null where it opens no reserve.
 *
 * @example
 * strayReserveLock(threadCoin, contract.lockingBytecode, 'local').length; // 70
 * strayReserveLock(coin, contract.lockingBytecode, 'local'); // null
 */
export const strayReserveLock = ({ token }: Coin, covenantLock: string, network: Network): string | null =>
  token?.nft?.capability === 'mutable'
    ? reserveContract(token.category, covenantLock, network).lockingBytecode
    : null;

/**
 * A stray of a pool in BCH.
 *
 * @example
 * strayInBch(coin, null).held; // 100_000_000n
 */
export const strayInBch = (coin: Coin, thread: ThreadPointer | null): Stray => {
  const above = coin.satoshis > THREAD_DUST ? coin.satoshis - THREAD_DUST : 0n;
  return { coin, thread, reserve: [], held: thread === null ? coin.satoshis : above };
};

/**
 * A stray of a pool in tokens, with the coins at its reserve.
 *
 * @example
 * strayInTokens(threadCoin, thread, category, [tokenCoin]).held; // 500n
 */
export const strayInTokens = (
  coin: Coin,
  thread: ThreadPointer | null,
  tokenCategory: string,
  reserveCoins: readonly Coin[],
): Stray => {
  const reserve = reserveCoins
    .filter(({ token }) => token?.category === tokenCategory && token.amount > 0n)
    .sort(byAmount)
    .slice(0, MAXIMUM_RESERVE_COINS);
  return { coin, thread, reserve, held: sumTokens([coin, ...reserve], tokenCategory) };
};
