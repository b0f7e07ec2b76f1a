/** Every collection of the store. The composition root hands the list to the store. */
import { seenBlockCollection } from './daemon/monitor/seen-blocks.js';
import { usedChallengeCollection } from './home/access/used-challenges.js';
import { idempotencyCollection } from './http/idempotency.js';
import { tokenCollection } from './record/assets.js';
import { contactCollection } from './record/contacts.js';
import { eventCollection } from './record/events.js';
import { fundingPinCollection } from './offer/funding-pins.js';
import { pendingStepCollection } from './record/pending-steps.js';
import type { Collection } from './operation/ports/store.js';
import { withdrawalCollection, witnessCollection } from './offer/witness/offer.js';
import { planCollection, releaseCollection } from './products/budgets/index.js';
import { proposalCollection, saidVoteCollection, voteLockCollection } from './products/governance/index.js';
import { executionCollection, paymentCollection } from './products/payments/index.js';
import { campaignCollection, distributionCollection } from './products/rewards/index.js';
import {
  activityCollection,
  batchCollection,
  claimCollection,
  streamCollection,
} from './products/streams/index.js';
import { spendCollection, vaultCollection } from './products/vaults/index.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export const collections: readonly Collection<any>[] = [
  vaultCollection,
  spendCollection,
  campaignCollection,
  distributionCollection,
  planCollection,
  releaseCollection,
  streamCollection,
  claimCollection,
  batchCollection,
  activityCollection,
  paymentCollection,
  executionCollection,
  proposalCollection,
  voteLockCollection,
  saidVoteCollection,
  witnessCollection,
  withdrawalCollection,
  eventCollection,
  tokenCollection,
  contactCollection,
  pendingStepCollection,
  fundingPinCollection,
  idempotencyCollection,
  usedChallengeCollection,
  seenBlockCollection,
];
