/** Claiming: the recipient takes what has vested, or a part of it, to any address. */
import { z } from 'zod';
import { displayNumber, formatUnits, toPositiveUnits, toUnits, showAmounts } from '../../../bch/amount.js';
import { AddressField, AmountField, TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { confirmedMove, confirmMove } from '../../../offer/confirm-move.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { chainNow } from '../../../operation/chain-now.js';
import { checkPayable } from '../../../offer/payees.js';
import { offerClaim } from '../claim-offer.js';
import { StreamId } from '../fields.js';
import { figuresOf } from '../kinds.js';
import { streams } from '../product.js';
import { checkWholeIntervals, claimAmount } from '../rules.js';
import { claimable } from './claimable.js';

const build = defineOperation({
  id: 'streams.claim',
  summary: 'Build the transaction that claims what has vested',
  description:
    'In BCH the fee comes from the recipient’s other coins, and without these out of the payout; in tokens from the recipient’s other coins.',
  http: { method: 'POST', path: '/api/streams/:id/claim' },
  cli: {
    callerFields: ['recipientAddress'],
    example: 'streams claim STREAM-0001 --amount 0.25 --to-address <address>',
  },
  auth: 'address',
  input: z.object({
    id: StreamId,
    recipientAddress: AddressField.optional().describe('Must be you when given'),
    amount: AmountField.nullish().describe('Display units; default all that is claimable'),
    toAddress: AddressField.nullish().describe('Where the money goes; default you'),
  }),
  output: z.object({
    label: z.string(),
    claimableAmount: z.number().describe('What this transaction takes, display units'),
    claimableAmountOnChain: z.string(),
    toAddress: z.string(),
    fee: z.number().describe('Satoshis'),
    feeFromPayout: z.boolean().describe('True when the fee comes out of the amount'),
    wcTransaction: WalletTransactionField,
  }),
  errors: [
    'stream_not_found',
    'not_recipient',
    'wrong_state',
    'not_payable',
    'nothing_claimable',
    'invalid_amount',
    'amount_exceeds_claimable',
    'amount_below_dust',
    ...OFFER_ERRORS,
  ],
  aliases: { recipient: 'recipientAddress' },
  run: async ({ id, recipientAddress, amount: asked, toAddress }, context) => {
    // Check: who asks, then what is there.
    const stream = await streams.follow(id, context);
    streams.checkRole(stream, 'recipient', context.caller.text);
    streams.checkMove(stream, 'claim', (recipientAddress ?? context.caller).text);
    const to = toAddress ?? context.caller;
    await checkPayable(to, 'toAddress', context);
    const units = asked == null ? null : toPositiveUnits(asked, stream.decimals, 'amount');
    const figures = figuresOf(stream, await chainNow(context));
    const amount = claimAmount(stream, figures, units);
    if (stream.stream_type === 'RECURRING') checkWholeIntervals(stream, amount, 'amount');

    // Build: for the recipient's wallet.
    const { wcTransaction, fee, isFeeFromPayout } = await offerClaim(stream, { amount, to }, context);
    return {
      label: stream.stream_id,
      ...showAmounts({ claimableAmount: amount }, stream.decimals),
      toAddress: to.text,
      fee: Number(fee),
      feeFromPayout: isFeeFromPayout,
      wcTransaction,
    };
  },
});

const confirm = defineOperation({
  id: 'streams.confirm-claim',
  summary: 'Confirm a claim on chain',
  http: { method: 'POST', path: '/api/streams/:id/confirm-claim' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
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
    return {
      ...confirmedMove(`${show(amount)} was claimed from ${move.record.stream_id}`, txHash, move),
      ...showAmounts({ claimedAmount: amount }, decimals),
      totalReleased: displayNumber(move.record.withdrawn_amount, decimals),
    };
  },
  view: viewConfirmed,
});

export const claim = defineAction({
  build,
  confirm,
  record: streams.find,
  verb: 'claim',
  summary: 'Take what has vested',
  each: {
    list: claimable,
    listInput: (recipient) => ({ recipient }),
    items: ({ streams: found }: z.output<typeof claimable.output>) =>
      found.map(({ stream_id: label }) => ({ label, input: { id: label } })),
    none: 'There is nothing to claim now.',
  },
});
