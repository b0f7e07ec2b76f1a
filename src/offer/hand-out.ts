/** Handing out a transaction: nothing leaves this program that the VM has not run. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Address } from '../bch/address.js';
import { NETWORKS } from '../bch/network.js';
import { encodeWalletTransaction, preflight, type WalletTransaction } from '../bch/wallet-transaction.js';
import { transactionDigest } from '../bch/digest.js';
import type { ContractTerms } from '../bch/fields.js';
import type { UnsignedTransaction } from '../covenant/spend.js';
import type { Context } from '../operation/context.js';

/** Outputs of a transaction that is built and run in one turn of the program. */
const MOST_TO_A_TURN = 50;

/** What is handed out, and the contracts that it pays into and that no input of it shows. */
type Handed = Pick<UnsignedTransaction, 'transaction' | 'sourceOutputs'> & {
  readonly contracts?: readonly ContractTerms[];
};

/**
 * The wcTransaction of an unsigned transaction, after it was run through the VM as far as signatures allow, and its
 * size, fee, dust and finality were checked. For a key with a maximum it is measured, and taken down.
 *
 * @throws {@link PREFLIGHT_ERRORS}, {@link CHAIN_ERRORS}
 */
export const handOut = async (
  unsigned: Handed,
  signer: Address,
  userPrompt: string,
  context: Pick<Context, 'chain' | 'network' | 'spending'>,
): Promise<WalletTransaction> => {
  const { medianTimePast } = await context.chain.tip();
  const { transaction, contracts = [] } = unsigned;
  const sourceOutputs = [...unsigned.sourceOutputs];
  // What hundreds of outputs take has turns of its own.
  const isLong = transaction.outputs.length > MOST_TO_A_TURN;
  if (isLong) await nextTurn();
  preflight({ transaction, sourceOutputs }, { lockingBytecode: signer.lockingBytecode }, { medianTimePast });
  await context.spending?.take({ transaction, sourceOutputs });
  if (isLong) await nextTurn();
  const broadcast = NETWORKS[context.network].walletsReach;
  const digest = transactionDigest({ transaction, sourceOutputs }, context.network);
  return encodeWalletTransaction({ transaction, sourceOutputs, broadcast, userPrompt, digest, contracts });
};
