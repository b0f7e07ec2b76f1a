/** Proposing a spend: outputs in, a transaction of leased coins out, which waits for two signatures. */
import { z } from 'zod';
import { ownWordsOf, withOwnWords } from '../../../record/own-words.js';
import { toPositiveUnits } from '../../../bch/amount.js';
import type { Coin, Output } from '../../../bch/coins.js';
import { AddressField, AmountField, TokenCategoryField } from '../../../bch/fields.js';
import { dustOf } from '../../../bch/transaction.js';
import { belowDust } from '../../../covenant/checks.js';
import { payoutOutput } from '../../../covenant/pool.js';
import type { UnsignedTransaction } from '../../../covenant/spend.js';
import { isTreasuryError, TreasuryError } from '../../../errors.js';
import { BCH, tokenAsset } from '../../../record/assets.js';
import { invalidInput } from '../../../operation/read-input.js';
import type { SheetKind } from '../../../operation/sheet-kind.js';
import { commitAnswer } from '../../../operation/commit-answer.js';
import { defineOperation, OFFER_ERRORS, VAULT_ERRORS, type RunContext } from '../../../operation/define.js';
import { checkPayable } from '../../../offer/payees.js';
import { nextLabel } from '../../../record/labels.js';
import type { StoreWriter } from '../../../operation/ports/store.js';
import { handOutSpend } from '../collect-signatures.js';
import { sortCoins } from '../coins.js';
import { lockOf } from '../contract.js';
import { spendGuide } from '../guide.js';
import { openVault, VaultId } from '../open-spend.js';
import { openSpends } from '../records.js';
import { SaidSpendReply, showSpend } from '../reply.js';
import { holdersOf, isFree } from '../rules.js';
import { spendCollection, type Payment, type SpendRecord } from '../spend.js';
import { tellSpend } from '../tell-spend.js';
import { buildVaultSpend, unsignedTxid } from '../transactions.js';
import type { VaultRecord } from '../vault.js';
import { pageOfSpend, viewSpend } from '../view.js';

/** As many as anybody will read before signing. */
const MAXIMUM_OUTPUTS = 100;

const OutputField = z.object({
  to: AddressField,
  amount: AmountField.describe('Display units, above 0'),
  tokenCategory: TokenCategoryField.describe('Token category, 64 hex digits; left out for BCH'),
});

/** The table of payouts: a row for each that is paid. */
const PAYOUT_SHEET: SheetKind = {
  columns: [
    { name: 'recipient', field: 'to', kind: 'address', about: 'who is paid', needed: 'yes' },
    { name: 'amount', field: 'amount', kind: 'amount', about: 'what they get, such as 0.25', needed: 'yes' },
    {
      name: 'token',
      field: 'tokenCategory',
      kind: 'text',
      about: 'a token, by its symbol or category',
      needed: 'no: BCH',
    },
  ],
  required: [['recipient'], ['amount']],
  examples: [{ recipient: '@somebody', amount: '0.25' }],
};

const input = z.object({
  id: VaultId,
  outputs: z
    .array(OutputField)
    .min(1)
    .max(MAXIMUM_OUTPUTS)
    .describe('What is paid: [{ to, amount, tokenCategory? }]'),
  memo: z.string().trim().max(500).default('').describe('What it is for; the signers see it'),
});

/** One output of a request, as it is kept and as it is paid. @throws invalid_amount, amount_below_dust, not_payable */
const readPayment = async (
  { to, amount, tokenCategory }: z.output<typeof OutputField>,
  index: number,
  vault: VaultRecord,
  { store, covenants }: Pick<RunContext, 'store' | 'covenants'>,
): Promise<{ readonly payment: Payment; readonly output: Output }> => {
  const asset = typeof tokenCategory === 'string' ? await tokenAsset(tokenCategory, store) : BCH;
  const { category, decimals } = asset;
  const field = `outputs.${index}.amount`;
  const units = toPositiveUnits(amount, decimals, field, asset.maximum);
  const { lockingBytecode, text: value } = to;
  const whom = `outputs.${index}.to`;
  if (value === vault.contract_address)
    throw new TreasuryError('not_payable', { field: whom, value, reason: 'it is the vault itself' });
  await checkPayable(to, whom, { covenants });
  const output = payoutOutput(category, lockingBytecode, units);
  const minimum = dustOf(output);
  if (output.satoshis < minimum) throw belowDust(field, units, minimum);
  return { payment: { to: value, token_category: category, amount: units, decimals }, output };
};

