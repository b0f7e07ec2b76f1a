/**
 * The reserve: where the fungible pool of a thread sits, at an address that the thread's category and covenant give.
 * Source: contracts/token-reserve.cash.
 */
import { hexToBin } from '@bitauth/libauth';
import { outpointText, type Coin, type Output } from '../bch/coins.js';
import type { Network } from '../bch/network.js';
import { bindContract, scriptCategory, type CovenantContract } from './covenant-contract.js';

/** Satoshis that a reserve output holds. */
export const RESERVE_DUST = 1_000n;
/** Satoshis that go along with tokens paid to a person. */
export const TOKEN_PAYOUT_DUST = 1_000n;

/** The reserve of the thread of `threadCategory` under a covenant's locking bytecode. */
export const reserveContract = (
  threadCategory: string,
  covenantLock: string,
  network: Network,
): CovenantContract =>
  bindContract('token-reserve', [scriptCategory(threadCategory), hexToBin(covenantLock)], network);

/** A reserve output that holds `amount` of the product's token. */
export const reserveOutput = (reserve: CovenantContract, tokenCategory: string, amount: bigint): Output => ({
  lockingBytecode: reserve.lockingBytecode,
  satoshis: RESERVE_DUST,
  token: { category: tokenCategory, amount },
});

/** Coins without an NFT first, then the one that holds just what is needed, then the largest. */
const byUse =
  (needed: bigint) =>
  (a: Coin, b: Coin): number => {
    const rank = ({ token }: Coin) => (token?.nft === undefined ? 0 : 2) + (token?.amount === needed ? 0 : 1);
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    const [left, right] = [a.token?.amount ?? 0n, b.token?.amount ?? 0n];
    if (left !== right) return left > right ? -1 : 1;
    return outpointText(a) < outpointText(b) ? -1 : 1;
  };

/**
 * The reserve coins to spend: the one that holds just what is needed, which is the covenant's own, else as few as
 * suffice. What the reserve must hold is said by the state, so a coin that somebody else sent there does no harm.
 *
 * A script cannot tell an immutable NFT of the token's category from none, so the reserve's own coin may carry one:
 * such a coin is taken when the others do not suffice, and its NFT is burned.
 *
 * @returns null when the coins at the reserve hold less than `needed`
 */
export const reserveCoins = (
  coins: readonly Coin[],
  tokenCategory: string,
  needed: bigint,
): Coin[] | null => {
  const chosen: Coin[] = [];
  let sum = 0n;
  for (const coin of coins.filter(({ token }) => token?.category === tokenCategory).sort(byUse(needed))) {
    if (sum >= needed) break;
    chosen.push(coin);
    sum += coin.token?.amount ?? 0n;
  }
  return sum >= needed ? chosen : null;
};
