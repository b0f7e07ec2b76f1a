/** The one place that reads a campaign's moves back from the chain. */
import { addressOf, parseAddress } from '../../bch/address.js';
import type { Output } from '../../bch/coins.js';
import type { Network } from '../../bch/network.js';
import type { ChainTransaction } from '../../bch/transaction.js';
import { touchedAt, type Followed, type Move, type Observed } from '../../covenant/follow.js';
import { auditGenesis } from '../../covenant/genesis.js';
import { continuingOutputs } from '../../covenant/pool.js';
import { continuedThread } from '../../covenant/thread.js';
import type { CampaignRecord } from './campaign.js';
import { campaignContract } from './contract.js';
import { remainingPool } from './rules.js';
import { CHAIN_STATUS, readState } from './state.js';
import { campaignGenesis, campaignPool } from './transactions.js';

const moveOf = (
  { transaction, height, blockTime }: ChainTransaction,
  move: Pick<Move, 'type' | 'actorLock' | 'amount'> & Partial<Pick<Move, 'details'>>,
): Move => ({ details: {}, ...move, txHash: transaction.txid, height, blockTime });

/** The funding of a campaign: its genesis audit holds, and the creator's wallet paid. */
const observeFunding = (
  campaign: CampaignRecord,
  chain: ChainTransaction,
  spent: readonly (Output | null)[],
  network: Network,
): Observed<CampaignRecord> | null => {
  const audit = auditGenesis(chain.transaction, [campaignGenesis(campaign, network)]);
  const creatorLock = parseAddress(campaign.creator).lockingBytecode;
  const [thread] = audit.threads;
  if (thread === undefined || !spent.some((output) => output?.lockingBytecode === creatorLock)) return null;
  const { txid } = chain.transaction;
  return {
    record: {
      ...campaign,
      status: 'ACTIVE',
      thread,
      tx_hash: txid,
      last_tx_hash: txid,
      updated_at: touchedAt(campaign, chain),
    },
    moves: [moveOf(chain, { type: 'funded', actorLock: creatorLock, amount: campaign.total_pool })],
  };
};

/** What a transaction that spends the thread did: another distribution, a pause, or the end. */
const observeMove = (
  campaign: CampaignRecord,
  chain: ChainTransaction,
  network: Network,
): Observed<CampaignRecord> => {
  const { transaction } = chain;
  const creatorLock = parseAddress(campaign.creator).lockingBytecode;
  const { lockingBytecode } = campaignContract(campaign, network);
  const moved = {
    ...campaign,
    last_tx_hash: transaction.txid,
    updated_at: touchedAt(campaign, chain),
  };
  const thread = continuedThread(transaction, lockingBytecode, campaign.thread?.category ?? '');
  if (thread === null) {
    const cancelled = moveOf(chain, {
      type: 'cancelled',
      actorLock: creatorLock,
      amount: remainingPool(campaign),
    });
    return { record: { ...moved, status: 'CANCELLED', thread: null }, moves: [cancelled] };
  }
  const state = readState(thread.commitment);
  const record: CampaignRecord = {
    ...moved,
    thread,
    status: state.status === CHAIN_STATUS.paused ? 'PAUSED' : 'ACTIVE',
    distributed_total: state.distributed,
    distributed_count: state.count,
  };
  if (record.status === 'PAUSED')
    return { record, moves: [moveOf(chain, { type: 'paused', actorLock: creatorLock, amount: 0n })] };
  const { payoutIndex } = continuingOutputs(
    campaignPool(campaign, network),
    thread.commitment,
    campaign.total_pool - state.distributed,
  );
  const recipient = addressOf(transaction.outputs[payoutIndex]?.lockingBytecode ?? '', network)?.text ?? '';
  const amount = state.distributed - campaign.distributed_total;
  const details = { recipient };
  return {
    record,
    moves: [moveOf(chain, { type: 'distribution', actorLock: creatorLock, amount, details })],
  };
};

/** How campaigns are followed on a network. */
export const followedCampaign = (network: Network): Followed<CampaignRecord> => ({
  lockingBytecode: (campaign) => parseAddress(campaign.contract_address).lockingBytecode,
  thread: (campaign) => campaign.thread,
  fundedBy: (campaign) => campaign.tx_hash,
  isPending: (campaign) => campaign.status === 'PENDING',
  unfunded: (campaign) => ({
    ...campaign,
    status: 'PENDING',
    distributed_count: 0,
    distributed_total: 0n,
    tx_hash: null,
    last_tx_hash: null,
    thread: null,
  }),
  observeFunding: (campaign, chain, spent) => observeFunding(campaign, chain, spent, network),
  observeMove: (campaign, chain) => observeMove(campaign, chain, network),
});
