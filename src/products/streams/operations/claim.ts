/**
 * The transaction with which the recipient takes an amount that is claimable.
 *
 * @throws insufficient_funds, amount_below_dust, store_conflict, chain_unavailable, and what handing out throws
 */
import { z } from 'zod';
import { displayNumber, formatUnits, showAmounts, toPositiveUnits, toUnits } from '../../../bch/amount.js';
import { AddressField, AmountField, TxHash } from '../../../bch/fields.js';
import type { WalletTransaction } from '../../../bch/wallet-transaction.js';
import { confirmedMove, confirmMove } from '../../../offer/confirm-move.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { spendOf, type MoveSpend } from '../../../offer/gather-spend.js';
import { handOut } from '../../../offer/hand-out.js';
import { defineMove } from '../../../offer/move.js';
import { checkPayable } from '../../../offer/payees.js';
import { worthOf } from '../../../offer/worth-claiming.js';
import type { Context } from '../../../operation/context.js';
import { CONFIRM_ERRORS, defineOperation } from '../../../operation/define.js';
import { StreamId } from '../fields.js';
import { figuresOf, kindOf } from '../kinds.js';
import { streams } from '../product.js';
import { checkWholeIntervals, claimAmount } from '../rules.js';
import type { StreamRecord } from '../stream.js';
import type { ClaimOrder, StreamSpend } from '../transactions.js';
import { claimable } from './claimable.js';

/** The claim of an amount, the prompt of the recipient's wallet, and what is told of it. */
const buildClaim = (spend: StreamSpend & Pick<MoveSpend<StreamRecord>, 'unit'>, order: ClaimOrder) => {
  const { stream_id: label, decimals, token_category: category } = spend.record;
  const { amount, to } = order;
  const unsigned = kindOf(spend.record).buildClaim(spend, order);
  const isPaid = unsigned.outputs.some(
    ({ lockingBytecode, satoshis, token }) =>
      lockingBytecode === to.lockingBytecode &&
      (category === null ? satoshis >= amount : token?.amount === amount),
  );
  return {
    ...unsigned,
    prompt: `Claim ${formatUnits(amount, decimals)} ${spend.unit} from ${label} to ${to.text}`,
    told: {
      ...showAmounts({ claimableAmount: amount }, decimals),
      toAddress: to.text,
      fee: Number(unsigned.fee),
      // The recipient had no coins for it.
      feeFromPayout: !isPaid,
    },
  };
};

export const offerClaim = async (
  stream: StreamRecord,
  order: ClaimOrder,
  context: Context,
): Promise<WalletTransaction> => {
  const recipient = streams.party(stream, 'recipient');
  const spend = await spendOf(streams, { record: stream, payer: recipient }, context);
  const { prompt, told: _told, ...unsigned } = buildClaim(spend, order);
  return handOut(unsigned, recipient, prompt, context);
};

const confirm = defineOperation({
  id: 'streams.confirm-claim',
  summary: 'Confirm a claim on chain',
  http: { method: 'POST', path: '/api/streams/:id/confirm-claim' },
  cli: { positional: ['id', 'txHash'], assetOf: streams.assetOf },
  auth: 'none',
  forKeys: 'measured',
  input: z.object({
    id: StreamId,
    claimedAmount: AmountField.nullish().describe('Compared with the chain when given'),
    txHash: TxHash,
  }),
  output: ConfirmReply.extend({
    claimedAmount: z.number(),
    claimedAmountOnChain: z.string(),
    totalReleased: z.number(),
  }),
  errors: ['stream_not_found', 'invalid_amount', ...CONFIRM_ERRORS],
  run: async ({ id, claimedAmount, txHash }, context) => {
    const { decimals } = await streams.find(context.store, id);
    const units = claimedAmount == null ? null : toUnits(claimedAmount, decimals, 'claimedAmount');
    const show = (value: bigint) => formatUnits(value, decimals);
    const move = await confirmMove(
      {
        txHash,
        type: 'claimed',
        follow: (transaction) => streams.follow(id, context, [transaction]),
        label: streams.label,
        expected: () => (units === null ? 'a claim' : `a claim of ${show(units)}`),
        difference: (_stream, { amount }) =>
          units === null || amount === units ? null : `a claim of ${show(amount)}`,
      },
      context,
    );
    const { amount } = move.event;
    const unit = await streams.unitOf(move.record, context.store);
    return {
      ...confirmedMove(`${show(amount)} ${unit} was claimed from ${move.record.stream_id}`, txHash, move),
      ...showAmounts({ claimedAmount: amount }, decimals),
      totalReleased: displayNumber(move.record.withdrawn_amount, decimals),
    };
  },
  view: viewConfirmed,
});

export const claim = defineMove(streams, 'claim', {
  summary: 'Build the transaction that claims what has vested',
  description:
    'In BCH the fee comes from the recipient’s other coins, and without these out of the payout; in tokens from the recipient’s other coins.',
  cli: {
    callerFields: ['recipientAddress'],
    example: 'streams claim STREAM-0001 --amount 0.25 --to-address <address>',
  },
  step: 'Take what has vested',
  input: {
    recipientAddress: AddressField.optional().describe('Must be you when given'),
    amount: AmountField.nullish().describe('Display units; default all that is claimable'),
    toAddress: AddressField.nullish().describe('Where the money goes; default you'),
  },
  aliases: { recipient: 'recipientAddress' },
  errors: [
    'not_payable',
    'nothing_claimable',
    'invalid_amount',
    'amount_exceeds_claimable',
    'amount_below_dust',
  ],
  checkSigner: (stream, { recipientAddress: named }) => {
    if (named !== undefined) streams.checkRole(stream, 'recipient', named.text);
  },
  fields: {
    claimableAmount: z.number().describe('What this transaction takes, display units'),
    claimableAmountOnChain: z.string(),
    toAddress: z.string(),
    fee: z.number().describe('Satoshis'),
    feeFromPayout: z.boolean().describe('True when the fee comes out of the amount'),
  },
  build: async (spend, { amount: asked, toAddress }, context) => {
    // Check: where it goes, then what is there.
    const { record: stream, locktime } = spend;
    const to = toAddress ?? streams.party(stream, 'recipient');
    await checkPayable(to, 'toAddress', context);
    const units = asked == null ? null : toPositiveUnits(asked, stream.decimals, 'amount');
    const amount = claimAmount(stream, figuresOf(stream, locktime), units, spend.unit);
    if (stream.stream_type === 'RECURRING') checkWholeIntervals(stream, amount, 'amount');
    return buildClaim(spend, { amount, to });
  },
  confirm,
  rebuilds: true,
  each: {
    list: claimable,
    listInput: (recipient, min) => ({ recipient, ...(min === undefined ? {} : { min }) }),
    items: ({ streams: found, fees }: z.output<typeof claimable.output>) =>
      found.map((stream) => ({
        label: stream.stream_id,
        input: { id: stream.stream_id },
        worth: worthOf(stream, BigInt(stream.claimable_amountOnChain), fees[stream.stream_id]),
      })),
    leftOut: ({ leftOut }: z.output<typeof claimable.output>) => leftOut,
    none: 'There is nothing to claim now.',
  },
});
