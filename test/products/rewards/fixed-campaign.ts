/** A campaign whose every figure is fixed, and its transactions as a chain would have them. Nobody signs. */
import { newestFingerprint } from '../../../src/covenant/artifact.js';
import { alice, authority } from '../../../fixtures/people.js';
import type { Coin, Output } from '../../../src/bch/coins.js';
import {
  fromLibauthTransaction,
  type ChainTransaction,
  type Transaction,
} from '../../../src/bch/transaction.js';
import { reserveContract } from '../../../src/covenant/reserve.js';
import { buildFunding } from '../../../src/covenant/funding.js';
import type { UnsignedTransaction } from '../../../src/covenant/spend.js';
import type { CampaignRecord } from '../../../src/products/rewards/campaign.js';
import { campaignContract } from '../../../src/products/rewards/contract.js';
import { campaigns } from '../../../src/products/rewards/product.js';
import { campaignGenesis, type CampaignSpend } from '../../../src/products/rewards/transactions.js';
import { binToHex } from '@bitauth/libauth';
import { coinOf, onChain } from '../../covenant/scripted-chain.js';

/** 2026-06-01T00:00:00Z. */
export const START = 1_780_272_000;
export const TOKEN = 'cc'.repeat(32);

const creator = alice.address('local');

/** A PENDING campaign of alice: 0.03 BCH, at most 0.01 at a time. */
export const campaignOf = (changes: Partial<CampaignRecord> = {}): CampaignRecord => {
  const terms: CampaignRecord = {
    id: 'campaign-1',
    campaign_id: '#REWARD-0001',
    artifact_fingerprint: newestFingerprint('reward-campaign'),
    on_chain_campaign_id: '07'.repeat(32),
    creator: creator.text,
    title: 'Bug bounties',
    description: '',
    reward_category: 'CUSTOM',
    token_type: 'BCH',
    token_category: null,
    decimals: 8,
    total_pool: 3_000_000n,
    max_reward_amount: 1_000_000n,
    start_date: START,
    end_date: null,
    vault_id: null,
    refund_address: creator.text,
    contract_address: '',
    constructor_params: [],
    authority_pubkey: binToHex(authority.publicKey),
    status: 'PENDING',
    distributed_count: 0,
    distributed_total: 0n,
    tx_hash: null,
    last_tx_hash: null,
    thread: null,
    deprecated: false,
    created_at: START,
    updated_at: START,
    own_label: null,
    own_note: null,
    ...changes,
  };
  const contract = campaignContract(terms, 'local');
  return {
    ...terms,
    contract_address: contract.address.text,
    constructor_params: [...contract.constructorParams],
  };
};

/** The same in a token with two decimals: 30.00, at most 10.00 at a time. */
export const tokenCampaignOf = (changes: Partial<CampaignRecord> = {}): CampaignRecord =>
  campaignOf({
    token_type: 'FUNGIBLE_TOKEN',
    token_category: TOKEN,
    decimals: 2,
    total_pool: 3_000n,
    max_reward_amount: 1_000n,
    ...changes,
  });

/** A coin of alice that nothing else mentions. */
export const walletCoin = (number: number, satoshis: bigint, more: Partial<Coin> = {}): Coin => ({
  txid: number.toString(16).padStart(64, 'e'),
  vout: 1,
  satoshis,
  lockingBytecode: creator.lockingBytecode,
  height: 1,
  ...more,
});

/** What pays for a funding: a genesis coin, and tokens. */
export const fundingCoins: readonly Coin[] = [
  walletCoin(1, 10_000_000n, { vout: 0 }),
  walletCoin(2, 1_000n, { token: { category: TOKEN, amount: 5_000n } }),
];

/** The transaction that funds a campaign from these coins. */
export const fundingOf = (campaign: CampaignRecord): Transaction => {
  const { payment } = buildFunding({
    payer: creator,
    payerCoins: fundingCoins,
    members: [campaignGenesis(campaign, 'local')],
  });
  return fromLibauthTransaction(payment.transaction);
};

/** What a transaction's inputs spend, where `coins` are all the coins there are. */
export const spentBy = ({ inputs }: Transaction, coins: readonly Coin[]): (Output | null)[] =>
  inputs.map(({ txid, vout }) => coins.find((coin) => coin.txid === txid && coin.vout === vout) ?? null);

/** The campaign after its funding was observed. */
export const fundedCampaign = async (
  campaign: CampaignRecord,
  funding = fundingOf(campaign),
): Promise<CampaignRecord> => {
  const observed = await campaigns
    .followed('local')
    .observeFunding(campaign, onChain(funding), spentBy(funding, fundingCoins));
  if (observed === null) throw new Error('the funding is not its own');
  return observed.record;
};

/** What a spend of the campaign starts from, after the transaction that moved it last. */
export const spendAfter = (
  campaign: CampaignRecord,
  last: Transaction,
  reserveDecoys: readonly Coin[] = [],
): CampaignSpend => {
  const reserveLock =
    campaign.thread === null
      ? ''
      : reserveContract(
          campaign.thread.category,
          campaignContract(campaign, 'local').lockingBytecode,
          'local',
        ).lockingBytecode;
  const reserve = last.outputs.flatMap(({ lockingBytecode }, vout) =>
    lockingBytecode === reserveLock ? [coinOf(last, vout)] : [],
  );
  return {
    record: campaign,
    network: 'local',
    coins: { thread: coinOf(last, campaign.thread?.vout ?? 0), reserve: [...reserveDecoys, ...reserve] },
    payerCoins: [walletCoin(3, 100_000n)],
    locktime: START,
  };
};

/** An unsigned transaction as the chain would have it. */
export const asTransaction = (unsigned: Pick<UnsignedTransaction, 'transaction'>): Transaction =>
  fromLibauthTransaction(unsigned.transaction);

/** The same at a height. */
export const asMined = (
  unsigned: Pick<UnsignedTransaction, 'transaction'>,
  height: number,
): ChainTransaction => onChain(asTransaction(unsigned), height);
