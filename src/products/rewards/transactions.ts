/**
 * The transactions of a campaign: coins and state in, an unsigned transaction and the outputs it promises out.
 * `observe.ts` reads the same promises back.
 */
import { parseAddress, type Address } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import { signedCall, witnessedCall } from '../../covenant/call.js';
import type { GenesisMember } from '../../covenant/genesis.js';
import {
  buildPoolSpend,
  continuingOutputs,
  owedOutputs,
  payoutOutput,
  poolGenesis,
  restated,
  type Pool,
  type PoolSpend,
  type RecordSpend,
} from '../../covenant/pool.js';
import type { UnsignedTransaction } from '../../covenant/spend.js';
import type { CampaignRecord } from './campaign.js';
import { campaignContract } from './contract.js';
import { campaignState, CHAIN_STATUS, initialState, readState } from './state.js';

/** What every spend of a campaign starts from: the creator signs and pays the fee. */
export type CampaignSpend = RecordSpend<CampaignRecord>;

/** The key that co-signs distributions. */
export type AuthorityKey = { readonly privateKey: Uint8Array; readonly publicKey: Uint8Array };

/** A campaign's pool. */
export const campaignPool = (campaign: CampaignRecord, network: Network): Pool => ({
  network,
  contract: campaignContract(campaign, network),
  threadCategory: campaign.thread?.category ?? '',
  tokenCategory: campaign.token_category,
});

/** The one thread that funding mints, with its pool. */
export const campaignGenesis = (campaign: CampaignRecord, network: Network): GenesisMember =>
  poolGenesis(campaignPool(campaign, network), campaignState.encode(initialState), campaign.total_pool);

const spendCampaign = (
  { record: campaign, network, ...gathered }: CampaignSpend,
  spend: Pick<PoolSpend, 'call' | 'outputs'> & Partial<PoolSpend>,
): UnsignedTransaction =>
  buildPoolSpend(campaignPool(campaign, network), {
    ...gathered,
    ...spend,
    payer: parseAddress(campaign.creator),
  });

/**
 * Pays `amount` to a recipient: co-signed by the authority, left for the creator's wallet to sign.
 *
 * @throws insufficient_funds when the creator cannot pay the fee
 */
export const buildDistribution = (
  spend: CampaignSpend,
  {
    recipient,
    amount,
    authority,
  }: { readonly recipient: Address; readonly amount: bigint; readonly authority: AuthorityKey },
): UnsignedTransaction => {
  const { record: campaign, network } = spend;
  const state = readState(campaign.thread?.commitment ?? '');
  const distributed = state.distributed + amount;
  const commitment = campaignState.encode({ ...state, distributed, count: state.count + 1 });
  const { outputs } = continuingOutputs(
    campaignPool(campaign, network),
    commitment,
    campaign.total_pool - distributed,
  );
  return spendCampaign(spend, {
    call: witnessedCall('distribute', { authority }, amount),
    outputs: [...outputs, payoutOutput(campaign.token_category, recipient.lockingBytecode, amount)],
  });
};

/** Pauses: only the status changes, and the reserve stays closed. @throws insufficient_funds */
export const buildPause = (spend: CampaignSpend): UnsignedTransaction => {
  const { thread } = spend.record;
  const commitment = campaignState.encode({
    ...readState(thread?.commitment ?? ''),
    status: CHAIN_STATUS.paused,
  });
  return spendCampaign(spend, {
    ...restated(spend.coins, thread?.category ?? '', commitment),
    call: signedCall('pause'),
  });
};

/**
 * Cancels: what remains goes to the refund address, and the thread is burned.
 *
 * @param amount what the refund address gets, smallest unit; default what remains by the state
 * @throws insufficient_funds
 */
export const buildCancel = (spend: CampaignSpend, amount?: bigint): UnsignedTransaction => {
  const { record: campaign } = spend;
  const { distributed } = readState(campaign.thread?.commitment ?? '');
  const { lockingBytecode } = parseAddress(campaign.refund_address);
  const remaining = campaign.total_pool - distributed;
  const asked = amount ?? remaining;
  // The contract takes a refund of tokens to the unit: what there is beyond it goes beside.
  const refund = campaign.token_category !== null && asked > remaining ? remaining : asked;
  return spendCampaign(spend, {
    call: signedCall('cancel'),
    outputs: [refund, asked - refund].flatMap((part) =>
      owedOutputs(campaign.token_category, lockingBytecode, part),
    ),
  });
};
