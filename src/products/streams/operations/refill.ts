/** Refilling an open stream: more whole intervals go into its pool. */
import { z } from 'zod';
import { parseAddress } from '../../../bch/address.js';
import { displayNumber, formatUnits, toPositiveUnits } from '../../../bch/amount.js';
import { AmountField, TxHash, WalletTransactionField } from '../../../bch/fields.js';
import { TreasuryError } from '../../../errors.js';
import { ConfirmReply, viewConfirmed } from '../../../offer/confirm.js';
import { CONFIRM_ERRORS, defineAction, defineOperation, OFFER_ERRORS } from '../../../operation/define.js';
import { handOut } from '../../../offer/hand-out.js';
import { confirmStreamMove } from '../confirm-move.js';
import { checkReader } from '../access.js';
import { StreamId } from '../fields.js';
import { kindOf } from '../kinds.js';
import { findStream, followStream } from '../records.js';
import { checkRefillable, checkSender, checkStatus, checkWholeIntervals } from '../rules.js';
import { spendOf } from '../spend-of.js';

const build = defineOperation({
  id: 'streams.refill',
  summary: 'Build the transaction that refills a stream',
  description: 'Only for RECURRING streams that were created refillable. The sender signs it.',
  http: { method: 'POST', path: '/api/streams/:id/refill' },
  cli: { example: 'streams refill STREAM-0001 --refill-amount 0.5' },
  auth: 'optional',
  input: z.object({
    id: StreamId,
    refillAmount: AmountField.describe('Display units; a whole number of intervals'),
  }),
  output: z.object({
    label: z.string(),
    refillAmount: z.number(),
    refillAmountOnChain: z.string(),
    wcTransaction: WalletTransactionField,
  }),
  errors: [
    'stream_not_found',
    'vault_not_found',
    'private_vault',
    'not_sender',
    'wrong_state',
    'not_refillable',
    'invalid_amount',
    ...OFFER_ERRORS,
  ],
  aliases: { amount: 'refillAmount' },
  run: async ({ id, refillAmount }, context) => {
    // Check: sender, status, and whole intervals.
    await checkReader(await findStream(context.store, id), context.caller, context.store);
    const stream = await followStream(id, context);
    const { stream_id: label, decimals } = stream;
    checkSender(stream, context.caller?.text ?? null);
    checkRefillable(stream);
    checkStatus(stream, 'refill');
    const amount = toPositiveUnits(refillAmount, decimals, 'refillAmount');
    checkWholeIntervals(stream, amount, 'refillAmount');
    const { buildRefill } = kindOf(stream);
    if (buildRefill === null) throw new TreasuryError('not_refillable', { label });

    // Build: the pool grows.
    const signer = parseAddress(stream.sender);
    const spend = await spendOf(stream, signer, 'opens the pool', context);
    const prompt = `Put ${formatUnits(amount, decimals)} into ${label}`;
    return {
      label,
      refillAmount: displayNumber(amount, decimals),
      refillAmountOnChain: amount.toString(),
      wcTransaction: await handOut(buildRefill(spend, amount), signer, prompt, context),
    };
  },
});

const confirm = defineOperation({
  id: 'streams.confirm-refill',
  summary: 'Confirm a refill on chain',
  http: { method: 'POST', path: '/api/streams/:id/confirm-refill' },
  cli: { positional: ['id', 'txHash'] },
  auth: 'none',
  input: z.object({ id: StreamId, txHash: TxHash }),
  output: ConfirmReply,
  errors: ['stream_not_found', ...CONFIRM_ERRORS],
  run: ({ id, txHash }, context) =>
    confirmStreamMove({ id, txHash, type: 'refilled', expected: 'a refill', done: 'is refilled' }, context),
  view: viewConfirmed,
});

export const refill = defineAction({
  build,
  confirm,
  record: findStream,
  verb: 'refill',
  summary: 'Put more into an open stream',
});
