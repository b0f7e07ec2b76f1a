/** Creating a payment: terms in, a PENDING record and its deployment out. */
import { momentText } from '../../../bch/show-date.js';
import { inAsset } from '../view.js';
import { binToHex } from '@bitauth/libauth';
import { z } from 'zod';
import { withOwnWords } from '../../../record/own-words.js';
import { toPositiveUnits } from '../../../bch/amount.js';
import {
  AddressField,
  AmountField,
  Title,
  TokenCategoryField,
  TokenTypeField,
  UnixSeconds,
} from '../../../bch/fields.js';
import { TreasuryError } from '../../../errors.js';
import { checkPayoutDust } from '../../../covenant/checks.js';
import { PushMinimumField, pushMinimumOf } from '../../../offer/push-minimum.js';
import { requestedAsset } from '../../../record/assets.js';
import { createRecord, FundingRequired, fundingRequired } from '../../../offer/create.js';
import { CREATE_ERRORS, defineOperation, type RunContext } from '../../../operation/define.js';
import { chainNow } from '../../../operation/chain-now.js';
import { shellLabel } from '../../../record/labels.js';
import { checkPayable } from '../../../offer/payees.js';
import { invalidInput } from '../../../operation/read-input.js';
import { newPoolFields, requireTerms } from '../../../record/pool-record.js';
import { readableVault } from '../../vaults/index.js';
import { checkRecurringTerms } from '../../../covenant/recurring/contract.js';
import { INTERVAL_SECONDS, INTERVALS, type PaymentRecord } from '../payment.js';
import { previewPayment, paymentGuide } from '../guide.js';
import { payments } from '../product.js';
import { PaymentReply, showPayment } from '../reply.js';
import { periodsUntil, upfrontPeriods } from '../../../covenant/recurring/rules.js';
import { firstDueOf, startOf, termsOf } from '../terms.js';

const input = z.object({
  sender: AddressField.optional().describe('Must be the caller when given'),
  recipient: AddressField.describe('Who claims the payments'),
  recipientName: Title.nullish(),
  tokenType: TokenTypeField.default('BCH'),
  tokenCategory: TokenCategoryField,
  amountPerPeriod: AmountField.describe('Paid for each period, display units, above 0'),
  interval: z.enum(INTERVALS).describe('A month is 30 days, a year 365'),
  startDate: UnixSeconds.optional().describe(
    'Unix seconds; default now. The first payment is an interval later',
  ),
  endDate: UnixSeconds.nullish().describe(
    'Unix seconds; 0 or left out: open-ended. A payment due then counts',
  ),
  cancelable: z.boolean().default(true).describe('Whether the sender may pause and cancel'),
  pushMinimum: PushMinimumField,
  vaultId: z.string().nullish().describe('Links the payment to a vault'),
});

const DeploymentReply = z.object({
  contractAddress: z.string(),
  paymentId: z.string().describe('Label'),
  onChainPaymentId: z.string(),
  fundingRequired: FundingRequired.extend({ periods: z.number() }),
  nftCommitment: z.string(),
});

type Request = z.output<typeof input>;

