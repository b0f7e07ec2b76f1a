/** The cases of every contract, in the order of the matrix. */
import { cases as budgetPlan } from '../budget-plan.cases.js';
import { cases as recurringPayment } from '../recurring-payment.cases.js';
import { cases as rewardCampaign } from '../reward-campaign.cases.js';
import { cases as stream } from '../stream.cases.js';
import { cases as tokenReserve } from '../token-reserve.cases.js';
import { cases as vault } from '../vault.cases.js';
import { cases as voteLock } from '../vote-lock.cases.js';
import type { ContractCases } from './cases.js';

export const EVERY_CONTRACT: readonly ContractCases[] = [
  rewardCampaign,
  budgetPlan,
  stream,
  recurringPayment,
  tokenReserve,
  voteLock,
  vault,
];
