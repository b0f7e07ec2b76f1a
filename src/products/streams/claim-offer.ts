/** The claim of an amount, checked by the VM. */
import { formatUnits } from '../../bch/amount.js';
import type { WalletTransaction } from '../../bch/wallet-transaction.js';
import type { Context } from '../../operation/context.js';
import { spendOf } from '../../offer/gather-spend.js';
import { handOut } from '../../offer/hand-out.js';
import { kindOf } from './kinds.js';
import { streams } from './product.js';
import type { StreamRecord } from './stream.js';
import type { ClaimOrder } from './transactions.js';

export type ClaimOffer = {
  readonly wcTransaction: WalletTransaction;
  /** Satoshis. */
  readonly fee: bigint;
  /** True when the recipient had no coins for the fee, and it comes out of the payout. */
  readonly isFeeFromPayout: boolean;
};

/**
 * The transaction with which the recipient takes an amount that is claimable.
 *
 * @throws insufficient_funds, amount_below_dust, store_conflict, chain_unavailable, and what handing out throws
 */
export const offerClaim = async (
  stream: StreamRecord,
  order: ClaimOrder,
  context: Context,
): Promise<ClaimOffer> => {
  const recipient = streams.party(stream, 'recipient');
  const spend = await spendOf(streams, { record: stream, payer: recipient }, context);
  const unsigned = kindOf(stream).buildClaim(spend, order);
  const shown = formatUnits(order.amount, stream.decimals);
  const prompt = `Claim ${shown} from ${stream.stream_id} to ${order.to.text}`;
  const paid = unsigned.outputs.some(
    ({ lockingBytecode, satoshis, token }) =>
      lockingBytecode === order.to.lockingBytecode &&
      (stream.token_category === null ? satoshis >= order.amount : token?.amount === order.amount),
  );
  return {
    wcTransaction: await handOut(unsigned, recipient, prompt, context),
    fee: unsigned.fee,
    isFeeFromPayout: !paid,
  };
};
