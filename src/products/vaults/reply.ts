/** Vaults and spends as answers show them. */
import { z } from 'zod';
import { BCH_DECIMALS, showAmounts } from '../../bch/amount.js';
import { ThreadPointer } from '../../covenant/thread.js';
import { BCH, tokenAsset } from '../../record/assets.js';
import { DamagedReply } from '../../record/damaged.js';
import { FundingInputs, FundingOutputs, showInputs, showOutputs } from '../../offer/funding-reply.js';
import type { Network } from '../../bch/network.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { findVault } from './records.js';
import { roleIn } from './rules.js';
import type { SpendRecord } from './spend.js';
import { SIGNATURES_NEEDED, type VaultRecord } from './vault.js';

const bch = z.number().describe('BCH');
const satoshis = z.string().describe('Satoshis');

/** What a vault holds of one token. */
export const HoldingReply = z.object({
  category: z.string(),
  symbol: z.string(),
  decimals: z.number(),
  amount: z.number().describe('Display units'),
  amountOnChain: z.string().describe('Smallest unit'),
  nfts: z.number().describe('NFTs of the category, the state thread apart'),
});

/** A vault. Source: specification, Resources; design, api.md (Vaults). */
export const VaultReply = z.object({
  id: z.string(),
  vaultId: z.string().describe('On-chain id, 64 hex digits'),
  name: z.string(),
  creator: z.string(),
  signers: z.array(z.string()),
  signerPubkeys: z.array(z.string()),
  viewers: z.array(z.string()),
  role: z.enum(['creator', 'signer', 'viewer']).describe('What the caller is to it'),
  totalDeposit: bch,
  totalDepositOnChain: satoshis,
  balance: bch.describe('BCH at the address, whoever sent it'),
  balanceOnChain: satoshis,
  spendable: bch.describe('BCH that one spend can pay out: less what the thread and tokens ride on'),
  spendableOnChain: satoshis,
  stuck: bch.describe(
    'BCH that can never move: somebody glued an NFT to it that the contract of version 0.1.0 takes for its thread',
  ),
  stuckOnChain: satoshis,
  tokens: z.array(HoldingReply),
  isPublic: z.boolean(),
  contractAddress: z.string(),
  contract_address: z.string(),
  constructor_params: z.array(z.string()),
  authority_pubkey: z.null().describe('No authority signs for a vault'),
  status: z.string(),
  damaged: DamagedReply,
  state: z.string().describe('The same word as status'),
  spends: z.number().describe('Spends that moved the thread, as its state counts them'),
  tx_hash: z.string().nullable().describe('The first deposit'),
  thread: ThreadPointer.nullable(),
  createdAt: z.number().describe('Unix seconds'),
  updatedAt: z.number().describe('Unix seconds'),
});

/** What a vault holds of each token, with the decimals of the registry. */
export const showHoldings = async (
  { tokens }: Pick<VaultRecord, 'tokens'>,
  store: StoreReader,
): Promise<z.output<typeof HoldingReply>[]> =>
  await Promise.all(
    tokens.map(async ({ category, amount, nfts }) => {
      const { symbol, decimals } = await tokenAsset(category, store);
      return {
        category,
        symbol,
        decimals,
        ...showAmounts({ amount }, decimals),
        nfts,
      };
    }),
  );

/** For the schema, see {@link VaultReply}. Whoever may read a vault without being a member of it reads as a viewer. */
export const showVault = async (
  vault: VaultRecord,
  caller: string,
  store: StoreReader,
): Promise<z.output<typeof VaultReply>> => ({
  id: vault.id,
  vaultId: vault.on_chain_vault_id,
  name: vault.name,
  creator: vault.creator,
  signers: vault.signers,
  signerPubkeys: vault.signer_pubkeys,
  viewers: vault.viewers,
  role: roleIn(vault, caller) ?? 'viewer',
  ...showAmounts(
    {
      totalDeposit: vault.total_deposit,
      balance: vault.balance,
      spendable: vault.spendable,
      stuck: vault.stuck,
    },
    BCH_DECIMALS,
  ),
  tokens: await showHoldings(vault, store),
  isPublic: vault.is_public,
  contractAddress: vault.contract_address,
  contract_address: vault.contract_address,
  constructor_params: vault.constructor_params,
  authority_pubkey: null,
  status: vault.status,
  state: vault.status,
  spends: vault.spends,
  tx_hash: vault.tx_hash,
  thread: vault.thread,
  createdAt: vault.created_at,
  updatedAt: vault.updated_at,
});

/** A spend. Source: design, api.md (Vaults). */
export const SpendReply = z.object({
  id: z.string(),
  label: z.string(),
  vaultId: z.string().describe('On-chain id of the vault, 64 hex digits'),
  proposer: z.string(),
  memo: z.string(),
  outputs: z
    .array(
      z.object({
        to: z.string(),
        tokenCategory: z.string().nullable(),
        symbol: z.string(),
        amount: z.number().describe('Display units'),
        amountOnChain: z.string().describe('Smallest unit'),
      }),
    )
    .describe('What it pays'),
  transaction: z
    .object({ inputs: FundingInputs, outputs: FundingOutputs })
    .describe('What is signed: the leased coins, and all outputs with the change'),
  fee: z.number().describe('Satoshis, out of the vault'),
  movesThread: z.boolean(),
  signatures: z.array(z.object({ signer: z.string(), signedAt: z.number() })),
  signaturesNeeded: z.number().describe('How many are still missing'),
  status: z.string().describe('PENDING, READY, SPENT, CANCELLED or GONE'),
  gone: z.string().nullable().describe('The coin that is gone, when one is'),
  txHash: z.string().nullable(),
  createdAt: z.number().describe('Unix seconds'),
  updatedAt: z.number().describe('Unix seconds'),
});

/** True when a spend has the vault's own thread at input 0. */
const movesThread = ({ coins }: SpendRecord, { thread }: VaultRecord): boolean =>
  thread !== null && coins[0]?.token?.category === thread.category;

/** For the schema, see {@link SpendReply}. */
export const showSpend = async (
  spend: SpendRecord,
  store: StoreReader,
  network: Network,
): Promise<z.output<typeof SpendReply>> => ({
  id: spend.id,
  label: spend.label,
  vaultId: (await findVault(store, spend.vault_id)).on_chain_vault_id,
  proposer: spend.proposer,
  memo: spend.memo,
  outputs: await Promise.all(
    spend.payments.map(async ({ to, token_category: category, amount, decimals }) => ({
      to,
      tokenCategory: category,
      symbol: category === null ? BCH.symbol : (await tokenAsset(category, store)).symbol,
      ...showAmounts({ amount }, decimals),
    })),
  ),
  transaction: { inputs: showInputs(spend.coins), outputs: showOutputs(spend.outputs, network) },
  fee: Number(spend.fee),
  movesThread: movesThread(spend, await findVault(store, spend.vault_id)),
  signatures: spend.signatures.map(({ signer, signed_at }) => ({ signer, signedAt: signed_at })),
  signaturesNeeded: Math.max(SIGNATURES_NEEDED - spend.signatures.length, 0),
  status: spend.status,
  gone: spend.gone,
  txHash: spend.tx_hash,
  createdAt: spend.created_at,
  updatedAt: spend.updated_at,
});
