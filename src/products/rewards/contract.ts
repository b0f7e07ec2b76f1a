/** A campaign's terms as constructor parameters, and the address they give. */
import { hash160, hexToBin } from '@bitauth/libauth';
import { formatUnits } from '../../bch/amount.js';
import { parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import { checkCategory, checkDate, checkParty, checkTotal } from '../../covenant/checks.js';
import { bindContract, scriptCategory, type CovenantContract } from '../../covenant/covenant-contract.js';
import type { Finding } from '../../covenant/genesis.js';
import type { CampaignRecord } from './campaign.js';

/** The terms that the address binds. */
export type CampaignTerms = Pick<
  CampaignRecord,
  | 'artifact_fingerprint'
  | 'on_chain_campaign_id'
  | 'creator'
  | 'authority_pubkey'
  | 'refund_address'
  | 'token_category'
  | 'total_pool'
  | 'max_reward_amount'
  | 'start_date'
>;

/** The contract of a campaign. Constructor: campaignId, creatorHash, authorityHash, refundLock, tokenCategory, totalPool, maxReward, startTime. */
export const campaignContract = (terms: CampaignTerms, network: Network): CovenantContract =>
  bindContract(
    { name: 'reward-campaign', pinned: terms.artifact_fingerprint },
    [
      hexToBin(terms.on_chain_campaign_id),
      hexToBin(parseAddress(terms.creator).hash),
      hash160(hexToBin(terms.authority_pubkey)),
      hexToBin(parseAddress(terms.refund_address).lockingBytecode),
      scriptCategory(terms.token_category),
      terms.total_pool,
      terms.max_reward_amount,
      BigInt(terms.start_date),
    ],
    network,
  );

/** Checks that the parameters are within their ranges. Source: docs/design/covenants.md, rule 16. */
export const checkCampaignTerms = (
  terms: CampaignTerms & Pick<CampaignRecord, 'end_date' | 'thread' | 'decimals'>,
): readonly Finding[] => [
  ...checkParty('creator', terms.creator, terms.authority_pubkey),
  checkTotal('totalPool', terms.total_pool),
  {
    check: 'maxRewardAmount',
    ok: terms.max_reward_amount > 0n && terms.max_reward_amount <= terms.total_pool,
    detail: `${formatUnits(terms.max_reward_amount, terms.decimals)} must be above 0 and at most totalPool (${formatUnits(terms.total_pool, terms.decimals)})`,
  },
  checkCategory(terms.token_category, terms.thread),
  checkDate('startDate', terms.start_date),
  ...(terms.end_date === null ? [] : [checkDate('endDate', terms.end_date)]),
];
