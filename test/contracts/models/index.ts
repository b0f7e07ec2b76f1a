/** The models by contract. */
import type { ArtifactName } from '../../../src/covenant/artifact.js';
import { budgetPlan } from './budget-plan.js';
import { recurringPayment } from './recurring-payment.js';
import { rewardCampaign } from './reward-campaign.js';
import { stream } from './stream.js';
import { tokenReserve } from './token-reserve.js';
import { vault } from './vault.js';
import { voteLock } from './vote-lock.js';
import type { Model } from './vocabulary.js';

export const MODELS: Readonly<Record<ArtifactName, Model>> = {
  'budget-plan': budgetPlan,
  'recurring-payment': recurringPayment,
  'reward-campaign': rewardCampaign,
  stream,
  'token-reserve': tokenReserve,
  vault,
  'vote-lock': voteLock,
};
