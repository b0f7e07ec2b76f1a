/** A campaign's terms as constructor parameters, and the address they give. */
import { binToHex, hash160, hexToBin } from '@bitauth/libauth';
import { parseAddress } from '../../bch/address.js';
import { MAXIMUM_TOKEN_AMOUNT } from '../../bch/amount.js';
import type { Network } from '../../bch/network.js';
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

const EARLIEST = 500_000_000;
const LATEST = 4_000_000_000;

/** Checks that the parameters are within their ranges. Source: covenants rule 16. */
export const checkCampaignTerms = (
  terms: CampaignTerms & Pick<CampaignRecord, 'end_date'>,
): readonly Finding[] => {
  const creator = parseAddress(terms.creator);
  const authority = hash160(hexToBin(terms.authority_pubkey));
  const date = (name: string, value: number): Finding => ({
    check: name,
    ok: value >= EARLIEST && value <= LATEST,
    detail: `${value} must lie between ${EARLIEST} and ${LATEST}`,
  });
  return [
    {
      check: 'creator',
      ok: creator.kind === 'p2pkh',
      detail: `${terms.creator} must be the address of one key, since it signs`,
    },
    {
      check: 'authority',
      ok: creator.hash !== binToHex(authority),
      detail: 'the creator must not be the claim authority itself',
    },
    {
      check: 'totalPool',
      ok: terms.total_pool > 0n && terms.total_pool <= MAXIMUM_TOKEN_AMOUNT,
      detail: `${terms.total_pool} must be above 0 and at most ${MAXIMUM_TOKEN_AMOUNT}`,
    },
    {
      check: 'maxRewardAmount',
      ok: terms.max_reward_amount > 0n && terms.max_reward_amount <= terms.total_pool,
      detail: `${terms.max_reward_amount} must be above 0 and at most totalPool (${terms.total_pool})`,
    },
    {
      check: 'tokenCategory',
      ok: terms.token_category === null || !/^0+$/.test(terms.token_category),
      detail: 'a token category is not all zeros',
    },
    date('startDate', terms.start_date),
    ...(terms.end_date === null ? [] : [date('endDate', terms.end_date)]),
  ];
};
