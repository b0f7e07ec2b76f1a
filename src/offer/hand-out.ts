/** Handing out a transaction: nothing leaves this program that the VM has not run. */
import type { Address } from '../bch/address.js';
import { NETWORKS } from '../bch/network.js';
import { encodeWalletTransaction, preflight, type WalletTransaction } from '../bch/wallet-transaction.js';
import type { UnsignedTransaction } from '../covenant/spend.js';
import type { Context } from '../operation/context.js';

/**
 * The wcTransaction of an unsigned transaction, after it was run through the VM as far as signatures allow, and its
 * size, fee, dust and finality were checked.
 *
 * @throws {@link PREFLIGHT_ERRORS}, {@link CHAIN_ERRORS}
 */
export const handOut = async (
  unsigned: Pick<UnsignedTransaction, 'transaction' | 'sourceOutputs'>,
  signer: Address,
  userPrompt: string,
  context: Pick<Context, 'chain' | 'network'>,
): Promise<WalletTransaction> => {
  const { medianTimePast } = await context.chain.tip();
  const { transaction } = unsigned;
  const sourceOutputs = [...unsigned.sourceOutputs];
  preflight({ transaction, sourceOutputs }, { lockingBytecode: signer.lockingBytecode }, { medianTimePast });
  const broadcast = NETWORKS[context.network].walletsReach;
  return encodeWalletTransaction({ transaction, sourceOutputs, broadcast, userPrompt });
};
