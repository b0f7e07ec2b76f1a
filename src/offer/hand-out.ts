/** Handing out a transaction: nothing leaves this program that the VM has not run. */
import type { Address } from '../bch/address.js';
import { NETWORKS } from '../bch/network.js';
import { encodeWalletTransaction, preflight, type WalletTransaction } from '../bch/wallet-transaction.js';
import { transactionDigest } from '../bch/digest.js';
import type { ContractTerms } from '../bch/fields.js';
import type { UnsignedTransaction } from '../covenant/spend.js';
import type { Context } from '../operation/context.js';

/** What is handed out, and the contracts that it pays into and that no input of it shows. */
type Handed = Pick<UnsignedTransaction, 'transaction' | 'sourceOutputs'> & {
  readonly contracts?: readonly ContractTerms[];
};

/**
 * The wcTransaction of an unsigned transaction, after it was run through the VM as far as signatures allow, and its
 * size, fee, dust and finality were checked.
 *
 * @throws {@link PREFLIGHT_ERRORS}, {@link CHAIN_ERRORS}
 */
export const handOut = async (
  unsigned: Handed,
  signer: Address,
  userPrompt: string,
  context: Pick<Context, 'chain' | 'network'>,
): Promise<WalletTransaction> => {
  const { medianTimePast } = await context.chain.tip();
  const { transaction, contracts = [] } = unsigned;
  const sourceOutputs = [...unsigned.sourceOutputs];
  preflight({ transaction, sourceOutputs }, { lockingBytecode: signer.lockingBytecode }, { medianTimePast });
  const broadcast = NETWORKS[context.network].walletsReach;
  const digest = transactionDigest({ transaction, sourceOutputs }, context.network);
  return encodeWalletTransaction({ transaction, sourceOutputs, broadcast, userPrompt, digest, contracts });
};
