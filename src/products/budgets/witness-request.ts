/** What the time witness needs to know of a plan. */
import type { Address } from '../../bch/address.js';
import { TreasuryError } from '../../errors.js';
import type { WitnessedMove, WitnessRequest } from '../../offer/witness/offer.js';
import type { PlanRecord } from './plan.js';

/** The request of a witnessed move, but for its prompt and its builder. */
export const witnessRequest = (
  { id, budget_id: label, thread, authority_pubkey: authorityPublicKey }: PlanRecord,
  move: WitnessedMove,
  signer: Address,
): Omit<WitnessRequest, 'userPrompt' | 'build'> => {
  if (thread === null) throw new TreasuryError('store_conflict', { label });
  return { subject: { entityType: 'budget', id, label }, thread, authorityPublicKey, move, signer };
};