/** The record that a request asks for. */
const draftPayment = async (request: Request, context: RunContext<'address'>): Promise<PaymentRecord> => {
  await checkPayable(request.recipient, 'recipient', context);
  const now = await chainNow(context);
  const asset = await requestedAsset(request, context.store);
  const { decimals, maximum } = asset;
  const { interval, startDate = now, recipientName } = request;
  const endDate = request.endDate === undefined || request.endDate === 0 ? null : request.endDate;
  const payment: PaymentRecord = {
    ...(await newPoolFields('recurring-payment', context)),
    payment_id: '',
    on_chain_payment_id: binToHex(context.random(32)),
    vault_id: request.vaultId == null ? null : (await readableVault(request.vaultId, context)).id,
    sender: context.caller.text,
    recipient: request.recipient.text,
    recipient_name: recipientName ?? null,
    token_type: asset.tokenType,
    token_category: asset.category,
    decimals,
    amount_per_period: toPositiveUnits(request.amountPerPeriod, decimals, 'amountPerPeriod', maximum),
    interval,
    start_date: startDate,
    end_date: endDate,
    periods: endDate === null ? 0 : periodsUntil(startDate, endDate, INTERVAL_SECONDS[interval]),
    cancelable: request.cancelable,
    push_minimum: pushMinimumOf(request, asset),
    next_payment_date: firstDueOf({ start_date: startDate, interval }),
    total_paid: 0n,
    payment_count: 0,
    pool: 0n,
  };
  checkDates(payment, now);
  requireTerms(checkRecurringTerms(termsOf(payment), startOf(payment)));
  checkPayoutDust(payment.token_type, payment.amount_per_period, 'amountPerPeriod');
  return payment;
};

/** @throws invalid_input */
const checkDates = (payment: PaymentRecord, now: number): void => {
  const { end_date: end, periods } = payment;
  if (end === null) return;
  const first = firstDueOf(payment);
  const refuse = (message: string) => invalidInput([{ path: 'endDate', message }]);
  if (end <= now) throw refuse(`${momentText(end)} must be later than now (${momentText(now)})`);
  if (periods === 0)
    throw refuse(`${momentText(end)} is before the first payment, which is due at ${momentText(first)}`);
};

export const create = withOwnWords(
  defineOperation({
    id: 'payments.create',
    summary: 'Create a recurring payment',
    description: 'The payment is PENDING until its funding is confirmed. The sender is the caller.',
    http: { method: 'POST', path: '/api/payments/create', creates: true },
    cli: {
      callerFields: ['sender'],
      guide: paymentGuide,
      preview: previewPayment,
      example: 'payments create --recipient <address> --amount-per-period 0.5 --interval MONTHLY',
    },
    auth: 'address',
    forKeys: 'measured',
    input,
    output: z.object({ message: z.string(), payment: PaymentReply, deployment: DeploymentReply }),
    errors: ['caller_mismatch', ...CREATE_ERRORS],
    run: async (request, context) => {
      // Check: the sender is the caller; then everything that the covenant will bind.
      const { sender } = request;
      const caller = context.caller.text;
      if (sender !== undefined && sender.text !== caller)
        throw new TreasuryError('caller_mismatch', { field: 'sender', value: sender.text, caller });
      const draft = await draftPayment(request, context);

      // Record: the payment with the address of its covenant, and its first event, with the answer.
      const now = await chainNow(context);
      return createRecord(
        payments,
        { draft, amount: draft.amount_per_period },
        (payment) => {
          const required = fundingRequired(payments, payment, context);
          return {
            message: `${payment.payment_id} is created and waits for its funding`,
            payment: showPayment(payment, now),
            deployment: {
              contractAddress: payment.contract_address,
              paymentId: payment.payment_id,
              onChainPaymentId: payment.on_chain_payment_id,
              fundingRequired: { ...required, periods: upfrontPeriods(payment) },
              nftCommitment: required.withNFT.commitment,
            },
          };
        },
        context,
      );
    },
    view: ({ payment, deployment: { contractAddress, fundingRequired } }) => [
      { kind: 'text', text: `${payment.payment_id} is created.` },
      {
        kind: 'facts',
        rows: [
          [
            'Pays',
            `${inAsset(payment)(payment.amount_per_periodOnChain)} ${payment.interval.toLowerCase()} to ${payment.recipient}`,
          ],
          [
            'Funding',
            `${inAsset(payment)(fundingRequired.amountOnChain)} for ${fundingRequired.periods} periods`,
          ],
          ['Contract', contractAddress],
        ],
      },
      {
        kind: 'next',
        command: `payments fund ${shellLabel(payment.payment_id)}`,
        why: 'to put the first periods in',
      },
    ],
  }),
);
