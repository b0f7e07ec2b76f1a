/** Depositing: the first deposit mints the state thread, later ones are plain sends, and anybody's coins count. */
import { z } from 'zod';
import {
  BCH_DECIMALS,
  formatUnits,
  MAXIMUM_SATOSHIS,
  toPositiveUnits,
  toUnits,
  showAmounts,
} from '../../../bch/amount.js';
import { BchField, TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { buildPayment } from '../../../bch/payment.js';
import { dustOf, THREAD_DUST, type Transaction } from '../../../bch/transaction.js';
import { belowDust } from '../../../covenant/checks.js';
import {
  confirmationsOf,
  confirmed,
  ConfirmReply,
  indexedTransaction,
  mismatch,
  viewConfirmed,
} from '../../../offer/confirm.js';
import {
  CONFIRM_ERRORS,
  defineAction,
  defineOperation,
  OFFER_ERRORS,
  VAULT_ERRORS,
  type RunContext,
} from '../../../operation/define.js';
import { recordTerms } from '../../../record/deployable.js';
import { eventOfTransaction } from '../../../record/events.js';
import { freeCoins } from '../../../offer/funding-pins.js';
import { handOut } from '../../../offer/hand-out.js';
import { PreparationReply } from '../../../offer/funding-reply.js';
import { offerFunding } from '../../../offer/funding.js';
import { readableVault } from '../access.js';
import { initialState, lockOf, vaultState } from '../contract.js';
import { followVault } from '../follow-vault.js';
import { openVault, VaultId } from '../open-spend.js';
import { readFirstDeposit } from '../observe.js';
import { findVault } from '../records.js';
import { vaultGenesis } from '../transactions.js';
import { vaultCollection, type VaultRecord } from '../vault.js';

const bch = z.number().describe('BCH');
const satoshis = z.string().describe('Satoshis');

const ReadyReply = z.object({
  success: z.literal(true),
  label: z.string(),
  contractAddress: z.string(),
  totalDeposit: bch,
  totalDepositOnChain: satoshis,
  currentBalance: bch.describe('BCH at the address now'),
  currentBalanceOnChain: satoshis,
  amountToDeposit: bch.describe('BCH that this transaction deposits'),
  amountToDepositOnChain: satoshis,
  depositSatoshis: z.string().describe("The whole value of the vault's output, satoshis"),
  stateNft: z
    .object({ tokenCategory: z.string(), commitment: z.string() })
    .describe('The state thread: minted by the first deposit, untouched by later ones'),
  wcTransaction: WalletTransactionField.optional().describe('Absent when there is nothing left to deposit'),
});

/** What a deposit puts in, satoshis: what was asked for, or what is missing. @throws invalid_amount, amount_below_dust */
const amountOf = (vault: VaultRecord, amount: z.output<typeof BchField> | undefined): bigint => {
  const isFirst = vault.status === 'pending';
  const least = isFirst ? THREAD_DUST : dustOf({ lockingBytecode: lockOf(vault), satoshis: 0n });
  if (amount === undefined) {
    const missing = vault.total_deposit - vault.balance;
    // The first deposit mints the thread, also when others have sent everything already.
    if (missing <= 0n && !isFirst) return 0n;
    return missing > least ? missing : least;
  }
  const asked = toPositiveUnits(amount, BCH_DECIMALS, 'amount', MAXIMUM_SATOSHIS);
  if (asked < least) throw belowDust('amount', asked, least);
  return asked;
};

/** The part of the answer that does not depend on the transaction. */
const factsOf = (
  vault: VaultRecord,
  amountToDeposit: bigint,
  tokenCategory = vault.thread?.category ?? '',
) => ({
  success: true as const,
  label: vault.name,
  contractAddress: vault.contract_address,
  ...showAmounts(
    { totalDeposit: vault.total_deposit, currentBalance: vault.balance, amountToDeposit },
    BCH_DECIMALS,
  ),
  depositSatoshis: amountToDeposit.toString(),
  stateNft: { tokenCategory, commitment: vault.thread?.commitment ?? vaultState.encode(initialState) },
});

/** The first deposit, or the preparation that it needs. @throws insufficient_funds, store_conflict, chain_unavailable */
const offerFirst = async (vault: VaultRecord, deposit: bigint, context: RunContext<'address'>) => {
  const { id, name: label } = vault;
  const offer = await offerFunding(
    {
      payer: context.caller,
      members: [vaultGenesis(vault, deposit, context.network)],
      contracts: [recordTerms(vault, 'Vault')],
      what: label,
      subject: { id, label, record: { collection: vaultCollection.name, id } },
      // Of whatever sum: the first deposit before this one may have been of another.
      isFunding: (transaction: Transaction) => readFirstDeposit(vault, transaction, context.network) !== null,
    },
    context,
  );
  if (offer.kind === 'preparation') return offer.reply;
  const category = offer.outputs[0]?.token?.category;
  return { ...factsOf(vault, deposit, category), wcTransaction: offer.wcTransaction };
};

/** A later deposit: a plain send to the address. @throws insufficient_funds, chain_unavailable */
const offerLater = async (vault: VaultRecord, deposit: bigint, context: RunContext<'address'>) => {
  const { caller } = context;
  const payment = buildPayment({
    payer: caller,
    coins: await freeCoins(caller, context),
    outputs: [{ lockingBytecode: lockOf(vault), satoshis: deposit }],
  });
  const prompt = `Deposit ${formatUnits(deposit, BCH_DECIMALS)} BCH in ${vault.name}`;
  const handed = { ...payment, contracts: [recordTerms(vault, 'Vault')] };
  return { ...factsOf(vault, deposit), wcTransaction: await handOut(handed, caller, prompt, context) };
};

const build = defineOperation({
  id: 'vaults.deposit',
  summary: 'Build the transaction that deposits what is missing in a vault',
  description:
    'The first deposit mints the state NFT of the vault; when the creator has no coin at output index 0, the answer is the preparation form: sign and broadcast that first. Later deposits are plain sends.',
  http: { method: 'GET', path: '/api/vaults/:id/deposit' },
  auth: 'address',
  input: z.object({
    id: VaultId,
    amount: BchField.optional().describe('BCH to deposit; default what is missing from the whole deposit'),
  }),
  output: z.union([ReadyReply, PreparationReply]),
  errors: [...VAULT_ERRORS, 'not_creator', 'invalid_amount', 'amount_below_dust', ...OFFER_ERRORS],
  run: async ({ id, amount }, context) => {
    // Check: the creator; what the chain holds already.
    const vault = await openVault(id, context, 'creator');
    const deposit = amountOf(vault, amount);

    // Build: with the thread, without it, or nothing.
    if (vault.status === 'pending') return offerFirst(vault, deposit, context);
    return deposit === 0n ? factsOf(vault, 0n) : offerLater(vault, deposit, context);
  },
});

const confirm = defineOperation({
  id: 'vaults.update-balance',
  summary: 'Take a deposit in from the chain, whoever made it',
  http: { method: 'POST', path: '/api/vaults/:id/update-balance' },
  cli: { verb: 'sync-balance', positional: ['id', 'txid'] },
  auth: 'address',
  forKeys: 'measured',
  input: z.object({
    id: VaultId,
    txid: TxHash,
    amount: BchField.optional().describe('BCH; compared with the chain when given'),
  }),
  output: z.object({
    ...ConfirmReply.shape,
    txid: z.string(),
    amount: bch.describe('BCH that the transaction paid to the vault'),
    amountOnChain: satoshis,
    balance: bch,
    balanceOnChain: satoshis,
  }),
  errors: [...VAULT_ERRORS, 'invalid_amount', ...CONFIRM_ERRORS],
  aliases: { txHash: 'txid' },
  run: async ({ id, txid, amount }, context) => {
    // Check: the chain knows the transaction, and it paid the vault just that.
    await readableVault(id, context);
    const transaction = await indexedTransaction(txid, context);
    const vault = await followVault(id, context, [transaction]);
    const event = await eventOfTransaction(context.store, vault.id, txid);
    const expected = `a deposit in ${vault.name}`;
    if (event?.event_type !== 'deposited') {
      const found = event === null ? 'a transaction that does not pay it' : 'a spend from it';
      throw mismatch(txid, expected, found);
    }
    const paid = formatUnits(event.amount, BCH_DECIMALS);
    if (amount !== undefined && toUnits(amount, BCH_DECIMALS, 'amount', MAXIMUM_SATOSHIS) !== event.amount) {
      throw mismatch(txid, `${expected} of ${amount.decimal} BCH`, `one of ${paid} BCH`);
    }
    const message = `${paid} BCH came into ${vault.name}, which is ${vault.status}`;
    return {
      ...confirmed(message, txid, vault.status, await confirmationsOf(txid, context)),
      txid,
      ...showAmounts({ amount: event.amount, balance: vault.balance }, BCH_DECIMALS),
    };
  },
  view: viewConfirmed,
});

export const deposit = defineAction({
  build,
  confirm,
  record: findVault,
  verb: 'deposit',
  summary: 'Put BCH into a vault; the first time with its state NFT',
});
