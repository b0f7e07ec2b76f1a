/** Vaults and spends as answers show them. */
import { z } from 'zod';
import { BCH_DECIMALS, showAmounts } from '../../bch/amount.js';
import { Units } from '../../bch/fields.js';
import { FundingInputs, FundingOutputs, showInputs, showOutputs } from '../../offer/funding-reply.js';
import type { Context } from '../../operation/context.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { BCH, HoldingReply, showHoldings, tokenAsset } from '../../record/assets.js';
import { DamagedReply } from '../../record/damaged.js';
import { defineShown } from '../../record/shown-record.js';
import { findVault } from './records.js';
import { roleIn } from './rules.js';
import { SpendRecord } from './spend.js';
import { spendDigest } from './transactions.js';
import { Holding, SIGNATURES_NEEDED, VAULT_ROLES, VaultRecord } from './vault.js';

const seconds = z.number().describe('Unix seconds');

const shownVault = defineShown(VaultRecord, {
  hidden: [
    'on_chain_vault_id',
    'signer_pubkeys',
    'total_deposit',
    'is_public',
    'artifact_fingerprint',
    'genesis_satoshis',
    'last_tx_hash',
    'created_at',
    'updated_at',
  ],
  computed: {
    vaultId: z.string().describe('On-chain id, 64 hex digits'),
    signerPubkeys: z.array(z.string()),
    role: z.enum(VAULT_ROLES).describe('What the caller is to it'),
    totalDeposit: Units,
    tokens: z.array(HoldingReply.extend({ nfts: z.number().describe(Holding.shape.nfts.description ?? '') })),
    isPublic: z.boolean(),
    contractAddress: z.string(),
    authority_pubkey: z.null().describe('No authority signs for a vault'),
    damaged: DamagedReply,
    state: z.string().describe('The same word as status'),
    createdAt: seconds,
    updatedAt: seconds,
  },
  words: ['BCH', 'Satoshis'],
});

/** A vault. Source: docs/design/api.md. */
export const VaultReply = shownVault.reply;

/** For the schema, see {@link VaultReply}. Whoever may read a vault without being a member of it reads as a viewer. */
export const showVault = async (
  vault: VaultRecord,
  caller: string,
  store: StoreReader,
): Promise<z.output<typeof VaultReply>> =>
  shownVault.show(
    { ...vault, decimals: BCH_DECIMALS },
    {
      vaultId: vault.on_chain_vault_id,
      signerPubkeys: vault.signer_pubkeys,
      role: roleIn(vault, caller) ?? 'viewer',
      totalDeposit: vault.total_deposit,
      tokens: await showHoldings(vault.tokens, store),
      isPublic: vault.is_public,
      contractAddress: vault.contract_address,
      authority_pubkey: null,
      state: vault.status,
      createdAt: vault.created_at,
      updatedAt: vault.updated_at,
    },
  );

const PaymentReply = z.object({
  to: z.string(),
  tokenCategory: z.string().nullable(),
  symbol: z.string(),
  decimals: z.number(),
  amount: z.number().describe('Display units'),
  amountOnChain: z.string().describe('Smallest unit'),
});

const shownSpend = defineShown(SpendRecord, {
  hidden: ['vault_id', 'payments', 'coins', 'unsigned_txid', 'tx_hash', 'created_at', 'updated_at'],
  computed: {
    vaultId: z.string().describe('On-chain id of the vault, 64 hex digits'),
    outputs: z.array(PaymentReply).describe('What it pays'),
    transaction: z
      .object({ inputs: FundingInputs, outputs: FundingOutputs })
      .describe('What is signed: the leased coins, and all outputs with the change'),
    fee: z.number().describe('Satoshis, out of the vault'),
    digest: z
      .string()
      .describe('What the signers compare: of the network, all inputs and all outputs; the same for each'),
    movesThread: z.boolean(),
    signatures: z.array(z.object({ signer: z.string(), signedAt: z.number() })),
    signaturesNeeded: z.number().describe('How many are still missing'),
    txHash: z.string().nullable(),
    createdAt: seconds,
    updatedAt: seconds,
  },
});

/** A spend. Source: docs/design/api.md. */
export const SpendReply = shownSpend.reply;

/** For the schema, see {@link SpendReply}. */
export const showSpend = async (
  spend: SpendRecord,
  { store, network }: Pick<Context, 'network'> & { readonly store: StoreReader },
): Promise<z.output<typeof SpendReply>> => {
  const { on_chain_vault_id: vaultId, thread } = await findVault(store, spend.vault_id);
  const { coins, outputs, payments, signatures } = spend;
  return shownSpend.show(
    { ...spend, decimals: BCH_DECIMALS },
    {
      vaultId,
      outputs: await Promise.all(
        payments.map(async ({ to, token_category: tokenCategory, amount, decimals }) => {
          const { symbol } = tokenCategory === null ? BCH : await tokenAsset(tokenCategory, store);
          return { to, tokenCategory, symbol, decimals, ...showAmounts({ amount }, decimals) };
        }),
      ),
      transaction: { inputs: showInputs(coins), outputs: showOutputs(outputs, network) },
      fee: Number(spend.fee),
      digest: spendDigest(spend, network),
      // True when the vault's own thread is at input 0.
      movesThread: thread !== null && coins[0]?.token?.category === thread.category,
      signatures: signatures.map(({ signer, signed_at: signedAt }) => ({ signer, signedAt })),
      signaturesNeeded: Math.max(SIGNATURES_NEEDED - signatures.length, 0),
      txHash: spend.tx_hash,
      createdAt: spend.created_at,
      updatedAt: spend.updated_at,
    },
  );
};

/** {@link SpendReply} with a sentence before it. */
export const SaidSpendReply = z.object({ message: z.string(), ...SpendReply.shape });
