/** Reward campaigns, declared: what the operations and the core know of them. */
import { RecordId } from '../../bch/fields.js';
import { definePoolProduct } from '../../record/covenant-product.js';
import { findVault, vaultCollection, vaultReaders } from '../vaults/index.js';
import {
  campaignCollection,
  CAMPAIGN_MOVES,
  Distributed,
  distributionCollection,
  type CampaignRecord,
} from './campaign.js';
import { campaignContract, checkCampaignTerms } from './contract.js';
import { observeCampaign } from './observe.js';
import { remainingPool } from './rules.js';
import { campaignState } from './state.js';
import { campaignGenesis } from './transactions.js';

export const campaigns = definePoolProduct<CampaignRecord, keyof typeof CAMPAIGN_MOVES>({
  noun: 'rewards',
  route: '/api/rewards',
  entityType: 'reward',
  eventKind: 'campaign',
  words: ['campaign', 'campaign'],
  id: RecordId.describe('Campaign id, or label such as REWARD-0001'),
  collection: campaignCollection,
  notFound: 'reward_not_found',
  labelKind: 'REWARD',
  labelField: 'campaign_id',
  contractType: 'RewardCampaign',
  contract: campaignContract,
  checkTerms: checkCampaignTerms,
  tokenCategory: (campaign) => campaign.token_category,
  parties: (campaign) => ({ creator: campaign.creator, refund: campaign.refund_address }),
  funder: 'creator',
  genesis: campaignGenesis,
  remaining: remainingPool,
  moves: CAMPAIGN_MOVES,
  fresh: () => ({ distributed_count: 0, distributed_total: 0n }),
  observe: observeCampaign,
  // What a cancellation leaves goes back.
  paid: ({ event_type, amount, details }) =>
    event_type === 'distribution' ? { to: Distributed.parse(details).recipient, amount } : null,
  rows: [
    {
      collection: distributionCollection,
      time: 'distributed_at',
      of: ({ id: reward_id, decimals }, event) => {
        if (event.event_type !== 'distribution') return [];
        const { id, amount, details, tx_hash, created_at: distributed_at } = event;
        const { recipient } = Distributed.parse(details);
        return [{ id, reward_id, recipient, amount, decimals, tx_hash, distributed_at }];
      },
    },
  ],
  strays: {
    isState: (_campaign, commitment) => campaignState.decode(commitment) !== null,
    way: ({ refund_address: refund }) => `the creator cancels it, which pays ${refund}`,
  },
  findVault,
  ...vaultReaders(({ vault_id: vaultId, creator }) => ({ vaultId, parties: [creator] })),
  needs: ({ vault_id: id }) => (id === null ? [] : [{ collection: vaultCollection, id }]),
});
