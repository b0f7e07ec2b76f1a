/**
 * The transactions of a campaign: coins and state in, an unsigned transaction and the outputs it promises out.
 * `observe.ts` reads the same promises back.
 */
import { SignatureTemplate, placeholderPublicKey, placeholderSignature } from 'cashscript';
import { parseAddress, type Address } from '../../bch/address.js';
import type { Output } from '../../bch/coins.js';
import type { Network } from '../../bch/network.js';
import type { GenesisMember } from '../../covenant/genesis.js';
import {
  buildPoolSpend,
  continuingOutputs,
  owedOutputs,
  payoutOutput,
  poolGenesis,
  type Pool,
  type PoolSpend,
} from '../../covenant/pool.js';
import type { UnsignedTransaction } from '../../covenant/spend.js';
import { threadOutput } from '../../covenant/thread.js';
import type { CampaignRecord } from './campaign.js';
import { campaignContract } from './contract.js';
import { campaignState, CHAIN_STATUS, initialState, readState } from './state.js';

/** What every spend of a campaign starts from: the creator signs and pays the fee. */
export type CampaignSpend = {
  readonly record: CampaignRecord;
  readonly network: Network;
} & Pick<PoolSpend, 'coins' | 'payerCoins' | 'locktime'>;

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
  spend: Pick<PoolSpend, 'call' | 'outputs' | 'maximumFeeCoins'>,
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
  // The default type is ALL | UTXOS | FORKID (0x61): the authority signs no other (covenants rule 6).
  const authoritySignature = new SignatureTemplate(authority.privateKey);
  return spendCampaign(spend, {
    call: {
      name: 'distribute',
      args: [placeholderPublicKey(), placeholderSignature(), authority.publicKey, authoritySignature, amount],
    },
    outputs: [...outputs, payoutOutput(campaign.token_category, recipient.lockingBytecode, amount)],
  });
};

/** At most two other inputs may stand beside the thread while the reserve stays closed (covenants rule 2). */
const PAUSE_FEE_COINS = 2;

/** Pauses: only the status changes, and the reserve stays closed. @throws insufficient_funds */
export const buildPause = (spend: CampaignSpend): UnsignedTransaction => {
  const { thread } = spend.coins;
  const state = readState(spend.record.thread?.commitment ?? '');
  const commitment = campaignState.encode({ ...state, status: CHAIN_STATUS.paused });
  const output: Output = {
    ...threadOutput(thread.lockingBytecode, spend.record.thread?.category ?? '', commitment, 0n),
    satoshis: thread.satoshis,
  };
  return spendCampaign(
    { ...spend, coins: { thread, reserve: [] } },
    {
      call: { name: 'pause', args: [placeholderPublicKey(), placeholderSignature()] },
      outputs: [output],
      maximumFeeCoins: PAUSE_FEE_COINS,
    },
  );
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
    call: { name: 'cancel', args: [placeholderPublicKey(), placeholderSignature()] },
    outputs: [refund, asked - refund].flatMap((part) =>
      owedOutputs(campaign.token_category, lockingBytecode, part),
    ),
  });
};