/** All outputs of a request. @throws what is wrong with the one, or invalid_input with all that is wrong with several */
const readPayments = async (
  outputs: readonly z.output<typeof OutputField>[],
  vault: VaultRecord,
  context: Pick<RunContext, 'store' | 'covenants'>,
) => {
  const read = await Promise.allSettled(
    outputs.map((output, index) => readPayment(output, index, vault, context)),
  );
  const errors = read.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (errors.length > 1 && errors.every(isTreasuryError))
    throw invalidInput(
      errors.map(({ details: { field }, message }) => ({
        path: typeof field === 'string' ? field : 'outputs',
        message: message.replace(/\.$/, ''),
      })),
    );
  if (errors.length > 0) throw errors[0];
  return read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
};

/**
 * The spend of coins that no other open spend holds.
 *
 * @throws coins_leased when it would take the others' too, insufficient_funds when not even that suffices
 */
const buildFromFree = async (
  vault: VaultRecord,
  payments: readonly Output[],
  { store, chain, network }: Pick<RunContext, 'store' | 'chain' | 'network'>,
): Promise<UnsignedTransaction> => {
  const { thread, free, alike } = sortCoins(vault, await chain.coins(lockOf(vault)));
  const open = await openSpends(store, vault.id);
  const isUnleased = isFree(open);
  const buildOf = (wanted: (coin: Coin) => boolean) =>
    buildVaultSpend({
      vault,
      network,
      payments,
      thread: thread !== null && wanted(thread) ? thread : null,
      coins: free.filter(wanted),
      alike: alike.filter(wanted),
    });
  try {
    return buildOf(isUnleased);
  } catch (error) {
    if (!(error instanceof TreasuryError) || open.length === 0) throw error;
    // Would it work with the leased coins? If not, this says what is really missing.
    const { inputs } = buildOf(() => true);
    const holders = holdersOf(open, inputs);
    if (holders.length === 0) throw error;
    throw new TreasuryError('coins_leased', { holder: holders.join(', ') });
  }
};

export const spendCreate = withOwnWords(
  defineOperation({
    id: 'vaults.spend-create',
    summary: 'Propose a spend from a vault, for two of its signers to sign',
    description:
      'Its coins are leased until it is broadcast or cancelled. The fee comes out of the vault, and the change goes back into it.',
    http: { method: 'POST', path: '/api/vaults/:id/spends', creates: true, bodyLimit: 131_072 },
    cli: {
      verb: 'spend create',
      sheet: { kind: PAYOUT_SHEET, entries: 'outputs' },
      example: 'vaults spend create <vault> --to <address> --amount 0.5 --memo "Audit, first half"',
      guide: spendGuide,
      page: pageOfSpend,
      rows: { outputs: ['to', 'amount', 'tokenCategory'] },
    },
    auth: 'address',
    forKeys: 'measured',
    input,
    output: SaidSpendReply,
    errors: [
      ...VAULT_ERRORS,
      'not_vault_signer',
      'invalid_amount',
      'amount_below_dust',
      'not_payable',
      'coins_leased',
      ...OFFER_ERRORS,
    ],
    run: async ({ id, outputs, memo }, context) => {
      // Check: a signer, and each output.
      const { caller, network } = context;
      const vault = await openVault(id, context, 'signer');
      const read = await readPayments(outputs, vault, context);

      // Build: of free coins, and tried by the VM as both signers will have it.
      const payments = read.map(({ output }) => output);
      const built = await buildFromFree(vault, payments, context);
      const now = context.clock.now();
      const draft: SpendRecord = {
        id: context.uuid(),
        label: '#SPEND',
        vault_id: vault.id,
        proposer: caller.text,
        memo,
        payments: read.map(({ payment }) => payment),
        coins: [...built.inputs],
        outputs: [...built.outputs],
        fee: built.fee,
        unsigned_txid: unsignedTxid(built.transaction),
        signatures: [],
        status: 'PENDING',
        tx_hash: null,
        gone: null,
        created_at: now,
        updated_at: now,
        ...ownWordsOf(context),
      };
      await handOutSpend({ vault, spend: draft, network }, caller.text, context);

      // Record: unless another spend took one of these coins meanwhile.
      const make = async (writer: StoreWriter): Promise<SpendRecord> => {
        const holders = holdersOf(await openSpends(writer, vault.id), draft.coins);
        if (holders.length > 0) throw new TreasuryError('coins_leased', { holder: holders.join(', ') });
        const record = { ...draft, label: await nextLabel(writer, 'SPEND') };
        writer.put(spendCollection, record);
        await tellSpend(writer, record, { done: 'proposed', actor: record.proposer });
        return record;
      };
      return commitAnswer(context, make, async (spend, store) => ({
        message: `${spend.label} waits for two signatures`,
        ...(await showSpend(spend, { store, network })),
      }));
    },
    view: viewSpend,
  }),
);
