/** The one place that reads a campaign's moves back from the chain. */
import type { z } from 'zod';
import { addressOf, parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import { moved, type Observed } from '../../covenant/follow.js';
import { continuingOutputs } from '../../covenant/pool.js';
import { continuedThread } from '../../covenant/thread.js';
import type { CampaignRecord, Distributed } from './campaign.js';
import { campaignContract } from './contract.js';
import { remainingPool } from './rules.js';
import { CHAIN_STATUS, readState } from './state.js';
import { campaignPool } from './transactions.js';

/** What a transaction that spends the thread did: another distribution, a pause, or the end. */
export const observeCampaign = (
  campaign: CampaignRecord,
  chain: ChainTransaction,
  network: Network,
): Observed<CampaignRecord> => {
  const { transaction } = chain;
  const { lockingBytecode: actorLock } = parseAddress(campaign.creator);
  const { lockingBytecode } = campaignContract(campaign, network);
  const thread = continuedThread(transaction, lockingBytecode, campaign.thread?.category ?? '');
  if (thread === null) {
    const cancelled = { type: 'cancelled', actorLock, amount: remainingPool(campaign) };
    return moved(campaign, chain, { status: 'CANCELLED', thread: null }, [cancelled]);
  }
  const state = readState(thread.commitment);
  const isPaused = state.status === CHAIN_STATUS.paused;
  const changes: Partial<CampaignRecord> = {
    thread,
    status: isPaused ? 'PAUSED' : 'ACTIVE',
    distributed_total: state.distributed,
    distributed_count: state.count,
  };
  if (isPaused) return moved(campaign, chain, changes, [{ type: 'paused', actorLock, amount: 0n }]);
  const { payoutIndex } = continuingOutputs(
    campaignPool(campaign, network),
    thread.commitment,
    campaign.total_pool - state.distributed,
  );
  const recipient = addressOf(transaction.outputs[payoutIndex]?.lockingBytecode ?? '', network)?.text ?? '';
  const amount = state.distributed - campaign.distributed_total;
  const details: z.output<typeof Distributed> = { recipient };
  return moved(campaign, chain, changes, [{ type: 'distribution', actorLock, amount, details }]);
};
