/**
 * Every collection of the store. The composition root hands the list to the store.
 *
 * Those of a product are its records, what else tells of their moves, and what a file of deployments keeps beside them.
 */
import { seenBlockCollection } from './daemon/monitor/seen-blocks.js';
import { reorgWorkCollection } from './daemon/monitor/told-reorgs.js';
import { toldStrayCollection } from './daemon/monitor/told-strays.js';
import { usedChallengeCollection } from './home/access.js';
import { idempotencyCollection } from './http/idempotency.js';
import { rateCountCollection } from './http/shared-limit.js';
import { fundingPinCollection } from './offer/funding-pins.js';
import { withdrawalCollection, witnessCollection } from './offer/witness/offer.js';
import type { Collection } from './operation/ports/store.js';
import { keyBuildCollection, scriptKeyCollection } from './operation/script-keys/script-key.js';
import { loadDeployables, loadKeptRecords } from './products/index.js';
import { coinLeaseCollection } from './record/coin-leases.js';
import { contactCollection } from './record/contacts.js';
import { keeperActCollection, keeperFaultCollection } from './record/keeper.js';
import { leaseCollection, leaseHolderCollection } from './record/leases.js';
import { chainCollection } from './record/own-chain.js';
import { pendingStepCollection } from './record/pending-steps.js';
import { toldTimeCollection } from './record/timetable.js';
import { deliveryCollection, webhookCollection, webhookStateCollection } from './record/webhooks/webhook.js';

const [deployables, keptRecords] = await Promise.all([loadDeployables(), loadKeptRecords()]);

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export const collections: readonly Collection<any>[] = [
  // What tells of a stream's moves is kept in files of deployments too.
  ...new Set(
    [...deployables, ...deployables.flatMap(({ feeds }) => feeds), ...keptRecords].map(
      ({ collection }) => collection,
    ),
  ),
  witnessCollection,
  withdrawalCollection,
  contactCollection,
  pendingStepCollection,
  toldTimeCollection,
  fundingPinCollection,
  coinLeaseCollection,
  idempotencyCollection,
  rateCountCollection,
  usedChallengeCollection,
  seenBlockCollection,
  reorgWorkCollection,
  leaseCollection,
  leaseHolderCollection,
  keeperActCollection,
  keeperFaultCollection,
  toldStrayCollection,
  scriptKeyCollection,
  keyBuildCollection,
  webhookCollection,
  webhookStateCollection,
  deliveryCollection,
  chainCollection,
];
