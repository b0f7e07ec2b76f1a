/** Tokens of a wallet that go into a pool: its coins as inputs, and what is left of them. */
import { placeholderP2PKHUnlocker } from 'cashscript';
import type { Address } from '../../bch/address.js';
import { fungibleCoins, selectFungible, sumTokens, type Coin, type Output } from '../../bch/coins.js';
import { TOKEN_CHANGE_SATOSHIS } from '../../bch/payment.js';
import type { SpendInput } from '../spend.js';
import { TreasuryError } from '../../errors.js';

/**
 * The fewest coins of the owner that hold `amount` of a token, and the output that takes back what is left.
 *
 * @throws insufficient_funds in the token
 */
export const takeTokens = (
  owner: Address,
  coins: readonly Coin[],
  category: string,
  amount: bigint,
): { readonly inputs: readonly SpendInput[]; readonly change: readonly Output[] } => {
  const chosen = selectFungible(coins, category, amount);
  if (chosen === null) {
    throw new TreasuryError('insufficient_funds', {
      address: owner.text,
      asset: `units of the token ${category}`,
      available: sumTokens(fungibleCoins(coins, category), category).toString(),
      needed: amount.toString(),
    });
  }
  const unlocker = placeholderP2PKHUnlocker(owner.text);
  const left = sumTokens(chosen, category) - amount;
  const change: Output = {
    lockingBytecode: owner.lockingBytecode,
    satoshis: TOKEN_CHANGE_SATOSHIS,
    token: { category, amount: left },
  };
  return { inputs: chosen.map((coin) => ({ coin, unlocker })), change: left > 0n ? [change] : [] };
};
