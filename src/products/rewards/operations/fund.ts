/** Funding a campaign: mints its thread and puts the whole pool in. */
import { z } from 'zod';
import { parseAddress } from '../../../bch/address.js';
import { displayNumber } from '../../../bch/amount.js';
import { TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { coinAt, THREAD_DUST, type ChainTransaction } from '../../../bch/transaction.js';
import {
  confirmationsOf,
  confirmed,
  ConfirmReply,
  viewConfirmed,
  indexedTransaction,
  mismatch,
} from '../../../operation/confirm.js';
import type { Context } from '../../../operation/context.js';
import { defineAction, defineOperation } from '../../../operation/define.js';
import { PreparationReply } from '../../../operation/hand-out.js';
import { FundingInfoFields, offerFunding } from '../../../operation/offer-funding.js';
import { CampaignId } from '../fields.js';
import { followCampaign } from '../records.js';
import { checkStatus } from '../rules.js';
import { campaignGenesis } from '../transactions.js';

const ReadyReply = z.object({
  success: z.literal(true),
  label: z.string(),
  fundingInfo: z.object({ ...FundingInfoFields, totalPool: z.number(), amount: z.number() }),
  wcTransaction: WalletTransactionField,
});

const build = defineOperation({
  id: 'rewards.funding-info',
  summary: 'Build the transaction that funds a campaign',
  description:
    'When the creator has no coin at output index 0, the answer is the preparation form: sign and broadcast that first.',
  http: { method: 'GET', path: '/api/rewards/:id/funding-info' },
  auth: 'none',
  input: z.object({ id: CampaignId }),
  output: z.union([ReadyReply, PreparationReply]),
  errors: ['reward_not_found', 'wrong_state', 'insufficient_funds', 'chain_unavailable'],
  run: async ({ id }, context) => {
    // Check: it waits for its funding, also when the chain is asked.
    const campaign = await followCampaign(id, context);
    checkStatus(campaign, 'fund');

    // Build: the thread, its pool, and the creator's change; or the preparation.
    const payer = parseAddress(campaign.creator);
    const members = [campaignGenesis(campaign, context.network)];
    const offer = await offerFunding(payer, members, campaign.campaign_id, context);
    if (offer.kind === 'preparation') return offer.reply;
    const { inputs, outputs, fee, wcTransaction } = offer;
    const pool = displayNumber(campaign.total_pool, campaign.decimals);
    return {
      success: true as const,
      label: campaign.campaign_id,
      fundingInfo: {
        contractAddress: campaign.contract_address,
        totalPool: pool,
        amount: pool,
        onChainAmount: campaign.total_pool.toString(),
        tokenType: campaign.token_type,
        threadDustSatoshis: Number(THREAD_DUST),
        inputs,
        outputs,
        fee,
      },
      wcTransaction,
    };
  },
});

/** True when one of the transaction's inputs spends a coin under `lockingBytecode`. */
const isPaidBy = async (
  { transaction }: ChainTransaction,
  lockingBytecode: string,
  { chain }: Pick<Context, 'chain'>,
): Promise<boolean> => {
  for (const { txid, vout } of transaction.inputs) {
    const source = await chain.transaction(txid);
    if (source !== null && coinAt(source, vout)?.lockingBytecode === lockingBytecode) return true;
  }
  return false;
};

const confirm = defineOperation({
  id: 'rewards.confirm-funding',
  summary: 'Confirm the funding of a campaign on chain',
  http: { method: 'POST', path: '/api/rewards/:id/confirm-funding' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'bearer',
  input: z.object({ id: CampaignId, txHash: TxHash }),
  output: ConfirmReply,
  errors: ['reward_not_found', 'tx_not_indexed', 'tx_mismatch', 'chain_unavailable'],
  run: async ({ id, txHash }, context) => {
    // Check: the chain knows it, it funded this campaign, and the caller's wallet paid.
    const transaction = await indexedTransaction(txHash, context);
    const campaign = await followCampaign(id, context, [transaction]);
    const { campaign_id: label } = campaign;
    if (campaign.tx_hash !== txHash) {
      const found =
        campaign.tx_hash === null
          ? 'a transaction that does not mint its thread with the whole pool from the creator’s coins'
          : `another transaction; ${label} was funded by ${campaign.tx_hash}`;
      throw mismatch(txHash, `the funding of ${label}`, found);
    }
    if (!(await isPaidBy(transaction, context.caller.lockingBytecode, context))) {
      throw mismatch(txHash, `an input spent from the wallet of ${context.caller.text}`, 'none');
    }
    const confirmations = await confirmationsOf(txHash, context);
    return confirmed(`${label} is funded`, txHash, campaign.status, confirmations);
  },
  view: viewConfirmed,
});

export const fund = defineAction({ build, confirm, verb: 'fund', summary: 'Put the pool into a campaign' });
