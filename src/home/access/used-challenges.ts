/** A challenge works once: the nonces of those that were used, kept until they would have expired anyway. */
import { z } from 'zod';
import { TreasuryError } from '../../errors.js';
import { defineCollection, type StoreWriter } from '../../operation/ports/store.js';

export const UsedChallenge = z.object({
  /** The nonce. */
  id: z.string().min(1),
  /** Unix seconds, wall clock. */
  expires_at: z.int(),
});

export const usedChallengeCollection = defineCollection({
  name: 'used_challenges',
  schema: UsedChallenge,
  indexes: {},
});

/** How many of the oldest are looked at for each that is added: more than one, so that none pile up. */
const PRUNE_COUNT = 20;

/**
 * Marks a challenge as used, and forgets old ones.
 *
 * @throws challenge_used
 */
export const useChallenge = async (
  writer: StoreWriter,
  { nonce, expiresAt }: { readonly nonce: string; readonly expiresAt: number },
  wallNow: number,
): Promise<void> => {
  if ((await writer.get(usedChallengeCollection, nonce)) !== null) throw new TreasuryError('challenge_used');
  const { items } = await writer.find(usedChallengeCollection, { order: 'oldest', limit: PRUNE_COUNT });
  for (const { id, expires_at } of items) {
    if (expires_at < wallNow) writer.remove(usedChallengeCollection, id);
  }
  writer.put(usedChallengeCollection, { id: nonce, expires_at: expiresAt });
};
