/**
 * The reserve: where the fungible pool of a thread sits, at an address that the thread's category and covenant give.
 * Source: contracts/token-reserve.cash.
 */
import { binToHex, hash256, hexToBin } from '@bitauth/libauth';
import { outpointText, type Coin, type Output } from '../bch/coins.js';
import type { Network } from '../bch/network.js';
import { newestFingerprint } from './artifact.js';
import { bindContract, scriptCategory, type CovenantContract } from './covenant-contract.js';

/** Satoshis that a reserve output holds. */
export const RESERVE_DUST = 1_000n;
/** Satoshis that go along with tokens paid to a person. */
export const TOKEN_PAYOUT_DUST = 1_000n;

/**
 * The reserve of the thread of `threadCategory` under a covenant's locking bytecode.
 *
 * @example
 * reserveContract(thread.category, contract.lockingBytecode, 'local').name; // 'token-reserve'
 */
export const reserveContract = (
  threadCategory: string,
  covenantLock: string,
  network: Network,
): CovenantContract =>
  bindContract(
    // Every version of a covenant assembles this script itself, so there is one, for good.
    { name: 'token-reserve', pinned: newestFingerprint('token-reserve') },
    [scriptCategory(threadCategory), hexToBin(covenantLock)],
    network,
  );

/** What follows the two parameters of the compiled reserve. */
const RESERVE_SCRIPT = '00ce7c517e8800c787';

/**
 * The locking bytecode (hex) of {@link reserveContract}, put together as the covenants do it themselves: for whoever
 * asks for those of many.
 *
 * @example
 * const reserve = reserveContract(thread.category, contract.lockingBytecode, 'local');
 * reserveLock(thread.category, contract.lockingBytecode); // reserve.lockingBytecode
 */
export const reserveLock = (threadCategory: string, covenantLock: string): string => {
  const redeem = `23${covenantLock}20${binToHex(scriptCategory(threadCategory))}${RESERVE_SCRIPT}`;
  return `aa20${binToHex(hash256(hexToBin(redeem)))}87`;
};

/**
 * A reserve output that holds `amount` of the product's token.
 *
 * @example
 * const reserve = reserveContract(thread.category, contract.lockingBytecode, 'local');
 * reserveOutput(reserve, category, 5n).token; // { category, amount: 5n }
 */
export const reserveOutput = (reserve: CovenantContract, tokenCategory: string, amount: bigint): Output => ({
  lockingBytecode: reserve.lockingBytecode,
  satoshis: RESERVE_DUST,
  token: { category: tokenCategory, amount },
});

/**
 * More reserve coins than any spend needs: the covenant's own is one coin that holds all of it. So few that the
 * transaction stays far below the size that is relayed.
 */
const MAXIMUM_RESERVE_COINS = 20;

/** The coin that holds just what is needed first, then the largest; of equal ones, those without an NFT. */
const byUse =
  (needed: bigint) =>
  (a: Coin, b: Coin): number => {
    const [left, right] = [a.token?.amount ?? 0n, b.token?.amount ?? 0n];
    if (left !== right) {
      if (left === needed || right === needed) return left === needed ? -1 : 1;
      return left > right ? -1 : 1;
    }
    const [leftNft, rightNft] = [a, b].map(({ token }) => token?.nft !== undefined);
    if (leftNft !== rightNft) return rightNft === true ? -1 : 1;
    return outpointText(a) < outpointText(b) ? -1 : 1;
  };

/**
 * The reserve coins to spend: the one that holds just what is needed, which is the covenant's own, else as few as
 * suffice. What the reserve must hold is said by the state, so a coin that somebody else sent there does no harm, and
 * however many they are, they neither come before it nor make the spend larger. Source: docs/design/covenants.md, rule 19.
 *
 * A script cannot tell an immutable NFT of the token's category from none, so the reserve's own coin may carry one:
 * it is taken all the same, and its NFT is burned.
 *
 * @returns null when the coins at the reserve hold less than `needed`, or only in more coins than one spend takes
 * @example
 * reserveCoins([tokenCoin], category, 500n); // [tokenCoin]
 * reserveCoins([tokenCoin], category, 501n); // null
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
    if (chosen.length === MAXIMUM_RESERVE_COINS) return null;
    chosen.push(coin);
    sum += coin.token?.amount ?? 0n;
  }
  return sum >= needed ? chosen : null;
};
