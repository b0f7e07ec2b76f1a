/** A move of the sender's that the authority witnesses: pause and cancel. */
import { parseAddress } from '../../bch/address.js';
import type { WalletTransaction } from '../../bch/wallet-transaction.js';
import type { UnsignedTransaction } from '../../covenant/spend.js';
import type { Witness } from '../../covenant/ticket.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import { offerWitnessed, type WitnessedMove } from '../../offer/witness/offer.js';
import { spendOf, type PoolUse } from './spend-of.js';
import type { StreamRecord } from './stream.js';
import type { StreamSpend } from './transactions.js';

export type StreamSettlement = {
  readonly move: WitnessedMove;
  readonly userPrompt: string;
  readonly use: PoolUse;
  readonly build: (spend: StreamSpend, witness: Witness) => UnsignedTransaction;
};

/**
 * The transaction of a witnessed move, for the sender's wallet.
 *
 * @throws authority_unfunded, authority_locked, authority_missing, insufficient_funds, store_conflict,
 *   chain_unavailable, and what handing out throws
 */
export const offerWitnessedMove = async (
  stream: StreamRecord,
  { move, userPrompt, use, build }: StreamSettlement,
  context: Context,
): Promise<WalletTransaction> => {
  const { id, stream_id: label, thread, authority_pubkey: authorityPublicKey } = stream;
  if (thread === null) throw new TreasuryError('store_conflict', { label });
  const signer = parseAddress(stream.sender);
  return offerWitnessed(
    {
      subject: { entityType: 'stream', id, label },
      thread,
      authorityPublicKey,
      move,
      signer,
      userPrompt,
      build: async (witness) => build(await spendOf(stream, signer, use, context), witness),
    },
    context,
  );
};
