/** Depositing: the first deposit mints the state thread, later ones are plain sends, and anybody's coins count. */
import { z } from 'zod';
import { parseAddress } from '../../../bch/address.js';
import {
  BCH_DECIMALS,
  formatUnits,
  MAXIMUM_SATOSHIS,
  toPositiveUnits,
  toUnits,
  showAmounts,
} from '../../../bch/amount.js';
import { AmountField, TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { buildPayment } from '../../../bch/payment.js';
import { dustOf, THREAD_DUST, type Transaction } from '../../../bch/transaction.js';
import { TreasuryError } from '../../../errors.js';
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
import { eventOfTransaction } from '../../../record/events.js';
import { freeCoins } from '../../../offer/funding-pins.js';
import { handOut } from '../../../offer/hand-out.js';
import { PreparationReply } from '../../../offer/funding-reply.js';
import { offerFunding } from '../../../offer/funding.js';
import { VaultId } from '../fields.js';
import { followVault } from '../follow-vault.js';
import { openVault } from '../open-spend.js';
import { readFirstDeposit } from '../observe.js';
import { findVault } from '../records.js';
import { checkVaultReader } from '../rules.js';
import { initialState, vaultState } from '../state.js';
import { vaultGenesis } from '../transactions.js';
import { vaultCollection, type VaultRecord } from '../vault.js';

const satoshis = z.string().describe('Satoshis');

const ReadyReply = z.object({
  success: z.literal(true),
  label: z.string(),
  contractAddress: z.string(),
  totalDeposit: z.number().describe('BCH'),
  totalDepositOnChain: satoshis,
  currentBalance: z.number().describe('BCH at the address now'),
  currentBalanceOnChain: satoshis,
  amountToDeposit: z.number().describe('BCH that this transaction deposits'),
  amountToDepositOnChain: satoshis,
  depositSatoshis: z.string().describe("The whole value of the vault's output, satoshis"),
  stateNft: z
    .object({ tokenCategory: z.string(), commitment: z.string() })
    .describe('The state thread: minted by the first deposit, untouched by later ones'),
  wcTransaction: WalletTransactionField.optional().describe('Absent when there is nothing left to deposit'),
});

/** What a deposit puts in, satoshis: what was asked for, or what is missing. @throws invalid_amount, amount_below_dust */
const amountOf = (vault: VaultRecord, amount: z.output<typeof AmountField> | undefined): bigint => {
  const isFirst = vault.status === 'pending';
  const { lockingBytecode } = parseAddress(vault.contract_address);
  const least = isFirst ? THREAD_DUST : dustOf({ lockingBytecode, satoshis: 0n });
  if (amount === undefined) {
    const missing = vault.total_deposit - vault.balance;
    // The first deposit mints the thread, also when others have sent everything already.
    if (missing <= 0n && !isFirst) return 0n;
    return missing > least ? missing : least;
  }
  const asked = toPositiveUnits(amount, BCH_DECIMALS, 'amount', MAXIMUM_SATOSHIS);
  if (asked >= least) return asked;
  throw new TreasuryError('amount_below_dust', {
    field: 'amount',
    amount: amount.decimal,
    minimum: formatUnits(least, BCH_DECIMALS),
  });
};

/** The part of the answer that does not depend on the transaction. */
const factsOf = (vault: VaultRecord, deposit: bigint, tokenCategory: string) => ({
  success: true as const,
  label: vault.name,
  contractAddress: vault.contract_address,
  ...showAmounts(
    { totalDeposit: vault.total_deposit, currentBalance: vault.balance, amountToDeposit: deposit },
    BCH_DECIMALS,
  ),
  depositSatoshis: deposit.toString(),
  stateNft: { tokenCategory, commitment: vault.thread?.commitment ?? vaultState.encode(initialState) },
});

/** The first deposit, or the preparation that it needs. @throws insufficient_funds, store_conflict, chain_unavailable */
const offerFirst = async (vault: VaultRecord, deposit: bigint, context: RunContext<'address'>) => {
  const members = [vaultGenesis(vault, deposit, context.network)];
  const record = { collection: vaultCollection.name, id: vault.id };
  const subject = { id: vault.id, label: vault.name, record };
  // Of whatever sum: the first deposit before this one may have been of another.
  const isFunding = (transaction: Transaction) =>
    readFirstDeposit(vault, transaction, context.network) !== null;
  const order = { payer: context.caller, members, what: vault.name, subject, isFunding };
  const offer = await offerFunding(order, context);
  if (offer.kind === 'preparation') return offer.reply;
  const category = offer.outputs[0]?.token?.category ?? '';
  return { ...factsOf(vault, deposit, category), wcTransaction: offer.wcTransaction };
};

/** A later deposit: a plain send to the address. @throws insufficient_funds, chain_unavailable */
const offerLater = async (vault: VaultRecord, deposit: bigint, context: RunContext<'address'>) => {
  const { caller } = context;
  const { lockingBytecode } = parseAddress(vault.contract_address);
  const payment = buildPayment({
    payer: caller,
    coins: await freeCoins(caller, context),
    outputs: [{ lockingBytecode, satoshis: deposit }],
  });
  const prompt = `Deposit ${formatUnits(deposit, BCH_DECIMALS)} BCH in ${vault.name}`;
  return {
    ...factsOf(vault, deposit, vault.thread?.category ?? ''),
    wcTransaction: await handOut(payment, caller, prompt, context),
  };
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
    amount: AmountField.optional().describe('BCH to deposit; default what is missing from totalDeposit'),
  }),
  output: z.union([ReadyReply, PreparationReply]),
  errors: [...VAULT_ERRORS, 'not_creator', 'invalid_amount', 'amount_below_dust', ...OFFER_ERRORS],
  run: async ({ id, amount }, context) => {
    // Check: the creator; what the chain holds already.
    const vault = await openVault(id, context, 'creator');
    const deposit = amountOf(vault, amount);

    // Build: with the thread, without it, or nothing.
    if (vault.status === 'pending') return offerFirst(vault, deposit, context);
    if (deposit === 0n) return factsOf(vault, 0n, vault.thread?.category ?? '');
    return offerLater(vault, deposit, context);
  },
});

const confirm = defineOperation({
  id: 'vaults.update-balance',
  summary: 'Take a deposit in from the chain, whoever made it',
  http: { method: 'POST', path: '/api/vaults/:id/update-balance' },
  cli: { verb: 'sync-balance', positional: ['id', 'txid'] },
  auth: 'address',
  input: z.object({
    id: VaultId,
    txid: TxHash,
    amount: AmountField.optional().describe('BCH; compared with the chain when given'),
  }),
  output: z.object({
    ...ConfirmReply.shape,
    txid: z.string(),
    amount: z.number().describe('BCH that the transaction paid to the vault'),
    amountOnChain: satoshis,
    balance: z.number().describe('BCH'),
    balanceOnChain: satoshis,
  }),
  errors: [...VAULT_ERRORS, 'invalid_amount', ...CONFIRM_ERRORS],
  aliases: { txHash: 'txid' },
  run: async ({ id, txid, amount }, context) => {
    // Check: the chain knows the transaction, and it paid the vault just that.
    checkVaultReader(await findVault(context.store, id), context.caller);
    const transaction = await indexedTransaction(txid, context);
    const vault = await followVault(id, context, [transaction]);
    const event = await eventOfTransaction(context.store, vault.id, txid);
    const expected = `a deposit in ${vault.name}`;
    if (event?.event_type !== 'deposited') {
      throw mismatch(
        txid,
        expected,
        event === null ? 'a transaction that does not pay it' : 'a spend from it',
      );
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
